// What is measured of the requests of one job.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

  // Counts a request completed `elapsed` >= 0 after the start of measurement, not before the last.
  void add(Duration elapsed, Bytes bytes);

  struct Samples {
    std::vector<Sample> active;  // of the intervals with requests, in their order
    std::uint64_t idle = 0;      // number of intervals without
  };
  // The intervals that ended until `measured`: the last one, where it is partial, is left out.
  Samples complete_samples(Duration measured) const;

 private:
  struct Interval {
    std::uint64_t number = 0;
    Sample sample;
  };

  std::vector<Interval> intervals_;  // with requests, so that memory does not grow with idle time
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

// fio's levels of how many requests are submitted, or noticed complete, at once: 0, up to 4, 8, 16,
// 32 and 64, and more.
inline constexpr std::size_t batch_levels = 7;

// Index of the level of `requests`.
std::size_t batch_level(std::uint64_t requests);

// Why a job ended in error, in fio's terms.
struct JobFailure {
  int error = 0;         // as errno
  std::string function;  // where fio finds it, as "check_min_rate"
  std::string message;   // what was expected and found
};

// How a job went, measured or not.
struct JobOutcome {
  std::uint64_t generated = 0;  // requests that it issued, flushes included
  std::uint64_t completed = 0;
  std::uint32_t latency_depth = 0;  // in the end; 0: as many as came
  std::optional<JobFailure> failure;
};

struct JobStatistics {
  std::array<DirectionStatistics, 3> direction;  // read, write, trim
  LatencyHistogram flush;                        // of flush commands
  std::array<std::uint64_t, depth_levels.size()> depth{};
  std::array<std::uint64_t, batch_levels> submit{}, complete{};
  // From the start of measurement (after ramp time) to the last completion.
  Duration runtime{};
  JobOutcome outcome;
};

}  // namespace x25sim::measure
