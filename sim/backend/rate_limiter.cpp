#include "sim/backend/rate_limiter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace x25sim::backend {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t ns_per_s = 1'000'000'000;

// fio lets a job settle before it looks at the minima.
constexpr Duration settling_time = std::chrono::seconds{2};

// The time that `amount` takes at a rate > 0, at most the clock's range.
Duration time_for(std::uint64_t amount, std::uint64_t per_second) {
  constexpr auto longest = static_cast<Wide>(std::numeric_limits<Duration::rep>::max() / 2);
  return Duration{
      static_cast<Duration::rep>(std::min(Wide{amount} * ns_per_s / per_second, longest))};
}

std::uint64_t per_second(std::uint64_t amount, Duration time) {
  return static_cast<std::uint64_t>(Wide{amount} * ns_per_s /
                                    static_cast<std::uint64_t>(time.count()));
}

}  // namespace

RateLimiter::RateLimiter(const workload::Job& job, std::uint64_t seed)
    : poisson_(job.rate.poisson) {
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    Direction& direction = directions_[i];
    direction.bytes_per_s = job.rate.bytes_per_s[i];
    direction.requests_per_s = job.rate.requests_per_s[i];
    if (direction.bytes_per_s > 0) {
      direction.usual_gap = time_for(job.sizes[i].min.count, direction.bytes_per_s);
    } else if (direction.requests_per_s > 0) {
      direction.usual_gap = time_for(1, direction.requests_per_s);
    }
    direction.random = random_stream(seed, "backend.arrivals", 3 * std::uint64_t{job.number} + i);
  }
}

bool RateLimiter::is_limited(const workload::Job& job) {
  const auto limits = [](std::uint64_t rate) { return rate > 0; };
  return std::any_of(job.rate.bytes_per_s.begin(), job.rate.bytes_per_s.end(), limits) ||
         std::any_of(job.rate.requests_per_s.begin(), job.rate.requests_per_s.end(), limits);
}

void RateLimiter::restart(Time now) {
  for (Direction& direction : directions_) {
    direction.begin = direction.due = now;
    direction.bytes = direction.requests = 0;
  }
}

void RateLimiter::count(workload::Operation operation, Bytes length) {
  Direction& direction = of(operation);
  if (direction.bytes_per_s == 0 && direction.requests_per_s == 0) return;
  direction.bytes += length.count;
  ++direction.requests;
  if (poisson_) {
    // In floating point: the gap in whole nanoseconds would cost high rates their mean.
    const double mean_ns = direction.bytes_per_s > 0
                               ? static_cast<double>(direction.usual_gap.count())
                               : 1e9 / static_cast<double>(direction.requests_per_s);
    const double gap_ns = -std::log1p(-direction.random.unit()) * mean_ns;
    direction.due += Duration{std::llround(std::min(gap_ns, 1e18))};
    return;
  }
  direction.due = direction.begin + (direction.bytes_per_s > 0
                                         ? time_for(direction.bytes, direction.bytes_per_s)
                                         : time_for(direction.requests, direction.requests_per_s));
}

void RateLimiter::forgive(workload::Operation operation, Duration time) {
  Direction& direction = of(operation);
  if (poisson_) {
    direction.due += time;
    return;
  }
  direction.begin += time >= direction.usual_gap ? time - direction.usual_gap : time;
}

bool MinimumRates::are_set(const workload::Job& job) {
  const auto is_set = [](std::uint64_t rate) { return rate > 0; };
  return std::any_of(job.rate.min_bytes_per_s.begin(), job.rate.min_bytes_per_s.end(), is_set) ||
         std::any_of(job.rate.min_requests_per_s.begin(), job.rate.min_requests_per_s.end(),
                     is_set);
}

void MinimumRates::restart(Time now) {
  begin_ = now;
  directions_ = {};
}

std::optional<std::string> MinimumRates::missed(Time now, const CompletedAmounts& completed) {
  if (now - begin_ < settling_time) return {};
  for (std::size_t direction = 0; direction < directions_.size(); ++direction) {
    const auto message = missed(direction, now, completed);
    if (message) return message;
  }
  return {};
}

std::optional<std::string> MinimumRates::missed(std::size_t direction, Time now,
                                                const CompletedAmounts& completed) {
  const std::uint64_t least_bytes = rate_.min_bytes_per_s[direction];
  const std::uint64_t least_requests = rate_.min_requests_per_s[direction];
  if (least_bytes == 0 && least_requests == 0) return {};
  // A direction is looked at from its first completion on.
  if (completed.requests[direction] == 0) return {};
  Direction& last = directions_[direction];
  if (last.requests > 0) {
    const Duration time = now - last.last_check;
    if (time < rate_.cycle || time == Duration{}) return {};
    const std::uint64_t bytes = per_second((completed.bytes[direction] - last.bytes).count, time);
    const std::uint64_t requests = per_second(completed.requests[direction] - last.requests, time);
    if (least_bytes > 0 && bytes < least_bytes) {
      return "rate_min=" + std::to_string(least_bytes) + "B/s not met, got " +
             std::to_string(bytes) + "B/s";
    }
    if (least_bytes == 0 && requests < least_requests) {
      return "rate_iops_min=" + std::to_string(least_requests) + " not met, got " +
             std::to_string(requests) + " IOPS";
    }
  }
  last = {now, completed.bytes[direction], completed.requests[direction]};
  return {};
}

}  // namespace x25sim::backend
