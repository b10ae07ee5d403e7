// What is configurable in the flash translation layer.
#pragma once

#include <array>
#include <cstdint>

namespace x25sim::ftl {

// A dimension of the array that consecutive pages are striped over.
enum class StripeDimension : std::uint8_t { channel, die, plane };

// The unit that owns free blocks, one write frontier and a garbage collector.
enum class PoolUnit : std::uint8_t { die, plane };

// When the valid pages of a victim are copied: all at once when a new block is opened, or spread
// over the host writes that fill that block.
enum class GcPacing : std::uint8_t { blocking, paced };

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

struct Config {
  // The dimension that varies fastest comes first. With pools of whole dies, planes are not striped
  // over: `plane` is then the last dimension and has one value.
  std::array<StripeDimension, 3> stripe_order{StripeDimension::channel, StripeDimension::die,
                                              StripeDimension::plane};
  PoolUnit pool = PoolUnit::die;
  GcPolicy gc_policy = GcPolicy::greedy;
  std::uint32_t gc_choices = 10;         // blocks that d-choices draws, at least 1
  std::uint32_t gc_window_ppm = 50'000;  // share of the closed blocks that windowed greedy sees
  GcPacing gc_pacing = GcPacing::paced;
  // Free blocks that every pool keeps for garbage collection, at least 1. They never hold data, so
  // they do not count in T (see spare factor in ARCHITECTURE.md).
  std::uint32_t reserved_blocks_per_pool = 1;
  // Share of every die's blocks that the firmware keeps for itself, in parts per million.
  std::uint32_t firmware_area_ppm = 0;

  bool operator==(const Config&) const = default;
};

}  // namespace x25sim::ftl
