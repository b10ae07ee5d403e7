// Who wants to see the requests of a job one by one, as for a log.
#pragma once

#include "nand/units.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::backend {

// A request of a job that is complete.
struct CompletedRequest {
  workload::Request request;
  Time issued{};     // when the job decided to issue it
  Time submitted{};  // when it arrived at the device
  Time completed{};  // when the job took notice of its completion
};

// Is told of everything that a job does, in the order of time. An observer must not change the
// simulation.
class JobObserver {
 public:
  virtual ~JobObserver() = default;
  // The job starts, after its start_delay; what it does counts from `measurement` on.
  virtual void on_start(Time now, Time measurement) = 0;
  // The job issues a request of any kind.
  virtual void on_issue(Time now, const workload::Request& request) = 0;
  // A request that was issued at `issued` arrives at the device. Flushes are not reported.
  virtual void on_submit(Time now, Time issued, const workload::Request& request) = 0;
  // A request has been counted in the job's statistics. Flushes are not reported.
  virtual void on_complete(const CompletedRequest& completed) = 0;
  // Everything is complete.
  virtual void on_end(Time now) = 0;
};

}  // namespace x25sim::backend
