// Visits the blocks of a region in random order, each once, in constant memory and time.
//
// Regions of few blocks are shuffled in a table (Fisher and Yates; Durstenfeld, "Algorithm 235",
// CACM 7, 1964). Larger ones are counted through and each number is encrypted by a Feistel network
// over pairs (left, right) with left < rows and right < columns, rows * columns >= blocks, the
// halves combined by addition; a result outside the region is encrypted again until it lies inside
// (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). rows and columns are
// chosen near the root of the number of blocks, so that this happens for few results.
#pragma once

#include <array>
#include <cstdint>

#include "nand/random.hpp"

namespace x25sim::workload {

class BlockShuffle {
 public:
  // Requires: 0 < blocks < 2^62. Exhausted until restart().
  explicit BlockShuffle(std::uint64_t blocks);

  // Begins a pass over all blocks in a new order, drawn from `random`.
  void restart(Random& random);

  // Whether the pass has visited every block.
  bool exhausted() const { return visited_ == blocks_; }

  // The next block of the pass. Requires: !exhausted().
  std::uint64_t next() {
    ++visited_;
    if (blocks_ <= table_size) return table_[visited_ - 1];
    const std::uint64_t left = left_;
    const std::uint64_t right = right_;
    if (++right_ == columns_) {
      right_ = 0;
      ++left_;
    }
    return shuffled(left, right);
  }

  // The block that comes at `place` of the pass, however far it is. Requires: place < blocks.
  std::uint64_t at(std::uint64_t place) const {
    if (blocks_ <= table_size) return table_[place];
    return shuffled(place / columns_, place % columns_);
  }

 private:
  // With so few rows and columns, eight rounds would leave some orders rarer than others.
  static constexpr std::uint64_t table_size = 256;
  // Four are enough for large regions; with eight, pairs of blocks of regions of 64 are already as
  // likely as each other.
  static constexpr std::size_t rounds = 8;

  static std::uint64_t scrambled(std::uint64_t value, std::uint64_t key, std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    std::uint64_t hash = (value ^ key) * 0xd6e8feb86659fd93;
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15;
    return static_cast<std::uint64_t>((static_cast<Wide>(hash) * bound) >> 64);
  }

  // Where the number that is (left, right) in rows and columns goes.
  std::uint64_t shuffled(std::uint64_t left, std::uint64_t right) const {
    std::uint64_t block = blocks_;
    while (block >= blocks_) {
      encrypt(left, right);
      block = left * columns_ + right;
    }
    return block;
  }

  void encrypt(std::uint64_t& left, std::uint64_t& right) const {
    for (std::size_t round = 0; round < rounds; round += 2) {
      left += scrambled(right, keys_[round], rows_);
      if (left >= rows_) left -= rows_;
      right += scrambled(left, keys_[round + 1], columns_);
      if (right >= columns_) right -= columns_;
    }
  }

  std::uint64_t blocks_;
  std::uint64_t visited_;
  std::uint64_t rows_;
  std::uint64_t columns_;
  std::uint64_t left_ = 0;  // (left_, right_) is the number `visited_` written in rows and columns
  std::uint64_t right_ = 0;
  std::array<std::uint64_t, rounds> keys_{};
  std::array<std::uint8_t, table_size> table_{};
};

}  // namespace x25sim::workload
