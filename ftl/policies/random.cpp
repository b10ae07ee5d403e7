// Random: any closed block, with equal chances. The baseline that others are held against.
#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class RandomVictim final : public VictimPolicy {
 public:
  explicit RandomVictim(Random random) : random_(random) {}
  BlockId choose(const VictimView& view) override { return view.at(random_.below(view.size())); }

 private:
  Random random_;
};

}  // namespace

std::unique_ptr<VictimPolicy> make_random(const Config& /*config*/, Random random) {
  return std::make_unique<RandomVictim>(random);
}

}  // namespace x25sim::ftl::policies
