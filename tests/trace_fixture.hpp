// Traces for tests: files of a few lines, and what reading them gives.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/trace/counts.hpp"
#include "sim/trace/formats.hpp"
#include "sim/trace/record.hpp"
#include "tests/program.hpp"

namespace x25sim::trace {

// A file that lives as long as the object, with a name without meaning.
class TraceFile {
 public:
  explicit TraceFile(const std::string& content) : path_(folder_.write("trace", content)) {}

  const std::string& path() const { return path_; }

 private:
  test::TemporaryFolder folder_;
  std::string path_;
};

// What a trace is read into.
struct ReadTrace {
  std::vector<Record> records;
  std::vector<std::string> devices;  // the name of each record's
  std::vector<std::string> notes;    // as sentences
  std::uint64_t malformed = 0;
};

// Reads with `format` as --format takes it, "name" or "name:arguments".
ReadTrace read_file(const std::string& format, const std::string& path, ReaderOptions options = {});
ReadTrace read_notes(const std::string& format, const std::string& text,
                     const ReaderOptions& options = {});
std::vector<Record> read_text(const std::string& format, const std::string& text,
                              const ReaderOptions& options = {});
Counts count(const std::string& format, const std::string& path, ReaderOptions options = {},
             std::uint64_t records_max = ~std::uint64_t{0});

// The message that reading `text` ends in, from its line number on ("3: expected ..."); "none"
// without one.
std::string error_of(const std::string& format, const std::string& text,
                     const ReaderOptions& options = {});

// "W 4096+512 @1000", the time in ns: a record's kind, range and time.
std::string shown(const Record& record);

// The folder of real traces, which are not part of the project: that of the environment variable
// X25SIM_TRACES, or shared/traces beside the project. Empty, with a message, if there is none.
std::filesystem::path real_traces();

}  // namespace x25sim::trace
