// d-choices: of d closed blocks drawn with replacement, the one with the fewest valid pages; of
// equal ones the first drawn. Van Houdt, "A mean field model for a class of garbage collection
// algorithms in flash-based solid state drives", SIGMETRICS 2013.
#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class DChoices final : public VictimPolicy {
 public:
  explicit DChoices(std::uint32_t choices) : choices_(choices) {}

  SuperblockId choose(const VictimView& view, Random& random) const override {
    SuperblockId best = view.at(random.below(view.size()));
    for (std::uint32_t i = 1; i < choices_; ++i) {
      const SuperblockId block = view.at(random.below(view.size()));
      if (view.valid_pages(block) < view.valid_pages(best)) best = block;
    }
    return best;
  }

 private:
  std::uint32_t choices_;
};

}  // namespace

std::unique_ptr<const VictimPolicy> make_d_choices(const Config& config) {
  return std::make_unique<DChoices>(config.gc_choices);
}

}  // namespace x25sim::ftl::policies
