#include "sim/workload/block_map.hpp"

#include <algorithm>
#include <bit>

#include "nand/check.hpp"

namespace x25sim::workload {
namespace {

constexpr std::uint64_t word_bits = 64;
constexpr std::uint64_t full = ~std::uint64_t{0};

}  // namespace

BlockMap::BlockMap(std::uint64_t blocks) : blocks_(blocks) {
  X25_CHECK(blocks > 0);
  for (std::uint64_t bits = blocks; levels_.empty() || bits > 1;) {
    bits = (bits + word_bits - 1) / word_bits;
    levels_.emplace_back(bits);
  }
  clear();
}

void BlockMap::clear() {
  std::uint64_t bits = blocks_;
  for (Level& level : levels_) {
    std::ranges::fill(level, 0);
    // What lies beyond the end is never free.
    if (bits % word_bits != 0) level.back() = full << bits % word_bits;
    bits = level.size();
  }
}

std::optional<std::uint64_t> BlockMap::next_free(std::uint64_t block) const {
  const auto found = free_from(block);
  return found || block == 0 ? found : free_from(0);
}

std::optional<std::uint64_t> BlockMap::free_from(std::uint64_t block) const {
  std::uint64_t index = block;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const std::uint64_t word = index / word_bits;
    if (word == levels_[i].size()) return std::nullopt;
    const std::uint64_t free = ~levels_[i][word] & full << index % word_bits;
    if (free == 0) {
      index = word + 1;  // of the next level: words behind this one
      continue;
    }
    index = word * word_bits + static_cast<std::uint64_t>(std::countr_zero(free));
    // Down again, each time to the first free bit of the word that is not full.
    while (i-- > 0) {
      const auto bit = std::countr_one(levels_[i][index]);
      index = index * word_bits + static_cast<std::uint64_t>(bit);
    }
    return index;
  }
  return std::nullopt;
}

std::uint64_t BlockMap::visit(std::uint64_t block, std::uint64_t count) {
  std::uint64_t marked = 0;
  while (marked < count && block + marked < blocks_) {
    const std::uint64_t next = block + marked;
    if ((levels_[0][next / word_bits] >> next % word_bits & 1) != 0) break;
    mark(next);
    ++marked;
  }
  return marked;
}

void BlockMap::mark(std::uint64_t block) {
  std::uint64_t index = block;
  for (Level& level : levels_) {
    std::uint64_t& word = level[index / word_bits];
    word |= std::uint64_t{1} << index % word_bits;
    if (word != full) return;
    index /= word_bits;
  }
}

}  // namespace x25sim::workload
