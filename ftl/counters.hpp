// What the FTL counts, and the sums over its state that reports need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace x25sim::ftl {

// Why a page was read or programmed. `rmw`: a host write covered a page in part, so that the rest
// was added from flash, from the write buffer, or as zeros.
enum class Cause : std::uint8_t { host, gc, wear, metadata, rmw };

inline constexpr std::size_t cause_count = 5;

constexpr std::string_view name(Cause cause) {
  switch (cause) {
    case Cause::host: return "host";
    case Cause::gc: return "gc";
    case Cause::wear: return "wear";
    case Cause::metadata: return "metadata";
    case Cause::rmw: return "rmw";
  }
  return "";
}

struct Counters {
  std::array<std::uint64_t, cause_count> programs{};
  std::array<std::uint64_t, cause_count> reads{};
  std::uint64_t erases = 0;
  std::uint64_t gc_runs = 0;         // victims cleaned
  std::uint64_t wear_runs = 0;       // blocks whose data were moved to level wear
  std::uint64_t retired_blocks = 0;  // worn out and replaced
  std::uint64_t trimmed_pages = 0;   // pages that held data until they were trimmed

  std::uint64_t programs_of(Cause cause) const { return programs[static_cast<std::size_t>(cause)]; }
  std::uint64_t reads_of(Cause cause) const { return reads[static_cast<std::size_t>(cause)]; }
  std::uint64_t program_total() const;
  std::uint64_t read_total() const;
  // Pages that the host wrote, fully or in part.
  std::uint64_t host_pages() const { return programs_of(Cause::host) + programs_of(Cause::rmw); }
  // (host + rmw + gc) / (host + rmw): the write amplification that theory speaks of. Requires:
  // host_pages() > 0.
  double write_amplification_gc() const;

  Counters operator-(const Counters& earlier) const;
  bool operator==(const Counters&) const = default;
};

// Erase counts of the blocks that hold or have held data, worn out or not.
struct WearSummary {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  double mean = 0;
  double stddev = 0;         // over all blocks, population
  std::uint64_t blocks = 0;  // or superblocks, whose blocks are erased together

  // max / mean, what Intel calls the wear-levelling factor. Requires: some block has been erased.
  double factor() const;
};

struct SpaceSummary {
  std::uint64_t raw_pages = 0;
  std::uint64_t gc_pages = 0;     // T: pages that take part in garbage collection
  std::uint64_t user_pages = 0;   // pages of the user capacity
  std::uint64_t valid_pages = 0;  // U: pages that hold data
  std::uint64_t free_blocks = 0;  // erased and not open

  // (T - U) / T with all LBAs written (nominal) and with the pages that hold data (effective).
  double spare_factor() const;
  double spare_factor_effective() const;
  // (T - U) / U, likewise. Requires of the effective one: some pages hold data.
  double over_provisioning() const;
  double over_provisioning_effective() const;
};

}  // namespace x25sim::ftl
