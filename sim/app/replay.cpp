#include <filesystem>
#include <optional>
#include <vector>

#include "nand/errors.hpp"
#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/session.hpp"
#include "sim/backend/source.hpp"
#include "sim/trace/formats.hpp"
#include "sim/trace/out_of_range.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet replay_options{
    .usage = "x25sim replay -d DRIVE --format FORMAT [options] TRACE...",
    .about =
        "Replays a recorded block trace on a simulated drive: at its recorded times, or with "
        "--queue-depth as fast as the drive takes it.",
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
  const std::string name = input.name();
  Session session(*options);
  backend::TraceSource source(input.open(), {trace::out_of_range_policy(options->out_of_range),
                                             session.loaded().config.capacity(), name});
  return session.finish([&](backend::Simulation& simulation) {
    backend::RunResult result =
        simulation.replay(source, options->queue_depth,
                          std::filesystem::path(input.paths.front()).filename().string());
    if (result.trace->records == 0) {
      throw InputError({name, 0}, "expected records in format " + std::string(input.format->name) +
                                      ", found none in the whole file");
    }
    session.set_theory(model::no_theory("a recorded trace"));
    if (source.several_devices()) {
      session.notice(name + ": records of several devices, replayed as if they were of one");
    }
    return result;
  });
}

}  // namespace x25sim::app
