// FIFO: the block that was closed first, whatever it holds. Also known as LRU, LRW or cyclic
// cleaning; wears all blocks evenly.
#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class Fifo final : public VictimPolicy {
 public:
  SuperblockId choose(const VictimView& view, Random& /*random*/) const override {
    return view.oldest();
  }
};

}  // namespace

std::unique_ptr<const VictimPolicy> make_fifo(const Config& /*config*/) {
  return std::make_unique<Fifo>();
}

}  // namespace x25sim::ftl::policies
