#include "sim/backend/endurance.hpp"

#include <vector>

#include "nand/errors.hpp"
#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/session.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet endurance_options{
    .usage = "x25sim endurance -d DRIVE [options] JOB.fio...",
    .about =
        "Runs fio job files without the clock, over and over with other random offsets, on a drive "
        "whose blocks\nare taken out of service after their rated cycles, until a block wears out "
        "that none of the firmware's\narea can replace. Prints how much the host had written by "
        "then, and what Intel's formula says.\n\n"
        "This takes about nand.rated_cycles x pages of flash / 25 M seconds, half an hour for an "
        "X25-V of 5,000\ncycles. Fewer cycles tell the same sooner, with thresholds to match:\n"
        "  --set nand.rated_cycles=50 --set firmware.wear_threshold=5\n\n"
        "--output-format is normal or json.",
    .example =
        "x25sim endurance -d x25-v-40 --set nand.blocks_per_die=128 --set drive.sectors=1220000 "
        "--set nand.rated_cycles=50 --set firmware.wear_threshold=5 experiments/jobs/overwrite.fio",
    .drive = true,
    .simulation = true,
    .seed = true,
    .output = true,
    .positional_min = 1,
    .positional_max = 1000,
    .positional_name = "a fio job file"};

}  // namespace

int wear_out_drive(const Arguments& arguments) {
  const auto options = parse_options(endurance_options, arguments);
  if (!options) return exit_done;
  if (options->format != OutputFormat::normal && options->format != OutputFormat::json) {
    throw InputError({"--output-format", 0}, "expected normal or json for a drive's endurance");
  }
  Session session(*options);
  const std::vector<workload::Job> jobs = session.read_jobs();
  backend::check_endurance_jobs(jobs);
  session.limit_endurance();
  return session.finish_life([&](backend::Simulation& simulation) {
    backend::EnduranceResult result;
    session.beside_theory(simulation, jobs,
                          [&] { result = simulation.wear_out(jobs, options->seed); });
    return result;
  });
}

}  // namespace x25sim::app
