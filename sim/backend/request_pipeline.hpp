// Requests without the clock: one after another on a drive that is idle.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/backend/source.hpp"
#include "sim/drive/ssd.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::backend {

// Applies requests a few at a time, so that what each needs is in the cache when its turn comes.
class RequestPipeline {
 public:
  explicit RequestPipeline(drive::Ssd& drive) : drive_(drive) {}

  // In as many commands as the timed drive would need.
  void push(const workload::Request& request) {
    const Bytes most = drive_.max_request(request.operation);
    for (Bytes done; done < request.length; done += most) {
      push_command(
          {request.operation, request.offset + done, std::min(most, request.length - done)});
    }
  }

  void flush() {
    const std::uint64_t first = count_ > depth ? count_ - depth : 0;
    for (std::uint64_t i = first; i < count_; ++i) drive_.apply(requests_[i % depth]);
    count_ = 0;
  }

 private:
  void push_command(const workload::Request& request) {
    workload::Request& slot = requests_[count_ % depth];
    if (count_ >= depth) drive_.apply(slot);
    slot = request;
    drive_.prefetch(request);
    if (count_ >= depth / 2) drive_.prefetch_overwrite(requests_[(count_ - depth / 2) % depth]);
    ++count_;
  }

  static constexpr std::uint64_t depth = 32;
  drive::Ssd& drive_;
  std::array<workload::Request, depth> requests_{};
  std::uint64_t count_ = 0;
};

// Throws InputError for a job with options that mean nothing without the clock.
void check_without_clock(const std::vector<workload::Job>& jobs);

// Pushes the requests of `jobs`, group after group; the jobs of a group take turns, request by
// request. `go_on` is called with each request behind it; false if it returned false, which stops.
template <typename GoOn>
bool push_jobs(RequestPipeline& pipeline, const std::vector<workload::Job>& jobs,
               std::uint64_t seed, const GoOn& go_on) {
  for (auto group = jobs.begin(); group != jobs.end();) {
    const auto end = std::find_if(
        group, jobs.end(), [group](const workload::Job& job) { return job.group != group->group; });
    std::vector<JobSource> sources;
    for (auto job = group; job != end; ++job) sources.emplace_back(*job, seed);
    for (bool any = true; any;) {
      any = false;
      for (JobSource& source : sources) {
        const auto next = source.next();
        if (!next) continue;
        any = true;
        pipeline.push(next->request);
        if (!go_on(next->request)) return false;
      }
    }
    group = end;
  }
  return true;
}

}  // namespace x25sim::backend
