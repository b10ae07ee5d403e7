#include "sim/backend/request_pipeline.hpp"

#include <string>

#include "nand/errors.hpp"
#include "sim/backend/rate_limiter.hpp"

namespace x25sim::backend {

namespace {

// The job's first option that means nothing without the clock; empty: it has none.
std::string timed_option(const workload::Job& job) {
  if (job.time_based) return "time_based";
  if (job.runtime) return "runtime";
  if (job.ramp_time > Duration{}) return "ramp_time";
  if (job.start_delay > Duration{}) return "start_delay";
  if (RateLimiter::is_limited(job) || MinimumRates::are_set(job)) return "a rate";
  if (job.think_time.time > Duration{}) return "thinktime";
  if (job.latency_target.target > Duration{}) return "latency_target";
  return job.logs.any() ? "a log" : "";
}

}  // namespace

void check_without_clock(const std::vector<workload::Job>& jobs) {
  for (const workload::Job& job : jobs) {
    if (!job.replay.path.empty()) {
      throw InputError(job.replay.where, "job '" + job.name +
                                             "' is performed without the clock: expected requests "
                                             "of its own, found read_iolog");
    }
    const std::string found = timed_option(job);
    if (found.empty()) continue;
    throw InputError(job.where, "job '" + job.name +
                                    "' is performed without the clock: expected an amount of data, "
                                    "found " +
                                    found);
  }
}

}  // namespace x25sim::backend
