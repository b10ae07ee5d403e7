// Where the next page goes: the pools of blocks and the order in which writes are striped over
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "ftl/config.hpp"
#include "nand/geometry.hpp"

namespace x25sim::ftl {

// A pool owns the blocks of one die, or of one plane of a die. Pools are numbered die by die,
// planes within a die.
class PoolLayout {
 public:
  PoolLayout(const nand::Geometry& geometry, const Config& config);

  std::uint32_t pools() const { return pools_; }
  // Blocks of one pool that the FTL uses: all but the firmware's own area.
  std::uint32_t usable_blocks() const { return usable_blocks_; }
  // The usable blocks of `pool`, in the order in which a new drive uses them. Consecutive blocks of
  // a die lie on alternating planes.
  std::vector<BlockId> blocks_of(std::uint32_t pool) const;
  std::uint32_t pool_of(BlockId block) const {
    const std::uint32_t die = index(geometry_.die_of(block));
    return config_.pool == PoolUnit::die
               ? die
               : die * geometry_.planes_per_die + index(geometry_.plane_of(block));
  }
  // Most pages of a pool that may hold data: one page fewer than all blocks but the reserved ones,
  // so that when a block must be opened some closed block holds an invalid page.
  std::uint64_t max_valid_pages() const { return max_valid_pages_; }
  // Pools in striping order; writes go round it.
  std::vector<std::uint32_t> stripe() const;

 private:
  nand::Geometry geometry_;
  Config config_;
  std::uint32_t pools_;
  std::uint32_t usable_blocks_;
  std::uint64_t max_valid_pages_;
};

// The most logical pages that a drive of this geometry can offer; 0 if its pools are too small.
std::uint64_t max_logical_pages(const nand::Geometry& geometry, const Config& config);

}  // namespace x25sim::ftl
