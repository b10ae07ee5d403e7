#include "sim/workload/block_shuffle.hpp"

#include <bit>
#include <utility>

#include "nand/check.hpp"

namespace x25sim::workload {

BlockShuffle::BlockShuffle(std::uint64_t blocks) : blocks_(blocks), visited_(blocks) {
  X25_CHECK(blocks > 0);
  X25_CHECK(blocks < std::uint64_t{1} << 62);
  // A power of two within a factor of two of the root. Fewer than `rows_` of the numbers that the
  // network permutes lie outside the region.
  rows_ = std::uint64_t{1} << (std::bit_width(blocks) + 1) / 2;
  columns_ = (blocks + rows_ - 1) / rows_;
}

void BlockShuffle::restart(Random& random) {
  visited_ = 0;
  left_ = 0;
  right_ = 0;
  if (blocks_ > table_size) {
    for (auto& key : keys_) key = random();
    return;
  }
  for (std::uint64_t i = 0; i < blocks_; ++i) table_[i] = static_cast<std::uint8_t>(i);
  for (std::uint64_t i = blocks_; i > 1; --i) std::swap(table_[i - 1], table_[random.below(i)]);
}

}  // namespace x25sim::workload
