// Where the next page goes: the pools of superblocks, the space that each keeps free, and the order
// in which writes are striped over them.
#pragma once

#include <cstdint>
#include <vector>

#include "ftl/config.hpp"
#include "ftl/superblocks.hpp"
#include "nand/geometry.hpp"

namespace x25sim::ftl {

// A pool owns the superblocks of one group of dies, or of one plane of each of them; with two_pools
// there are two pools in that place, one for each class of logical pages.
class PoolLayout {
 public:
  PoolLayout(const nand::Geometry& geometry, const Config& config);

  const Superblocks& superblocks() const { return superblocks_; }

  // Classes of logical pages that have pools of their own: 0 is all pages, or the hot ones.
  std::uint32_t classes() const { return classes_; }
  // Logical pages of class 0 on a drive of `logical_pages`, the first ones.
  std::uint64_t pages_of_first_class(std::uint64_t logical_pages) const;

  std::uint32_t pools() const { return units_ * classes_; }
  std::uint32_t pool_of(SuperblockId superblock) const;
  std::uint32_t class_of(std::uint32_t pool) const { return pool % classes_; }
  // Superblocks of one pool of this class that hold data: all but the firmware's own area.
  std::uint32_t usable_blocks(std::uint32_t page_class) const {
    return page_class == 0 ? first_class_blocks_ : usable_blocks_ - first_class_blocks_;
  }
  // The usable superblocks of `pool`, in the order in which a new drive uses them. Consecutive
  // blocks of a die lie on alternating planes.
  std::vector<SuperblockId> blocks_of(std::uint32_t pool) const;
  // Superblocks of the firmware's area that take the place of those which wear out.
  std::vector<SuperblockId> replacements_of(std::uint32_t pool) const;

  // Frontiers that take pages of the host and of garbage collection: 1 or 2.
  std::uint32_t frontiers() const { return frontiers_; }
  // Free superblocks at which garbage collection begins: those reserved, and one for each further
  // frontier, as all may have to open one at the same time.
  std::uint32_t low_watermark() const { return reserved_ + frontiers_ - 1; }
  // Superblocks of a pool that need not hold data: those, and with static wear levelling the one
  // that static data are moved to.
  std::uint32_t kept_blocks() const { return low_watermark() + (has_wear_frontier_ ? 1 : 0); }
  bool has_wear_frontier() const { return has_wear_frontier_; }

  // Most pages of a pool that may hold data. So many fewer than those of all superblocks that are
  // not kept, that when a superblock must be freed, some closed one holds an invalid page: one
  // page, or with a second frontier as many as open superblocks may hold then.
  std::uint64_t max_valid_pages(std::uint32_t page_class) const;
  // T: pages that take part in garbage collection, of all pools: all but the firmware's and those
  // of free superblocks at the low watermark.
  std::uint64_t gc_pages() const;

  // Pools of a class in striping order; writes go round it.
  std::vector<std::uint32_t> stripe(std::uint32_t page_class) const;

 private:
  // Position of a superblock among those of its die or plane.
  std::uint32_t position_of(SuperblockId superblock) const;
  SuperblockId superblock_at(std::uint32_t unit, std::uint32_t position) const;
  std::vector<SuperblockId> range(std::uint32_t unit, std::uint32_t begin, std::uint32_t end) const;
  std::vector<std::uint32_t> unit_order() const;

  nand::Geometry geometry_;
  Config config_;
  Superblocks superblocks_;
  std::uint32_t planes_;  // that pools are told apart by
  std::uint32_t units_;
  std::uint32_t unit_blocks_;
  std::uint32_t usable_blocks_;
  std::uint32_t classes_;
  std::uint32_t first_class_blocks_;
  std::uint32_t first_class_end_;  // of its part of the firmware's area, from usable_blocks_ on
  std::uint32_t frontiers_;
  std::uint32_t reserved_;
  bool has_wear_frontier_;
};

// The most logical pages that a drive of this geometry can offer; 0 if its pools are too small.
std::uint64_t max_logical_pages(const nand::Geometry& geometry, const Config& config);

}  // namespace x25sim::ftl
