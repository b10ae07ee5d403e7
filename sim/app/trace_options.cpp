#include "sim/app/trace_options.hpp"

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <utility>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/trace/line.hpp"

namespace x25sim::app {

namespace {

namespace po = boost::program_options;

template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

constexpr std::array time_units{
    Named<std::uint64_t>{"ns", 1},
    Named<std::uint64_t>{"100ns", 100},
    Named<std::uint64_t>{"us", trace::microsecond_ns},
    Named<std::uint64_t>{"ms", trace::millisecond_ns},
    Named<std::uint64_t>{"s", trace::second_ns},
};

struct NamedAction {
  std::string_view name;
  trace::Action value;
  std::string_view meaning;
};

constexpr std::array actions{
    NamedAction{"Q", trace::Action::queued, "queued"},
    NamedAction{"I", trace::Action::inserted, "inserted"},
    NamedAction{"D", trace::Action::issued, "issued"},
    NamedAction{"C", trace::Action::completed, "completed"},
};

// The value that `option` names; none where it is not given.
template <typename Table>
auto named_value(const po::variables_map& values, const std::string& option, const Table& table)
    -> std::optional<decltype(table.front().value)> {
  if (values.count(option) == 0) return {};
  const std::string& text = values[option].as<std::string>();
  std::string names;
  for (const auto& entry : table) {
    if (text == entry.name) return entry.value;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InputError({"--" + option, 0}, "expected one of " + names + ", found " + in_quotes(text));
}

// A pipe or a device can't be read twice. What does not exist is found out when it is opened.
bool is_pipe_or_device(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && std::filesystem::is_other(status);
}

}  // namespace

void describe_trace_options(po::options_description& options) {
  std::string names;
  for (const trace::Format& format : trace::formats()) names += std::string(format.name) + ", ";
  const std::string about = "format of the trace: " + names +
                            "or auto: the only one that fits its first lines. Some take arguments "
                            "behind a colon";
  using Text = std::string;
  auto add = options.add_options();
  add("format", po::value<Text>()->value_name("NAME[:ARGS]"), about.c_str());
  add("time-unit", po::value<Text>()->value_name("UNIT"),
      "what a time in the trace counts, in place of the format's own unit: ns, 100ns, us, ms or s");
  add("action", po::value<Text>()->value_name("ACTION"),
      "of a trace with several events for a request, which to take: Q (queued), I (inserted), D "
      "(issued to the drive) or C (completed)");
  add("skip-malformed", "count damaged lines and go on, in place of an error");
}

TraceOptions read_trace_options(const po::variables_map& values) {
  TraceOptions options;
  if (values.count("format") > 0) options.format = values["format"].as<std::string>();
  options.reader.time_unit_ns = named_value(values, "time-unit", time_units);
  options.reader.action = named_value(values, "action", actions);
  options.reader.skip_malformed = values.count("skip-malformed") > 0;
  return options;
}

trace::TraceFiles TraceInput::files() const {
  const bool rereadable = std::none_of(names.paths.begin(), names.paths.end(), is_pipe_or_device);
  return {names, [input = *this] { return input.open(); }, rereadable};
}

std::string TraceInput::action() const {
  if (!format->has_actions) return {};
  const trace::Action taken = reader.action.value_or(trace::default_action);
  const auto* const action = std::find_if(actions.begin(), actions.end(),
                                          [taken](const auto& a) { return a.value == taken; });
  return std::string(action->meaning) + " (" + std::string(action->name) + ")";
}

TraceInput trace_input(const TraceOptions& options, std::vector<std::string> paths) {
  TraceInput input;
  input.reader = options.reader;
  trace::NamedFormat named = trace::named_format(options.format);
  input.reader.arguments = std::move(named.arguments);
  // What is read from a pipe to recognize it is gone.
  if (named.format == nullptr && is_pipe_or_device(paths.front())) {
    throw InputError({paths.front(), 0},
                     "expected a file, whose format can be recognized, found a pipe or device; "
                     "give its --format");
  }
  input.format = named.format != nullptr ? named.format : &trace::recognized_format(paths.front());
  if (options.reader.action && !input.format->has_actions) {
    throw InputError({"--action", 0},
                     "expected a format with several events for a request, found " +
                         in_quotes(input.format->name));
  }
  input.names = {std::move(paths)};
  return input;
}

}  // namespace x25sim::app
