// Options of the command line: Boost.Program_options behind a narrow face.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/app/command.hpp"
#include "sim/app/replay_options.hpp"
#include "sim/app/trace_options.hpp"

namespace x25sim::app {

enum class OutputFormat : std::uint8_t { normal, json, json_plus, terse };

// The values of all options that commands share; a command declares which it takes.
struct Options {
  std::vector<std::string> positional;
  std::vector<std::string> jobs;  // fio's options, as "--name=value" or "--name"
  std::string drive;
  std::vector<std::string> overrides;     // --set
  std::vector<std::string> preparations;  // --prepare
  std::string load;                       // path of a saved state; empty: none
  std::string save;
  std::uint64_t seed = 1;
  OutputFormat format = OutputFormat::normal;
  std::string output;    // path; empty: standard output
  std::string timeline;  // path; empty: none
  bool quiet = false;
  TraceOptions trace;
  ReplayOptions replay;
  std::string to_format;  // of trace convert: --to
};

// What a command takes.
struct OptionSet {
  std::string_view usage;        // "x25sim run -d DRIVE [options] JOB.fio..."
  std::string_view about;        // a sentence or two
  std::string_view example;      // a command line that works from the project's folder
  bool drive = false;            // -d, required
  bool overrides = false;        // --set
  bool simulation = false;       // --prepare, --load, --save
  bool timeline = false;         // --timeline
  bool seed = false;             // --seed, --quiet
  bool output = false;           // --output-format, --output
  bool trace = false;            // those of reading a trace
  bool convert = false;          // --to, --output
  bool replay = false;           // those of how a trace is replayed
  bool jobs = false;             // fio's options in place of positional arguments, from --name on
  bool nothing_to_save = false;  // with --save, no positional argument is needed
  std::size_t positional_min = 0;
  std::size_t positional_max = 0;
  std::string_view positional_name;
};

// Reads `arguments`. Nothing if help was asked for, which has then been printed. Throws InputError
// for options that are unknown, incomplete or missing.
std::optional<Options> parse_options(const OptionSet& set, const Arguments& arguments);

}  // namespace x25sim::app
