// Runs the FTL without a clock: every operation is performed at once. This is how a drive gets into
// a state before a measurement.
#pragma once

#include "ftl/page_ftl.hpp"
#include "nand/array.hpp"

namespace x25sim::ftl {

class FunctionalExecutor {
 public:
  explicit FunctionalExecutor(nand::FlashArray& array) : array_(array) {}

  void read(Ppn page, Cause /*cause*/) { array_.read(page); }
  void program(Ppn page, Cause /*cause*/) { array_.program(page); }
  void erase(BlockId block) { array_.erase(block); }

 private:
  nand::FlashArray& array_;
};
static_assert(FlashSink<FunctionalExecutor>);

}  // namespace x25sim::ftl
