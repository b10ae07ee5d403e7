#include <filesystem>
#include <string>

#include "nand/errors.hpp"
#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/session.hpp"
#include "sim/backend/source.hpp"
#include "sim/report/trace_report.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet replay_options{
    .usage = "x25sim replay -d DRIVE --format FORMAT [options] TRACE...",
    .about =
        "Replays a recorded block trace on a simulated drive: at its recorded times, or with "
        "--queue-depth as fast as the drive takes it. Several files are one trace, merged by time.",
    .example = "x25sim replay -d x25-v-40 --format mqsim experiments/traces/sample.mqsim",
    .drive = true,
    .simulation = true,
    .timeline = true,
    .seed = true,
    .output = true,
    .trace = true,
    .replay = true,
    .positional_min = 1,
    .positional_max = 1000,
    .positional_name = "a trace"};

}  // namespace

int replay_trace(const Arguments& arguments) {
  const auto options = parse_options(replay_options, arguments);
  if (!options) return exit_done;
  if (options->trace.format.empty()) {
    throw InputError("expected the trace's format (--format NAME, or auto), found none");
  }
  const TraceInput input = trace_input(options->trace, options->positional);
  const std::string name = input.names.all();
  Session session(*options);
  const ReplayOptions& replay = options->replay;
  backend::TraceSource source(input.files(), replay.rules, session.loaded().config.capacity());
  return session.finish([&](backend::Simulation& simulation) {
    backend::RunResult result =
        simulation.replay(source, replay.queue_depth,
                          std::filesystem::path(input.names.paths.front()).filename().string());
    const trace::Counts& counts = result.trace->counts;
    if (counts.records == 0 && !result.interrupted) {
      throw InputError({name, 0}, "expected records in format " + std::string(input.format->name) +
                                      ", found none in the whole file");
    }
    if (result.trace->devices.empty() && !result.interrupted) {
      throw InputError({name, 0}, "expected records of device '" + replay.rules.devices.name +
                                      "', found none; its devices are " + source.device_names());
    }
    result.trace->action = input.action();
    session.set_theory(model::no_theory("a recorded trace"));
    for (const std::string& line : report::trace_notices(*result.trace, !replay.queue_depth)) {
      session.notice(name + ": " + line);
    }
    return result;
  });
}

}  // namespace x25sim::app
