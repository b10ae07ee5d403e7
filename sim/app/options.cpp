#include "sim/app/options.hpp"

#include <boost/program_options.hpp>
#include <iostream>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/job_arguments.hpp"
#include "sim/app/option_values.hpp"
#include "sim/trace/writer.hpp"

namespace x25sim::app {

namespace {

namespace po = boost::program_options;

OutputFormat parse_format(const std::string& name) {
  if (name == "normal") return OutputFormat::normal;
  if (name == "json") return OutputFormat::json;
  if (name == "json+") return OutputFormat::json_plus;
  if (name == "terse") return OutputFormat::terse;
  throw InputError({"--output-format", 0},
                   "expected normal, json, json+ or terse, found " + in_quotes(name));
}

po::options_description describe(const OptionSet& set) {
  po::options_description options("Options");
  auto add = options.add_options();
  using Text = std::string;
  using Texts = std::vector<std::string>;
  if (set.drive) {
    add("drive,d", po::value<Text>()->value_name("NAME|FILE"),
        "the drive: a name from `x25sim drives`, or a YAML file");
  }
  if (set.drive || set.overrides) {
    add("set", po::value<Texts>()->composing()->value_name("KEY=VALUE"),
        "set a key of the configuration; `x25sim show DRIVE` lists them");
  }
  if (set.simulation) {
    add("prepare", po::value<Texts>()->composing()->value_name("STATE"),
        "bring the drive into a state first: fresh, filled, used[:SPAN], trimmed:SPAN, steady or a "
        "fio job file; repeatable, done in order");
    add("load", po::value<Text>()->value_name("FILE"),
        "begin with the drive that --save has written there, and prepare it further");
    add("save", po::value<Text>()->value_name("FILE"),
        "write the drive there when it is prepared, before it is measured");
  }
  if (set.timeline) {
    add("timeline", po::value<Text>()->value_name("FILE"),
        "write what every part did when, for ui.perfetto.dev");
  }
  if (set.seed) {
    add("quiet", "no notices and no progress line");
    add("seed", po::value<Text>()->value_name("N"), "seed of all random choices (default 1)");
  }
  if (set.trace) describe_trace_options(options);
  if (set.convert) {
    std::string about = "format to write: ";
    for (const trace::WriterFormat& format : trace::writer_formats()) {
      about += (about.ends_with(' ') ? "" : ", ") + std::string(format.name);
    }
    add("to", po::value<Text>()->value_name("NAME"), about.c_str());
    add("output,o", po::value<Text>()->value_name("FILE"),
        "write the trace there; blktrace's file is called FILE.blktrace.0");
  }
  if (set.replay) describe_replay_options(options);
  if (set.output) {
    add("output-format", po::value<Text>()->value_name("FORMAT"),
        "normal (default), json (fio's schema), json+ or terse");
    add("output", po::value<Text>()->value_name("FILE"), "write the result there");
  }
  add("help,h", "this text");
  return options;
}

void print_help(const OptionSet& set, const po::options_description& visible) {
  std::cout << "usage: " << set.usage << "\n\n"
            << set.about << "\n\n"
            << visible << "\nexample:\n  " << set.example << "\n";
}

}  // namespace

std::optional<Options> parse_options(const OptionSet& set, const Arguments& arguments) {
  const po::options_description visible = describe(set);
  const SplitArguments split =
      set.jobs ? split_job_arguments(arguments, visible) : SplitArguments{arguments, {}};
  const po::variables_map values = parse_command_line(split.program, visible);
  if (values.count("help") > 0) {
    print_help(set, visible);
    return {};
  }
  Options options;
  const auto text = [&values](const char* name, std::string& target) {
    if (values.count(name) > 0) target = values[name].as<std::string>();
  };
  const auto texts = [&values](const char* name, std::vector<std::string>& target) {
    if (values.count(name) > 0) target = values[name].as<std::vector<std::string>>();
  };
  texts(positional_words, options.positional);
  text("drive", options.drive);
  texts("set", options.overrides);
  texts("prepare", options.preparations);
  text("load", options.load);
  text("save", options.save);
  text("output", options.output);
  text("to", options.to_format);
  text("timeline", options.timeline);
  if (set.trace) options.trace = read_trace_options(values);
  if (set.replay) options.replay = read_replay_options(values);
  options.quiet = values.count("quiet") > 0;
  if (values.count("seed") > 0) {
    options.seed = parse_count("--seed", values["seed"].as<std::string>(), 0, ~std::uint64_t{0});
  }
  if (values.count("output-format") > 0) {
    options.format = parse_format(values["output-format"].as<std::string>());
  }
  if (set.drive && options.drive.empty()) {
    throw InputError("expected a drive (-d NAME|FILE.yaml), found none; usage: " +
                     std::string(set.usage));
  }
  options.jobs = split.jobs;
  if (!options.jobs.empty() && !options.positional.empty()) {
    throw InputError("expected job files or jobs on the command line, found both: '" +
                     options.positional.front() + "' and '" + options.jobs.front() + "'");
  }
  // A drive can be prepared just to be saved.
  const bool only_saved = set.nothing_to_save && !options.save.empty();
  const bool none_needed = only_saved || !options.jobs.empty();
  const std::size_t positional_min = none_needed ? 0 : set.positional_min;
  if (options.positional.size() < positional_min) {
    throw InputError("expected " + std::string(set.positional_name) + ", found " +
                     (options.positional.empty() ? "nothing" : "too few") +
                     "; usage: " + std::string(set.usage));
  }
  if (options.positional.size() > set.positional_max) {
    throw InputError("unexpected argument '" + options.positional[set.positional_max] +
                     "'; usage: " + std::string(set.usage));
  }
  return options;
}

}  // namespace x25sim::app
