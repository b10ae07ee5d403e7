#include <vector>

#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/session.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet run_options{
    .usage = "x25sim run -d DRIVE [options] JOB.fio...",
    .about =
        "Runs fio job files on a simulated drive. The jobs of one file start when those of the "
        "file before it have ended.",
    .example = "x25sim run -d x25-v-40 --prepare filled experiments/jobs/random-write.fio",
    .drive = true,
    .simulation = true,
    .timeline = true,
    .seed = true,
    .output = true,
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
  return session.finish([&](backend::Simulation& simulation) {
    backend::RunResult result;
    session.beside_theory(simulation, jobs, [&] { result = simulation.run(jobs, options->seed); });
    for (const backend::JobResult& job : result.jobs) {
      if (job.job.ramp_time > Duration{} && job.statistics.runtime == Duration{}) {
        session.notice("job '" + job.job.name +
                       "' ended within its ramp_time: nothing was measured");
      }
    }
    return result;
  });
}

}  // namespace x25sim::app
