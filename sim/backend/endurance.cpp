#include "sim/backend/endurance.hpp"

#include <algorithm>

#include "nand/check.hpp"
#include "nand/errors.hpp"
#include "nand/random.hpp"
#include "sim/backend/request_pipeline.hpp"

namespace x25sim::backend {

namespace {

constexpr Bytes data_between_progress{1u << 30};
constexpr Bytes request_cost{4096};  // counts as data, so that many short requests do not hide

double share_worn(const drive::Ssd& drive) {
  const double cycles = drive.config().ftl.endurance_cycles;
  return std::min(1.0, drive.ftl().wear().max / cycles);
}

}  // namespace

void check_endurance_jobs(const std::vector<workload::Job>& jobs) {
  check_without_clock(jobs);
  if (std::any_of(jobs.begin(), jobs.end(), workload::writes)) return;
  throw InputError(
      jobs.front().where,
      "expected a job that writes (rw=write, randwrite, rw or randrw), found none: the "
      "drive would never wear out");
}

std::uint64_t wear_out(drive::Ssd& drive, const std::vector<workload::Job>& jobs,
                       std::uint64_t seed, const std::function<bool(double)>& progress) {
  X25_CHECK(drive.config().ftl.endurance_cycles > 0);
  RequestPipeline pipeline(drive);
  Bytes data;  // since the last progress
  const auto go_on = [&](const workload::Request& request) {
    if (drive.ftl().worn_out()) return false;
    data += request.length + request_cost;
    if (data < data_between_progress) return true;
    data = {};
    return progress(share_worn(drive));
  };
  std::uint64_t passes = 0;
  while (push_jobs(pipeline, jobs, random_stream(seed, "endurance.pass", passes)(), go_on)) {
    ++passes;
  }
  return passes;
}

}  // namespace x25sim::backend
