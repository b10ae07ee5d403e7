// What a drive counts, and the state that it reports beside the counts.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ftl/counters.hpp"
#include "nand/units.hpp"
#include "sim/drive/steady_history.hpp"
#include "sim/measure/histogram.hpp"

namespace x25sim::drive {

// Monotone counts since the drive was made; a measurement is the difference of two of them.
struct Counters {
  Bytes host_read, host_write, host_trim;
  std::uint64_t commands = 0;
  std::uint64_t unmapped_read_pages = 0;   // answered from the map, without flash
  std::uint64_t buffer_read_pages = 0;     // answered from the write buffer
  std::uint64_t read_ahead_hit_pages = 0;  // found in, or on their way to, the read-ahead buffer
  std::uint64_t read_ahead_pages = 0;      // read in advance
  std::uint64_t buffer_merged_pages = 0;   // overwritten in the write buffer before they left it
  ftl::Counters ftl;                       // page operations by cause, erases, GC
  std::uint64_t two_plane_reads = 0;       // array operations that read two pages
  // Time that resources were in use. Program slots: summed over the slots; channels: over channels.
  // Back stage: a run that ended because no other page was waiting counts by its share of the
  // longest run, as it would have taken more pages in the same time.
  // Dies: with an operation or with data in their registers. Buffer: host data wait for room in it.
  Duration program_slot_busy{}, channel_busy{}, link_busy{}, front_busy{}, back_busy{};
  Duration die_busy{}, buffer_full{};

  std::uint64_t flash_operations() const;
  Counters operator-(const Counters& earlier) const;
};

// Fractions of the measured time, 0 to 1: averages over slots and channels.
struct BusyFractions {
  double program_slots = 0;
  double channels = 0;
  double link = 0;
  double firmware_front = 0;
  double firmware_back = 0;
  double dies = 0;
  double write_buffer = 0;

  double firmware() const {
    return firmware_front > firmware_back ? firmware_front : firmware_back;
  }
};

// The resource that is nearest to its limit, if one is in use for at least this share of the time;
// otherwise the run is bound by what the host keeps in flight.
inline constexpr double bound_threshold = 0.9;

enum class Bound : std::uint8_t {
  program_slots,
  channels,
  link,
  firmware,
  dies,
  write_buffer,
  queue_depth,
  arrivals
};
std::string_view name(Bound bound);

// What bounds a run with these fractions. Of slots, channels, link and firmware the busiest, if it
// reaches the threshold; else the dies, whose time includes all that they wait for on the way; else
// the write buffer, which is full for whatever reason lies behind it; else what the host offers:
// its queue depth, or the arrivals where requests come at recorded times.
Bound bound_by(const BusyFractions& busy, bool recorded_times = false);

// One drive's part of a result.
struct DriveReport {
  std::string name;
  Counters counters;  // of the measured time
  BusyFractions busy;
  Bound bound = Bound::queue_depth;
  Duration measured{};
  ftl::WearSummary wear;
  ftl::SpaceSummary space;
  SteadyState steady;
  // How long garbage collection held up the host's programs on a die, each time it did.
  measure::LatencyHistogram gc_pauses;
};

}  // namespace x25sim::drive
