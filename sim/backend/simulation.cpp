#include "sim/backend/simulation.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "nand/check.hpp"
#include "nand/errors.hpp"
#include "sim/backend/replay_log.hpp"
#include "sim/backend/saved_state.hpp"

namespace x25sim::backend {

namespace {

constexpr std::chrono::milliseconds progress_interval{200};

std::string unsettled_notice() {
  return "--prepare steady: the drive's write amplification has not settled within " +
         std::to_string(steady_drive_writes_max) +
         " drive writes of overwrites; going on with the drive as it is";
}

double wall_seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

// The clock's reach is far beyond what anyone waits for, but a typing error must not hit it.
// Requires that the groups, one after another, end within the clock's reach as far as their times
// say.
void check_times(const std::vector<workload::Job>& jobs) {
  Duration left = longest_run;
  Duration group_time{};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const workload::Job& job = jobs[i];
    if (i > 0 && job.group != jobs[i - 1].group) {
      left -= group_time;
      group_time = {};
    }
    const Duration measured = job.time_based ? job.runtime.value_or(Duration{}) : Duration{};
    if (job.start_delay > left || job.ramp_time > left - job.start_delay ||
        measured > left - job.start_delay - job.ramp_time) {
      throw InputError(job.where, "job '" + job.name +
                                      "': expected start_delay, ramp_time and runtime of at most "
                                      "100 days over all groups together, found more");
    }
    group_time = std::max(group_time, job.start_delay + job.ramp_time + measured);
  }
}

// Requests that the job will make, about; 0 where only time ends it.
std::uint64_t expected_requests(const workload::Job& job) {
  if (job.time_based || !job.replay.path.empty()) return 0;
  const Bytes block = std::ranges::max(job.sizes, {}, &workload::BlockSizes::max).max;
  const std::uint64_t in_loop =
      std::min(job.io_size / block, job.number_ios.value_or(~std::uint64_t{0}));
  return in_loop * job.loops;
}

// Every record of a replay went one way, and whatever was issued has been completed.
void check_complete(const trace::ReplaySummary& summary, std::uint64_t requests,
                    const measure::JobStatistics& statistics) {
  const trace::Counts& counts = summary.counts;
  X25_CHECK(counts.issued + counts.merged + counts.refused + counts.skipped == counts.records);
  std::uint64_t completed = statistics.flush.count();
  for (const measure::DirectionStatistics& direction : statistics.direction) {
    completed += direction.requests;
  }
  X25_CHECK(completed == requests, std::to_string(completed) + " of " + std::to_string(requests) +
                                       " requests of the trace completed");
}

double share(Duration busy, Duration time, std::uint64_t resources) {
  const double available = static_cast<double>(time.count()) * static_cast<double>(resources);
  return available > 0 ? static_cast<double>(busy.count()) / available : 0;
}

}  // namespace

Simulation::Simulation(const drive::DriveConfig& config, std::uint64_t seed)
    : runner_(kernel_, config.host.command_overhead), drive_(config, kernel_, runner_, seed) {
  runner_.attach(drive_);
  runner_.on_measurement([this] {
    if (measured_) return;
    measured_ = mark();
    drive_.clear_gc_pauses();
  });
  runner_.on_progress(
      [this] { report_progress("running", share_done_ + share_running_ * runner_.progress()); });
}

void Simulation::set_observer(drive::SpanObserver* observer) {
  drive_.set_observer(observer);
  runner_.set_observer(observer);
}

void Simulation::on_progress(std::function<void(const Progress&)> callback) {
  progress_ = std::move(callback);
}

void Simulation::stop_on(const std::atomic<bool>& stop) {
  stop_ = &stop;
  runner_.stop_on(stop);
}

void Simulation::report_progress(const char* phase, double done) {
  if (!progress_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_progress_ < progress_interval) return;
  last_progress_ = now;
  progress_({phase, done, kernel_.now() - begin_time_,
             drive_.counters().flash_operations() - begin_operations_});
}

std::vector<std::string> Simulation::prepare(const std::vector<Preparation>& preparations,
                                             std::uint64_t seed) {
  X25_CHECK(drive_.idle());
  std::vector<std::string> notices;
  for (const Preparation& preparation : preparations) {
    if (stopped()) break;
    const Mark before = mark();
    backend::prepare(drive_, preparation, preparation_steps_.size(), seed, [this](double done) {
      report_progress("preparing", done);
      return !stopped();
    });
    preparation_steps_.push_back(report(before, before, mark()));
    drive::DriveReport& step = preparation_steps_.back();
    step.name = preparation.name;
    const bool to_settle = preparation.kind == Preparation::Kind::steady;
    if (to_settle && !step.steady.reached() && !stopped()) notices.push_back(unsettled_notice());
  }
  return notices;
}

void Simulation::load(const std::string& path) {
  X25_CHECK(preparation_steps_.empty());
  preparation_steps_ = load_state(path, drive_);
}

void Simulation::save(const std::string& path) { save_state(path, drive_, preparation_steps_); }

void Simulation::begin() {
  const Mark now = mark();
  prepared_ = report({}, {}, now);
  begin_time_ = now.time;
  begin_operations_ = now.counters.flash_operations();
  started_ = std::chrono::steady_clock::now();
  measured_.reset();
}

RunResult Simulation::run(const std::vector<workload::Job>& jobs, std::uint64_t seed) {
  check_times(jobs);
  recorded_times_ = std::ranges::any_of(jobs, [](const workload::Job& job) {
    return !job.replay.path.empty() && !job.replay.no_stall;
  });
  begin();
  RunResult result;
  for (auto group = jobs.begin(); group != jobs.end() && !stopped();) {
    const auto end = std::find_if(
        group, jobs.end(), [group](const workload::Job& job) { return job.group != group->group; });
    share_done_ = static_cast<double>(group - jobs.begin()) / static_cast<double>(jobs.size());
    share_running_ = static_cast<double>(end - group) / static_cast<double>(jobs.size());
    std::vector<std::unique_ptr<RequestSource>> sources;
    std::vector<ReplayLog*> logs;  // of the jobs that repeat one
    for (auto job = group; job != end; ++job) {
      if (job->replay.path.empty()) {
        logs.push_back(nullptr);
        sources.push_back(std::make_unique<JobSource>(*job, seed));
      } else {
        auto log = std::make_unique<ReplayLog>(*job, drive_.capacity());
        logs.push_back(log.get());
        sources.push_back(std::move(log));
      }
    }
    std::vector<Stream> streams;
    for (auto job = group; job != end; ++job) {
      streams.push_back({.source = sources[streams.size()].get(),
                         .queue_depth = job->iodepth,
                         .runtime = job->runtime,
                         .ramp_time = job->ramp_time,
                         .expected_requests = expected_requests(*job),
                         .job = &*job,
                         .seed = seed,
                         .observer = job_observer_ ? job_observer_(*job) : nullptr});
    }
    std::vector<measure::JobStatistics> statistics = runner_.run(streams);
    for (auto job = group; job != end; ++job) {
      const auto i = static_cast<std::size_t>(job - group);
      JobResult& done = result.jobs.emplace_back(JobResult{*job, std::move(statistics[i])});
      if (logs[i] != nullptr) done.log = logs[i]->summary();
    }
    group = end;
  }
  finish(result);
  return result;
}

RunResult Simulation::replay(TraceSource& source, std::optional<std::uint32_t> queue_depth,
                             const std::string& name) {
  if (!queue_depth) source.limit_time(longest_run);
  recorded_times_ = !queue_depth;
  begin();
  RunResult result;
  JobResult& job = result.jobs.emplace_back();
  job.job.name = name;
  job.job.iodepth = queue_depth.value_or(0);
  job.statistics = std::move(runner_.run({{&source, queue_depth, {}, {}, 0}}).front());
  result.trace = source.summary();
  finish(result);
  if (!result.interrupted) check_complete(*result.trace, source.requests(), job.statistics);
  return result;
}

EnduranceResult Simulation::wear_out(const std::vector<workload::Job>& jobs, std::uint64_t seed) {
  check_endurance_jobs(jobs);
  const drive::DriveConfig& config = drive_.config();
  const ftl::PageFtl& ftl = drive_.ftl();
  EnduranceResult result;
  result.rated_cycles = config.ftl.endurance_cycles;
  if (ftl.worn_out()) {
    throw InputError({"--prepare", 0},
                     "expected a preparation that the drive outlives, found one that takes more "
                     "than its " +
                         std::to_string(result.rated_cycles) + " cycles (nand.rated_cycles)");
  }
  begin();
  result.prepared_write = prepared_.counters.host_write;
  const auto progress = [this](double done) {
    report_progress("wearing out", done);
    return !stopped();
  };
  if (!stopped()) result.passes = backend::wear_out(drive_, jobs, seed, progress);
  for (const workload::Job& job : jobs) result.jobs.push_back(job.name);
  result.life = report({}, {}, mark());
  result.capacity = config.capacity();
  result.raw = config.geometry.raw_size();
  result.reserve_blocks_left = ftl.replacement_blocks();
  result.reserve_blocks = result.reserve_blocks_left + ftl.counters().retired_blocks;
  result.worn_out = ftl.worn_out();
  result.interrupted = !result.worn_out;
  return result;
}

// Everything has been issued and completed; lets the drive write what it has buffered.
void Simulation::finish(RunResult& result) {
  const Mark last = mark();
  if (!measured_) {
    measured_ = last;
    drive_.clear_gc_pauses();
  }
  runner_.drain();
  const Mark end = mark();
  result.drives.push_back(report(*measured_, last, end));
  result.prepared.push_back(prepared_);
  result.preparation_steps.push_back(preparation_steps_);
  result.simulated = kernel_.now() - begin_time_;
  result.wall_s = wall_seconds(created_);
  result.timed_wall_s = wall_seconds(started_);
  result.flash_operations = end.counters.flash_operations() - begin_operations_;
  result.interrupted = stopped();
}

drive::DriveReport Simulation::report(const Mark& begin, const Mark& last, const Mark& end) const {
  const drive::DriveConfig& config = drive_.config();
  drive::DriveReport report;
  report.name = config.name;
  report.counters = end.counters - begin.counters;
  report.measured = last.time - begin.time;
  const drive::Counters busy = last.counters - begin.counters;
  const nand::Geometry& geometry = config.geometry;
  const std::uint64_t slots = std::min<std::uint64_t>(
      {config.controller.program_slots, geometry.dies(),
       std::uint64_t{geometry.channels} * config.controller.program_slots_per_channel});
  report.busy = {.program_slots = share(busy.program_slot_busy, report.measured, slots),
                 .channels = share(busy.channel_busy, report.measured, geometry.channels),
                 .link = share(busy.link_busy, report.measured, 1),
                 .firmware_front = share(busy.front_busy, report.measured, 1),
                 .firmware_back = share(busy.back_busy, report.measured, 1),
                 .dies = share(busy.die_busy, report.measured, geometry.dies()),
                 .write_buffer = share(busy.buffer_full, report.measured, 1)};
  report.bound = drive::bound_by(report.busy, recorded_times_);
  report.wear = drive_.ftl().wear();
  report.space = drive_.ftl().space();
  report.steady = drive_.steady_state();
  report.gc_pauses = drive_.gc_pauses();
  return report;
}

}  // namespace x25sim::backend
