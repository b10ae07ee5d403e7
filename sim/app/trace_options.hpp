// The options of reading a trace, which `replay` and the subcommands of `trace` share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/trace/formats.hpp"
#include "sim/trace/reader.hpp"
#include "sim/trace/trace_files.hpp"

namespace boost::program_options {
class options_description;
class variables_map;
}  // namespace boost::program_options

namespace x25sim::app {

// --format, --time-unit, --action and --skip-malformed.
struct TraceOptions {
  std::string format;  // NAME[:ARGUMENTS] or auto; empty: not given
  trace::ReaderOptions reader;
};

// Adds the options to `options`.
void describe_trace_options(boost::program_options::options_description& options);

// Their values on a command line. Throws InputError for values that can't be.
TraceOptions read_trace_options(const boost::program_options::variables_map& values);

// A trace that is known to be readable as far as its name and its format go.
struct TraceInput {
  trace::FileNames names;
  const trace::Format* format = nullptr;
  trace::ReaderOptions reader;

  // Reads the trace from its start. Throws InputError with the path of a file that can't be read.
  std::unique_ptr<trace::Reader> open() const {
    return trace::open_trace(*format, names.paths, reader);
  }
  // The same for whoever may read it more than once.
  trace::TraceFiles files() const;
  // Which of the events of a request is taken, as "issued (D)"; empty if the format has but one.
  std::string action() const;
};

// The trace in the files `paths`, at least one. A format `auto` is that of the first file. Throws
// InputError for a format that is unknown or can't be recognized, and for an action of a format
// that has none.
TraceInput trace_input(const TraceOptions& options, std::vector<std::string> paths);

}  // namespace x25sim::app
