// A device whose service is known beforehand, and a host with a job before it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sim/backend/replay_log.hpp"
#include "sim/backend/runner.hpp"
#include "sim/drive/device.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::test {

// Serves any number of requests at a time, each for a time of its own, or, where `single` is set,
// one after another.
class ServiceDevice final : public drive::Device, public kernel::Actor {
 public:
  using Service = std::function<Duration(const workload::Request&)>;
  struct Command {
    Time arrival{};
    workload::Request request;
  };

  ServiceDevice(kernel::Kernel& kernel, drive::CompletionListener& host, Service service,
                bool single)
      : kernel_(kernel),
        host_(host),
        service_(std::move(service)),
        single_(single),
        leaf_(kernel.add_resources(*this, 1)) {}

  Bytes capacity() const override { return Bytes{std::uint64_t{1} << 40}; }
  Bytes max_request(workload::Operation) const override { return Bytes{1 << 20}; }
  bool idle() const override { return under_way_.empty(); }

  void submit(std::uint64_t id, const workload::Request& request) override {
    commands.push_back({kernel_.now(), request});
    const bool waits = single_ && !under_way_.empty();
    const Time start = waits ? under_way_.back().first : kernel_.now();
    const Time end = start + service_(request);
    auto place = under_way_.end();
    while (place != under_way_.begin() && std::prev(place)->first > end) --place;
    under_way_.insert(place, {end, id});
    kernel_.schedule(leaf_, under_way_.front().first);
  }

  void on_event(std::uint32_t) override {
    const std::uint64_t id = under_way_.front().second;
    under_way_.pop_front();
    if (!under_way_.empty()) kernel_.schedule(leaf_, under_way_.front().first);
    host_.on_complete(id);
  }

  std::vector<Command> commands;  // all that arrived

 private:
  kernel::Kernel& kernel_;
  drive::CompletionListener& host_;
  Service service_;
  bool single_;
  std::uint32_t leaf_;
  std::deque<std::pair<Time, std::uint64_t>> under_way_;  // by the time of completion
};

struct PacedRun {
  std::vector<measure::JobStatistics> jobs;
  std::vector<ServiceDevice::Command> commands;
  Time end{};

  std::uint64_t requests(std::size_t direction, std::size_t job = 0) const {
    return jobs[job].direction[direction].requests;
  }
};

// Runs jobs side by side before a device, without a delay in the host.
inline PacedRun run_paced(const std::vector<workload::Job>& jobs, ServiceDevice::Service service,
                          bool single = false, backend::JobObserver* observer = nullptr,
                          std::uint64_t seed = 1) {
  kernel::Kernel kernel;
  backend::Runner runner(kernel, Duration{});
  ServiceDevice device(kernel, runner, std::move(service), single);
  runner.attach(device);
  std::vector<std::unique_ptr<backend::RequestSource>> sources;
  for (const workload::Job& job : jobs) {
    if (job.replay.path.empty()) {
      sources.push_back(std::make_unique<backend::JobSource>(job, seed));
    } else {
      sources.push_back(std::make_unique<backend::ReplayLog>(job, device.capacity()));
    }
  }
  std::vector<backend::Stream> streams;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    streams.push_back({.source = sources[i].get(),
                       .queue_depth = jobs[i].iodepth,
                       .runtime = jobs[i].runtime,
                       .ramp_time = jobs[i].ramp_time,
                       .job = &jobs[i],
                       .seed = seed,
                       .observer = observer});
  }
  PacedRun run;
  run.jobs = runner.run(streams);
  run.commands = device.commands;
  run.end = kernel.now();
  return run;
}

inline ServiceDevice::Service always(Duration time) {
  return [time](const workload::Request&) { return time; };
}

// A random job of 4 KiB requests in a region of 4 GiB.
inline workload::Job paced_job(workload::Direction direction, std::uint32_t iodepth = 1) {
  workload::Job job;
  job.name = "job";
  job.direction = direction;
  job.random = true;
  job.no_random_map = true;
  job.size = job.io_size = Bytes{std::uint64_t{4} << 30};
  job.iodepth = iodepth;
  return job;
}

inline workload::Job timed_job(workload::Direction direction, Duration runtime,
                               std::uint32_t iodepth = 1) {
  workload::Job job = paced_job(direction, iodepth);
  job.time_based = true;
  job.runtime = runtime;
  return job;
}

}  // namespace x25sim::test
