#include <chrono>
#include <vector>

#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/session.hpp"
#include "sim/report/job_logs.hpp"

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

}  // namespace

int run_jobs(const Arguments& arguments) {
  const auto options = parse_options(run_options, arguments);
  if (!options) return exit_done;
  Session session(*options);
  const std::vector<workload::Job> jobs = session.read_jobs();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  report::JobLogFiles logs(jobs, session.loaded().config.name,
                           std::chrono::floor<std::chrono::milliseconds>(now));
  return session.finish([&](backend::Simulation& simulation) {
    backend::RunResult result;
    simulation.observe_jobs([&logs](const workload::Job& job) { return logs.observer(job); });
    session.beside_theory(simulation, jobs, [&] { result = simulation.run(jobs, options->seed); });
    for (const backend::JobResult& job : result.jobs) {
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
