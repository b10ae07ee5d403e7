// What is measured of the requests of one job.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nand/units.hpp"
#include "sim/measure/histogram.hpp"

namespace x25sim::measure {

// Sums over consecutive intervals of simulated time, for the minimum, maximum and deviation of
// bandwidth and rate over time.
class IntervalSeries {
 public:
  // fio averages bandwidth and IOPS over 500 ms (its bwavgtime and iopsavgtime defaults).
  static constexpr Duration interval = std::chrono::milliseconds{500};

  struct Sample {
    std::uint64_t requests = 0;
    Bytes bytes;
  };

  // Counts a request completed `elapsed` >= 0 after the start of measurement.
  void add(Duration elapsed, Bytes bytes);

  // The intervals that ended until `measured`, those without requests included: the last one, where
  // it is partial, is left out.
  std::vector<Sample> complete_samples(Duration measured) const;

 private:
  std::vector<Sample> samples_;
};

// Requests of one direction of a job.
struct DirectionStatistics {
  std::uint64_t requests = 0;
  Bytes bytes;
  LatencyHistogram submission;  // slat: from the decision to issue to the arrival at the link
  LatencyHistogram completion;  // clat: from there to completion
  LatencyHistogram total;       // lat: both
  IntervalSeries series;
};

// fio's depth levels: 1, 2, 4, 8, 16, 32 and 64 or more; a request counts at the largest level that
// does not exceed the number of its job's requests in flight, itself included, when it is issued.
inline constexpr std::array<std::uint32_t, 7> depth_levels{1, 2, 4, 8, 16, 32, 64};

// Index in depth_levels of `in_flight` requests. Requires: in_flight >= 1.
std::size_t depth_level(std::uint32_t in_flight);

struct JobStatistics {
  std::array<DirectionStatistics, 3> direction;  // read, write, trim
  LatencyHistogram flush;                        // of flush commands
  std::array<std::uint64_t, depth_levels.size()> depth{};
  // From the start of measurement (after ramp time) to the last completion.
  Duration runtime{};
};

}  // namespace x25sim::measure
