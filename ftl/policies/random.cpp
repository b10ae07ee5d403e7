// Random: any closed block, with equal chances. The baseline that others are held against.
#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class RandomVictim final : public VictimPolicy {
 public:
  SuperblockId choose(const VictimView& view, Random& random) const override {
    return view.at(random.below(view.size()));
  }
};

}  // namespace

std::unique_ptr<const VictimPolicy> make_random(const Config& /*config*/) {
  return std::make_unique<RandomVictim>();
}

}  // namespace x25sim::ftl::policies
