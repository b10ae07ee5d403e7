// The command `trace info`.
#include "nand/errors.hpp"
#include "sim/app/options.hpp"
#include "sim/app/output_file.hpp"
#include "sim/app/trace_subcommands.hpp"
#include "sim/report/trace_report.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet info_options{
    .usage = "x25sim trace info [--format FORMAT] [options] TRACE...",
    .about =
        "Tells what is in a recorded block trace. Several files are one trace, merged by time, "
        "such as those that blktrace writes for each processor.",
    .example = "x25sim trace info --format mqsim experiments/traces/sample.mqsim",
    .output = true,
    .trace = true,
    .positional_min = 1,
    .positional_max = 1000,
    .positional_name = "a trace"};

}  // namespace

int trace_info(const Arguments& arguments) {
  auto options = parse_options(info_options, arguments);
  if (!options) return exit_done;
  if (options->format != OutputFormat::normal && options->format != OutputFormat::json) {
    throw InputError({"--output-format", 0}, "expected normal or json");
  }
  if (options->trace.format.empty()) options->trace.format = "auto";
  const TraceInput input = trace_input(options->trace, options->positional);
  OutputFile output(options->output);
  const auto reader = input.open();
  trace::Statistics statistics;
  while (const auto record = reader->next()) statistics.add(*record);
  statistics.finish();
  if (statistics.devices().empty()) {
    throw InputError({input.names.all(), 0}, "expected records in format " +
                                                 std::string(input.format->name) +
                                                 ", found none in the whole file");
  }
  const report::TraceInfo info{.name = input.names.all(),
                               .format = std::string(input.format->name),
                               .action = input.action(),
                               .statistics = statistics,
                               .devices = reader->devices(),
                               .notes = reader->notes(),
                               .malformed = reader->malformed()};
  output.write(options->format == OutputFormat::json ? report::trace_info_json(info, X25SIM_VERSION)
                                                     : report::trace_info_text(info));
  return exit_done;
}

}  // namespace x25sim::app
