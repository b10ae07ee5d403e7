// FIFO: the block that was closed first, whatever it holds. Also known as LRU, LRW or cyclic
// cleaning; wears all blocks evenly.
#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class Fifo final : public VictimPolicy {
 public:
  BlockId choose(const VictimView& view) override { return view.oldest(); }
};

}  // namespace

std::unique_ptr<VictimPolicy> make_fifo(const Config& /*config*/, Random /*random*/) {
  return std::make_unique<Fifo>();
}

}  // namespace x25sim::ftl::policies
