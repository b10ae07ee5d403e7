#include <vector>

#include "nand/errors.hpp"
#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/session.hpp"
#include "sim/model/workload_theory.hpp"
#include "sim/workload/fio_job_file.hpp"

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
    .seed = true,
    .output = true,
    .nothing_to_save = true,
    .positional_min = 1,
    .positional_max = 1000,
    .positional_name = "a fio job file"};

// Runs the jobs, and asks theory what their writes should come to on the drive as it was before.
backend::RunResult run_beside_theory(Session& session, backend::Simulation& simulation,
                                     const std::vector<workload::Job>& jobs, std::uint64_t seed) {
  const drive::DriveConfig& config = session.loaded().config;
  const drive::Ssd& drive = simulation.drive();
  const model::WriteLoad load = model::write_load(jobs, config.geometry.page_size);
  model::Occupancy before;
  if (load.problem.empty()) before = model::survey(drive.ftl(), config, load);
  const Bytes written_before = drive.counters().host_write;
  backend::RunResult result = simulation.run(jobs, seed);
  const Bytes written = drive.counters().host_write - written_before;
  session.set_theory(model::workload_theory(config, load, before, written));
  return result;
}

}  // namespace

int run_jobs(const Arguments& arguments) {
  const auto options = parse_options(run_options, arguments);
  if (!options) return exit_done;
  Session session(*options);
  std::vector<workload::Job> jobs;
  workload::JobNumbering numbering;
  for (const std::string& path : options->positional) {
    workload::JobFile file =
        workload::read_fio_job_file(path, session.loaded().config.capacity(), numbering);
    for (const std::string& line : file.notices) session.notice(line);
    jobs.insert(jobs.end(), file.jobs.begin(), file.jobs.end());
    numbering = file.next;
  }
  return session.finish([&](backend::Simulation& simulation) {
    backend::RunResult result = run_beside_theory(session, simulation, jobs, options->seed);
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
