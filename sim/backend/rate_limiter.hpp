// fio's rate options: when the next request of a direction is due, and whether a job is too slow.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "nand/random.hpp"
#include "nand/units.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::backend {

// The schedule that `rate` and `rate_iops` make for the directions of a job. It is one of absolute
// times, as fio's: who is late catches up.
//
// Linear: after n requests the next one is due n / rate_iops after the beginning, and after b bytes
// b / rate. Poisson: gaps between requests are independent and exponential, their mean is the
// inverse of rate_iops, or the shortest block over rate. Where a direction has both rates, the one
// in bytes counts, as in fio. rate_iops counts requests whatever their length, where fio counts
// bytes over the shortest block.
class RateLimiter {
 public:
  // `seed`: of the run. Random arrivals have a stream for each job and direction.
  RateLimiter(const workload::Job& job, std::uint64_t seed);

  // Whether the job limits any direction.
  static bool is_limited(const workload::Job& job);

  // Begins again, with every direction due now.
  void restart(Time now);

  // When the next request of a direction may be issued; a direction without a rate always may.
  Time due(workload::Operation direction) const { return of(direction).due; }

  // A request of `length` was issued.
  void count(workload::Operation direction, Bytes length);

  // rate_ignore_thinktime: what would have been issued in `time` of thinking after a request of
  // `direction` is not caught up with. The next request is due at once, as in fio.
  void forgive(workload::Operation direction, Duration time);

 private:
  struct Direction {
    std::uint64_t bytes_per_s = 0;
    std::uint64_t requests_per_s = 0;
    Duration usual_gap{};  // between requests of the shortest length
    Time begin{};          // of the schedule
    std::uint64_t bytes = 0, requests = 0;
    Time due{};
    Random random{0};
  };

  Direction& of(workload::Operation operation) {
    return directions_[static_cast<std::size_t>(operation)];
  }
  const Direction& of(workload::Operation operation) const {
    return directions_[static_cast<std::size_t>(operation)];
  }

  std::array<Direction, 3> directions_;
  bool poisson_;
};

// What a job has completed of each direction: read, write, trim.
struct CompletedAmounts {
  std::array<std::uint64_t, 3> requests{};
  std::array<Bytes, 3> bytes{};

  std::uint64_t total_requests() const { return requests[0] + requests[1] + requests[2]; }
};

// fio's rate_min and rate_iops_min: from two seconds after the beginning on, the mean over each
// rate_cycle must not be less.
class MinimumRates {
 public:
  explicit MinimumRates(const workload::Job& job) : rate_(job.rate) {}

  static bool are_set(const workload::Job& job);

  // Begins again, with nothing completed.
  void restart(Time now);

  // To be called with each request: what is too slow, as "rate_min=1000B/s not met, got 10B/s".
  std::optional<std::string> missed(Time now, const CompletedAmounts& completed);

 private:
  struct Direction {
    Time last_check{};
    Bytes bytes;
    std::uint64_t requests = 0;
  };

  std::optional<std::string> missed(std::size_t direction, Time now,
                                    const CompletedAmounts& completed);

  workload::Rate rate_;
  Time begin_{};
  std::array<Direction, 3> directions_{};
};

}  // namespace x25sim::backend
