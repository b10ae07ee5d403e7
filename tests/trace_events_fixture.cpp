#include "tests/trace_events_fixture.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/wait.h>

#include "nand/errors.hpp"
#include "sim/trace/formats.hpp"

namespace x25sim::test {

using trace::Record;

std::uint64_t ReadTrace::noted(const std::string& text) const {
  for (const auto& note : notes.all()) {
    if (note.text == text) return note.count;
  }
  return 0;
}

ReadTrace read_trace(const std::string& format, const std::vector<std::string>& paths,
                     trace::ReaderOptions options) {
  const trace::NamedFormat named = trace::named_format(format);
  const trace::Format& found =
      named.format != nullptr ? *named.format : trace::recognized_format(paths.front());
  options.arguments = named.arguments;
  const auto reader = trace::open_trace(found, paths, options);
  ReadTrace read;
  while (const auto record = reader->next()) read.records.push_back(*record);
  for (std::uint32_t i = 0; i < reader->devices().size(); ++i) {
    read.devices.push_back(reader->devices().name(i));
  }
  read.notes = reader->notes();
  read.malformed = reader->malformed();
  return read;
}

ReadTrace read_trace_text(const std::string& format, const std::string& content,
                          trace::ReaderOptions options) {
  const TemporaryFolder folder;
  return read_trace(format, {folder.write("a.trace", content)}, std::move(options));
}

std::string trace_error(const std::string& format, const std::string& content,
                        trace::ReaderOptions options) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.trace", content);
  try {
    read_trace(format, {path}, std::move(options));
  } catch (const InputError& error) {
    const std::string message = error.what();
    return message.starts_with(path + ":") ? message.substr(path.size() + 1) : message;
  }
  return "none";
}

trace::ReaderOptions with_action(trace::Action action) {
  trace::ReaderOptions options;
  options.action = action;
  return options;
}

std::string text_of(const Record& record) {
  return fmt::format("{}{}{} {}+{} @{}", record.flush_first ? "flush first, " : "",
                     record.durable ? "durable " : "", trace::name(record.kind),
                     record.offset.count, record.length.count, record.time_ns);
}

std::vector<std::string> texts_of(const std::vector<Record>& records) {
  std::vector<std::string> texts;
  for (const Record& record : records) texts.push_back(text_of(record));
  return texts;
}

bool is_installed(const std::string& program) {
  const int status = std::system(("command -v " + program + " >/dev/null").c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  MESSAGE("skipped: ", program, " is not installed");
  return false;
}

int run_shell(const TemporaryFolder& folder, const std::string& command) {
  const int status = std::system(("cd '" + folder.path().string() + "' && " + command).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace x25sim::test
