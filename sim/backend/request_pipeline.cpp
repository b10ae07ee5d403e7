#include "sim/backend/request_pipeline.hpp"

#include "nand/errors.hpp"

namespace x25sim::backend {

void check_without_clock(const std::vector<workload::Job>& jobs) {
  for (const workload::Job& job : jobs) {
    if (!job.replay.path.empty()) {
      throw InputError(job.replay.where, "job '" + job.name +
                                             "' is performed without the clock: expected requests "
                                             "of its own, found read_iolog");
    }
    if (!job.time_based && !job.runtime && job.ramp_time == Duration{}) continue;
    throw InputError(job.where,
                     "job '" + job.name +
                         "' is performed without the clock: expected an amount of data, found "
                         "time_based, runtime or ramp_time");
  }
}

}  // namespace x25sim::backend
