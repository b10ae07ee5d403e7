// Greedy: the block with the fewest valid pages. Optimal for uniform random writes (Yang, Misra and
// Rubenstein, "On the optimality of greedy garbage collection for SSDs", PER 43, 2015).
#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class Greedy final : public VictimPolicy {
 public:
  SuperblockId choose(const VictimView& view, Random& /*random*/) const override {
    return view.fewest_valid();
  }
};

}  // namespace

std::unique_ptr<const VictimPolicy> make_greedy(const Config& /*config*/) {
  return std::make_unique<Greedy>();
}

}  // namespace x25sim::ftl::policies
