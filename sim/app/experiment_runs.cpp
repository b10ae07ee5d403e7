#include "sim/app/experiment_runs.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "nand/errors.hpp"
#include "sim/app/interrupt.hpp"
#include "sim/backend/simulation.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/workload/fio_job_file.hpp"

namespace x25sim::app {

namespace {

using config::ExperimentCase;
using report::ExperimentRecord;

// One run to be done: what, on which drive, and where its record goes.
struct Task {
  config::LoadedDrive drive;
  std::vector<backend::Preparation> preparations;
  workload::Job job;
  ExperimentRecord record;
  std::vector<std::string> notices;  // of the run
};

Task make_task_of(const ExperimentCase& experiment_case, std::size_t number,
                  const std::string& drive, const std::vector<std::string>& overrides,
                  std::set<std::string>& notices) {
  Task task{config::load_drive(drive, overrides), {}, {}, {}, {}};
  const Bytes capacity = task.drive.config.capacity();
  for (const std::string& text : experiment_case.preparations) {
    task.preparations.push_back(backend::parse_preparation(text, capacity));
    for (const std::string& notice : task.preparations.back().notices) notices.insert(notice);
  }
  std::istringstream text(experiment_case.job);
  const workload::JobFile file = workload::parse_fio_jobs(text, "job", capacity);
  for (const std::string& notice : file.notices) notices.insert(notice);
  const std::vector<workload::Job>& jobs = file.jobs;
  if (jobs.size() != 1 || jobs[0].direction == workload::Direction::mixed ||
      jobs[0].direction == workload::Direction::trim ||
      jobs[0].direction == workload::Direction::trim_write || !jobs[0].replay.path.empty()) {
    throw InputError(experiment_case.job_where, "expected one job that reads or writes");
  }
  if (jobs[0].logs.any()) {
    throw InputError(experiment_case.job_where, "expected a job without logs, found one that has");
  }
  task.job = jobs[0];
  task.record.case_index = number;
  task.record.drive = drive;
  return task;
}

// The same, with errors that name the place in the experiment's file as well.
Task make_task(const config::Experiment& experiment, std::size_t number, const std::string& drive,
               const std::vector<std::string>& overrides, const SourceLocation& where,
               std::set<std::string>& notices) {
  try {
    return make_task_of(experiment.cases[number], number, drive, overrides, notices);
  } catch (const InputError& error) {
    throw InputError(where, error.what());
  }
}

void perform(Task& task, std::uint64_t seed) {
  backend::Simulation simulation(task.drive.config, seed);
  simulation.stop_on(interrupt_flag());
  for (const std::string& notice : simulation.prepare(task.preparations, seed)) {
    task.notices.push_back(task.record.drive + ": " + notice);
  }
  const backend::RunResult result = simulation.run({task.job}, seed);
  if (result.interrupted) return;
  task.record.measured = true;
  const bool write = task.job.direction == workload::Direction::write;
  const measure::JobStatistics& statistics = result.jobs.at(0).statistics;
  const measure::DirectionStatistics& direction = statistics.direction[write ? 1 : 0];
  const drive::DriveReport& drive = result.drives.at(0);
  const double time = seconds(statistics.runtime);
  ExperimentRecord& record = task.record;
  record.bandwidth = time > 0 ? static_cast<double>(direction.bytes.count) / time : 0;
  record.iops = time > 0 ? static_cast<double>(direction.requests) / time : 0;
  record.device_latency_us = direction.completion.mean_ns() * 1e-3;
  record.busy = drive.busy;
  record.block = task.job.sizes[write ? 1 : 0].max;
  model::Load load{write, task.job.random, record.block, task.job.iodepth, 1, 0};
  const ftl::Counters& ftl = drive.counters.ftl;
  if (write && ftl.host_pages() > 0) {
    record.write_amplification = ftl.write_amplification_gc();
    record.gc_ran = ftl.gc_runs > 0;
    load.write_amplification = *record.write_amplification;
    load.erases_per_program =
        static_cast<double>(ftl.erases) / static_cast<double>(ftl.program_total());
  }
  record.bounds = model::load_bounds(task.drive.config, load);
}

// Performs the tasks on all processors; an exception of one is thrown again here.
void perform_all(std::vector<Task>& tasks, std::uint64_t seed,
                 const std::function<void(std::size_t, std::size_t)>& progress) {
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size() && !interrupt_flag(); i = next++) {
      try {
        perform(tasks[i], seed);
        const std::lock_guard lock(mutex);
        progress(++done, tasks.size());
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = tasks.size();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    const unsigned count = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i) threads.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
}

void add_fitted(std::vector<config::FittedParameter>& fitted, const config::LoadedDrive& drive) {
  for (const config::FittedParameter& parameter : config::fitted_parameters(drive)) {
    const bool known = std::any_of(fitted.begin(), fitted.end(), [&](const auto& other) {
      return other.key == parameter.key && other.row == parameter.row;
    });
    if (!known) fitted.push_back(parameter);
  }
}

}  // namespace

report::ExperimentResult run_experiment(
    const config::Experiment& experiment, std::uint64_t seed,
    const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<Task> tasks;
  std::set<std::string> notices;
  for (std::size_t number = 0; number < experiment.cases.size(); ++number) {
    for (const config::ExperimentRun& run : experiment.cases[number].runs) {
      tasks.push_back(make_task(experiment, number, run.drive, run.overrides, run.where, notices));
      tasks.back().record.figures = run.figures;
    }
  }
  const std::size_t case_runs = tasks.size();
  for (const config::ExperimentSweep& sweep : experiment.sweeps) {
    for (const auto& point : sweep.points) {
      for (const std::size_t number : sweep.cases) {
        tasks.push_back(
            make_task(experiment, number, sweep.drive, point.overrides, sweep.where, notices));
      }
    }
  }
  perform_all(tasks, seed, progress);
  for (const Task& task : tasks) notices.insert(task.notices.begin(), task.notices.end());
  report::ExperimentResult result{
      experiment, {}, {}, {}, interrupt_flag(), {notices.begin(), notices.end()}};
  std::size_t i = 0;
  for (; i < case_runs; ++i) result.runs.push_back(std::move(tasks[i].record));
  for (const config::ExperimentSweep& sweep : experiment.sweeps) {
    auto& records = result.sweeps.emplace_back();
    const std::size_t count = sweep.points.size() * sweep.cases.size();
    for (std::size_t n = 0; n < count; ++n) records.push_back(std::move(tasks[i++].record));
  }
  for (const Task& task : tasks) add_fitted(result.fitted, task.drive);
  return result;
}

}  // namespace x25sim::app
