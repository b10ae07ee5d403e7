// What the tests of trace formats share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/trace/reader.hpp"
#include "sim/trace/record.hpp"
#include "tests/program.hpp"

namespace x25sim::test {

// A trace, read to its end.
struct ReadTrace {
  std::vector<trace::Record> records;
  std::vector<std::string> devices;
  trace::Notes notes;
  std::uint64_t malformed = 0;

  const std::string& device_of(std::size_t record) const { return devices[records[record].device]; }
  // How often something was noted; 0 for what was not.
  std::uint64_t noted(const std::string& text) const;
};

// Reads `paths` in `format`, which may have arguments behind a colon.
ReadTrace read_trace(const std::string& format, const std::vector<std::string>& paths,
                     trace::ReaderOptions options = {});
// Reads `content`.
ReadTrace read_trace_text(const std::string& format, const std::string& content,
                          trace::ReaderOptions options = {});
// The message that reading `content` ends in, behind the file's name ("3: expected ..."), or
// "none".
std::string trace_error(const std::string& format, const std::string& content,
                        trace::ReaderOptions options = {});

trace::ReaderOptions with_action(trace::Action action);

// "write 8192+4096 @1500", with "flush first" and "durable" in front where they are so; times in
// ns. What a test compares.
std::string text_of(const trace::Record& record);
std::vector<std::string> texts_of(const std::vector<trace::Record>& records);

// Whether a program is installed; says so if not.
bool is_installed(const std::string& program);
// Runs a command line in `folder`, its output in files; the exit status.
int run_shell(const TemporaryFolder& folder, const std::string& command);

}  // namespace x25sim::test
