// d-choices: of d closed blocks drawn with replacement, the one with the fewest valid pages; of
// equal ones the first drawn. Van Houdt, "A mean field model for a class of garbage collection
// algorithms in flash-based solid state drives", SIGMETRICS 2013.
#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class DChoices final : public VictimPolicy {
 public:
  DChoices(std::uint32_t choices, Random random) : choices_(choices), random_(random) {}

  BlockId choose(const VictimView& view) override {
    BlockId best = view.at(random_.below(view.size()));
    for (std::uint32_t i = 1; i < choices_; ++i) {
      const BlockId block = view.at(random_.below(view.size()));
      if (view.valid_pages(block) < view.valid_pages(best)) best = block;
    }
    return best;
  }

 private:
  std::uint32_t choices_;
  Random random_;
};

}  // namespace

std::unique_ptr<VictimPolicy> make_d_choices(const Config& config, Random random) {
  return std::make_unique<DChoices>(config.gc_choices, random);
}

}  // namespace x25sim::ftl::policies
