// fio's latency_target: the search for the largest depth that keeps latencies low.
#pragma once

#include <cstdint>

#include "nand/units.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::backend {

// The depth begins at 1. Over each window, a share of `percentile` of the latencies must not exceed
// the target. After a window that does well the depth doubles, or goes half the way to the least
// depth that has done badly; after one that does not it goes half the way back to the largest that
// has done well. With a percentile of 100, a single latency above the target ends its window. When
// the depth no longer changes, the job is measured for one more window at it and ends (with
// latency_run it goes on).
class LatencySearch {
 public:
  enum class Verdict : std::uint8_t {
    go_on,
    lowered,    // let all requests complete before going on
    final_run,  // the depth is found: let all complete, and measure from there on
    done,       // the final run is over
    too_slow,   // even a single request at a time exceeds the target
  };

  // `iodepth`: the largest depth to be tried, at least 1.
  LatencySearch(const workload::LatencyTarget& target, std::uint32_t iodepth)
      : target_(target), iodepth_(iodepth) {}

  // Begins the search, at depth 1.
  void begin(Time now);

  // Whether the depth has been found.
  bool is_final() const { return final_; }

  // Requests that may be in flight now.
  std::uint32_t depth() const { return depth_; }

  // A request took `latency`. Returns go_on, lowered or too_slow.
  Verdict add(Duration latency);

  // To be called with each request: judges a window that is over. Returns anything but too_slow,
  // which fio does not conclude from a window.
  Verdict check(Time now);

  // What was to be let complete after `lowered` or `final_run` is complete.
  void begin_window(Time now);

 private:
  void lower();
  Verdict raise(Time now);

  workload::LatencyTarget target_;
  std::uint32_t iodepth_;
  std::uint32_t depth_ = 1;
  std::uint32_t good_ = 1;       // the largest depth that has done well
  std::uint32_t bad_ = 0;        // the least depth that has not, at first iodepth
  std::uint32_t successes_ = 0;  // in a row, right below `bad_`
  bool final_ = false;
  Time window_begin_{};
  std::uint64_t requests_ = 0;  // in this window
  std::uint64_t exceeded_ = 0;  // of them, above the target
};

}  // namespace x25sim::backend
