#include <cstdio>
#include <unistd.h>

#include "nand/errors.hpp"
#include "sim/app/command.hpp"
#include "sim/app/experiment_runs.hpp"
#include "sim/app/options.hpp"
#include "sim/app/output_file.hpp"
#include "sim/report/experiment_report.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet experiment_options{
    .usage = "x25sim experiment NAME|FILE.yaml [options]",
    .about =
        "Answers a question by simulation: runs, closed-form limits and published figures side "
        "by side. Exit status 1 if a figure is missed.",
    .example = "x25sim experiment why-half",
    .seed = true,
    .output = true,
    .positional_min = 1,
    .positional_max = 1,
    .positional_name = "the name of an experiment"};

}  // namespace

int run_experiment(const Arguments& arguments) {
  const auto options = parse_options(experiment_options, arguments);
  if (!options) return exit_done;
  if (options->format != OutputFormat::normal && options->format != OutputFormat::json) {
    throw InputError({"--output-format", 0}, "expected normal or json for an experiment");
  }
  const config::Experiment experiment = config::load_experiment(options->positional.front());
  OutputFile output(options->output);
  const bool show_progress = !options->quiet && ::isatty(STDERR_FILENO) != 0;
  const report::ExperimentResult result =
      run_experiment(experiment, options->seed, [show_progress](std::size_t done, std::size_t all) {
        if (!show_progress) return;
        std::fprintf(stderr, "\r%zu of %zu runs%s", done, all, done == all ? "\r\x1b[K" : "");
        std::fflush(stderr);
      });
  if (!options->quiet) {
    for (const std::string& notice : result.notices) {
      std::fprintf(stderr, "x25sim: %s: %s\n", experiment.name.c_str(), notice.c_str());
    }
  }
  output.write(options->format == OutputFormat::json ? report::experiment_json(result)
                                                     : report::experiment_text(result));
  if (result.interrupted) return exit_interrupted;
  return report::passes(result) ? exit_done : exit_verdict_failed;
}

}  // namespace x25sim::app
