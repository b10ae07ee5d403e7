// What is configurable in the flash translation layer.
#pragma once

#include <array>
#include <cstdint>

namespace x25sim::ftl {

// A dimension of the array that consecutive pages are striped over.
enum class StripeDimension : std::uint8_t { channel, die, plane };

// The unit that owns free blocks, write frontiers and a garbage collector; of superblocks, one such
// unit on each of their dies.
enum class PoolUnit : std::uint8_t { die, plane };

// When the valid pages of a victim are copied: all at once when erased blocks run out, spread over
// the host writes that use up as much space as the victim gives back, or while the drive is idle
// (and all at once where that was not enough).
enum class GcPacing : std::uint8_t { blocking, paced, idle };

// How the block to clean is chosen, see ftl/victim_policy.cpp.
enum class GcPolicy : std::uint8_t {
  greedy,
  fifo,
  random,
  d_choices,
  windowed_greedy,
  cost_benefit,
  cat
};

// The blocks that a pool writes at a time, and which page goes to which, see ftl/choices.hpp.
enum class WriteFrontiers : std::uint8_t { one, two, hot_cold, two_pools };

// Which free block is written next, and whether static data are moved, see ftl/choices.hpp.
enum class WearLeveling : std::uint8_t { none, dynamic, static_ };

struct Config {
  // The dimension that varies fastest comes first. With pools of whole dies, planes are not striped
  // over: `plane` is then the last dimension and has one value.
  std::array<StripeDimension, 3> stripe_order{StripeDimension::channel, StripeDimension::die,
                                              StripeDimension::plane};
  PoolUnit pool = PoolUnit::die;
  // Dies whose blocks are written, cleaned and erased together, page by page in turn; divides the
  // number of dies.
  std::uint32_t superblock_dies = 1;

  WriteFrontiers write_frontiers = WriteFrontiers::one;
  std::uint32_t hot_writes = 4;     // hot_cold: recent writes that make a page hot, 1 to 15
  std::uint32_t hot_space_ppm = 0;  // two_pools: share of each pool's blocks for hot LBAs
  std::uint32_t hot_lbas_ppm = 0;   // two_pools: share of the LBAs, the first, that are hot

  GcPolicy gc_policy = GcPolicy::greedy;
  std::uint32_t gc_choices = 10;         // blocks that d-choices draws, at least 1
  std::uint32_t gc_window_ppm = 50'000;  // share of the closed blocks that windowed greedy sees
  GcPacing gc_pacing = GcPacing::paced;
  // The low watermark: free blocks that every pool keeps for garbage collection, at least 1, and
  // one more for a second frontier. They never hold data, so they do not count in T (see spare
  // factor in ARCHITECTURE.md).
  std::uint32_t reserved_blocks_per_pool = 1;
  // The high watermark: so many free blocks above those are aimed for by collections that are not
  // paced.
  std::uint32_t gc_high_watermark = 0;

  WearLeveling wear_leveling = WearLeveling::none;
  std::uint32_t wear_threshold = 100;  // static: so many more erases than the block closed first
  // Erases after which a block is taken out of service; 0: never.
  std::uint32_t endurance_cycles = 0;

  // Share of every die's blocks that the firmware keeps for itself, in parts per million. They
  // replace blocks that are taken out of service.
  std::uint32_t firmware_area_ppm = 0;

  bool operator==(const Config&) const = default;
};

}  // namespace x25sim::ftl
