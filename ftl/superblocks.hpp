// Superblocks: what the FTL writes, cleans and erases as one.
//
// A superblock is one block, or with Config::superblock_dies = k the blocks of the same number on k
// dies that follow each other in striping order, written page by page in turn. The FTL numbers
// pages by superblock: page p of superblock s is s x pages() + p, and where superblocks are single
// blocks that is the physical page number.
#pragma once

#include <cstdint>
#include <vector>

#include "ftl/config.hpp"
#include "nand/geometry.hpp"

namespace x25sim::ftl {

enum class SuperblockId : std::uint32_t {};
inline constexpr SuperblockId no_superblock{0xffffffff};

class Superblocks {
 public:
  // Requires: config.superblock_dies divides the number of dies.
  Superblocks(const nand::Geometry& geometry, const Config& config);

  std::uint32_t count() const { return geometry_.blocks() / dies_; }
  std::uint32_t blocks_of_each() const { return dies_; }
  std::uint32_t pages_of_each() const { return pages_; }
  // Groups of dies that superblocks lie on, and the superblocks of each group: their numbers are
  // group x per_group + number within the group.
  std::uint32_t groups() const { return geometry_.dies() / dies_; }
  std::uint32_t per_group() const { return geometry_.blocks_per_die; }

  // The flash page of the FTL's page number `page`.
  Ppn physical(std::uint32_t page) const {
    return dies_ == 1 ? Ppn{page} : physical_of_several(page);
  }
  // The block on the `way`-th of the superblock's dies.
  BlockId block(SuperblockId superblock, std::uint32_t way) const {
    return dies_ == 1 ? BlockId{index(superblock)} : block_of_several(superblock, way);
  }
  SuperblockId superblock_of(BlockId block) const;

  // Dies in striping order, planes aside.
  const std::vector<std::uint32_t>& die_order() const { return die_order_; }

 private:
  Ppn physical_of_several(std::uint32_t page) const;
  BlockId block_of_several(SuperblockId superblock, std::uint32_t way) const;

  nand::Geometry geometry_;
  std::uint32_t dies_;
  std::uint32_t pages_;
  std::vector<std::uint32_t> die_order_;
  std::vector<std::uint32_t> position_;  // of each die in that order
};

}  // namespace x25sim::ftl
