// A drive, a host and the clock: everything that one simulated run needs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/backend/endurance.hpp"
#include "sim/backend/job_observer.hpp"
#include "sim/backend/prepare.hpp"
#include "sim/backend/result.hpp"
#include "sim/backend/runner.hpp"
#include "sim/backend/source.hpp"
#include "sim/drive/ssd.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::backend {

// How far a run is.
struct Progress {
  const char* phase = "";  // "preparing", "running" or "wearing out"
  double done = 0;         // 0 to 1; 0 where the end is not known
  Duration simulated{};
  std::uint64_t flash_operations = 0;
};

class Simulation {
 public:
  // `config` is consistent (config::load_drive sees to that). `seed`: of the firmware's random
  // choices.
  explicit Simulation(const drive::DriveConfig& config, std::uint64_t seed = 1);

  drive::Ssd& drive() { return drive_; }
  void set_observer(drive::SpanObserver* observer);
  // Names who looks at the requests of a job; none: nobody does.
  void observe_jobs(std::function<JobObserver*(const workload::Job&)> observer) {
    job_observer_ = std::move(observer);
  }
  // Is called a few times a second of wall-clock time at most, and often enough for a terminal.
  void on_progress(std::function<void(const Progress&)> callback);
  // Ends the run early when `stop` becomes true; what was measured so far is still returned.
  void stop_on(const std::atomic<bool>& stop);

  // Brings the drive into a state, see prepare(). Returns what the user should know of it.
  std::vector<std::string> prepare(const std::vector<Preparation>& preparations,
                                   std::uint64_t seed);

  // Takes the state of a file that save() has written, in place of a first preparation; writes the
  // state that the drive is in. Nothing may have run yet. See load_state() and save_state().
  void load(const std::string& path);
  void save(const std::string& path);

  // Runs jobs, group after group. The drive's counts cover the time from the first start of a
  // measurement to the end, when all buffered writes have been programmed; its busy fractions that
  // up to the last completion. Throws InputError for a job that would go on beyond the clock's
  // reach.
  RunResult run(const std::vector<workload::Job>& jobs, std::uint64_t seed);

  // Replays a recorded trace: at its recorded times, or with `queue_depth` requests in flight.
  // Throws InputError for damaged records. The result has one job, named `name`.
  RunResult replay(TraceSource& source, std::optional<std::uint32_t> queue_depth,
                   const std::string& name);

  // Runs jobs without the clock, pass after pass, until the drive has worn out, see wear_out().
  // Throws InputError for jobs that do not lead there, and for a drive that its preparation has
  // worn out. Requires: the drive's endurance is limited (ftl::Config::endurance_cycles).
  EnduranceResult wear_out(const std::vector<workload::Job>& jobs, std::uint64_t seed);

 private:
  struct Mark {
    Time time{};
    drive::Counters counters;
  };

  Mark mark() const { return {kernel_.now(), drive_.counters()}; }
  void begin();
  void finish(RunResult& result);
  drive::DriveReport report(const Mark& begin, const Mark& last, const Mark& end) const;
  void report_progress(const char* phase, double done);
  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  kernel::Kernel kernel_;
  Runner runner_;
  drive::Ssd drive_;
  std::function<void(const Progress&)> progress_;
  std::function<JobObserver*(const workload::Job&)> job_observer_;
  const std::atomic<bool>* stop_ = nullptr;
  std::chrono::steady_clock::time_point created_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point last_progress_ = created_;
  double share_done_ = 0;     // of the jobs, those of earlier groups
  double share_running_ = 1;  // those of the present group
  drive::DriveReport prepared_;
  std::vector<drive::DriveReport> preparation_steps_;
  bool recorded_times_ = false;
  Time begin_time_{};
  std::uint64_t begin_operations_ = 0;
  std::optional<Mark> measured_;  // when the measurement began
};

}  // namespace x25sim::backend
