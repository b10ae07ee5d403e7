#include <chrono>
#include <string>
#include <vector>

#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/session.hpp"
#include "sim/backend/replay_log.hpp"
#include "sim/report/job_logs.hpp"
#include "sim/report/trace_report.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet run_options{
    .usage =
        "x25sim run -d DRIVE [options] JOB.fio...\n"
        "       x25sim run -d DRIVE [options] [--OPTION=VALUE...] --name=JOB "
        "[--OPTION=VALUE...]...",
    .about =
        "Runs fio jobs on a simulated drive: those of job files, where the jobs of one file start "
        "when\nthose of the file before it have ended, or those of the command line, as in fio: "
        "each --name\nbegins a job, and fio's options in front of the first one are for all of "
        "them. What is listed\nhere is never an option of a job.",
    .example =
        "x25sim run -d x25-v-40 --prepare filled experiments/jobs/random-write.fio\n"
        "  x25sim run -d x25-m-g2-80 --iodepth=32 --ioengine=libaio --size=1g --bs=4k \\\n"
        "    --name=readers --rw=randread --name=writers --rw=randwrite --stonewall",
    .drive = true,
    .simulation = true,
    .timeline = true,
    .seed = true,
    .output = true,
    .jobs = true,
    .nothing_to_save = true,
    .positional_min = 1,
    .positional_max = 1000,
    .positional_name = "a fio job file"};

// Says of a job that repeats a log what has become of it.
void tell_of_log(const Session& session, const workload::Job& job,
                 const backend::ReplayedLog& log) {
  const std::string name = "job '" + job.name + "': " + job.replay.path + ": ";
  const bool at_recorded_times = !job.replay.no_stall;
  for (const std::string& line : report::trace_notices(log.trace, at_recorded_times)) {
    session.notice(name + line);
  }
  for (const trace::Notes::Note& note : log.trace.notes.all()) {
    session.notice(name + trace::Notes::sentence(note));
  }
  if (!log.trace.action.empty()) {
    session.notice(name + "of blktrace's events, the " + log.trace.action + " were repeated");
  }
  if (log.left_out > 0) {
    session.notice(name + std::to_string(log.left_out) + " records left out (replay_skip)");
  }
  if (log.trace.counts.skipped > log.left_out) {
    session.notice(name + std::to_string(log.trace.counts.skipped - log.left_out) +
                   " records left out, as they have no data or direction");
  }
}

}  // namespace

int run_jobs(const Arguments& arguments) {
  const auto options = parse_options(run_options, arguments);
  if (!options) return exit_done;
  Session session(*options);
  const std::vector<workload::Job> jobs = session.read_jobs();
  // What can't be read is better known before the preparation than after it.
  for (const workload::Job& job : jobs) {
    if (job.replay.path.empty()) continue;
    const backend::ReplayLog log(job, session.loaded().config.capacity());
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  report::JobLogFiles logs(jobs, session.loaded().config.name,
                           std::chrono::floor<std::chrono::milliseconds>(now));
  return session.finish([&](backend::Simulation& simulation) {
    backend::RunResult result;
    simulation.observe_jobs([&logs](const workload::Job& job) { return logs.observer(job); });
    session.beside_theory(simulation, jobs, [&] { result = simulation.run(jobs, options->seed); });
    for (const backend::JobResult& job : result.jobs) {
      if (job.log) tell_of_log(session, job.job, *job.log);
      if (job.job.ramp_time > Duration{} && job.statistics.runtime == Duration{}) {
        session.notice("job '" + job.job.name +
                       "' ended within its ramp_time: nothing was measured");
      }
    }
    logs.close();
    return result;
  });
}

}  // namespace x25sim::app
