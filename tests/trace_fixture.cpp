#include "tests/trace_fixture.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "nand/errors.hpp"

namespace x25sim::trace {

namespace {

std::unique_ptr<Reader> open(const std::string& format, const std::string& path,
                             ReaderOptions options) {
  const NamedFormat named = named_format(format);
  options.arguments = named.arguments;
  return open_trace(*named.format, {path}, options);
}

}  // namespace

ReadTrace read_file(const std::string& format, const std::string& path, ReaderOptions options) {
  ReadTrace read;
  const auto reader = open(format, path, std::move(options));
  while (const auto record = reader->next()) {
    read.records.push_back(*record);
    read.devices.push_back(reader->devices().name(record->device));
  }
  const Notes notes = reader->notes();
  for (const auto& note : notes.all()) read.notes.push_back(Notes::sentence(note));
  read.malformed = reader->malformed();
  return read;
}

ReadTrace read_notes(const std::string& format, const std::string& text,
                     const ReaderOptions& options) {
  const TraceFile file(text);
  return read_file(format, file.path(), options);
}

std::vector<Record> read_text(const std::string& format, const std::string& text,
                              const ReaderOptions& options) {
  return read_notes(format, text, options).records;
}

Counts count(const std::string& format, const std::string& path, ReaderOptions options,
             std::uint64_t records_max) {
  Counter counter;
  const auto reader = open(format, path, std::move(options));
  for (std::uint64_t i = 0; i < records_max; ++i) {
    const auto record = reader->next();
    if (!record) break;
    counter.add(*record);
  }
  return counter.counts();
}

std::string error_of(const std::string& format, const std::string& text,
                     const ReaderOptions& options) {
  const TraceFile file(text);
  try {
    read_file(format, file.path(), options);
  } catch (const InputError& error) {
    const std::string message = error.what();
    REQUIRE(message.starts_with(file.path() + ":"));
    return message.substr(file.path().size() + 1);
  }
  return "none";
}

std::string shown(const Record& record) {
  constexpr std::string_view letters = "RWTFO";
  return fmt::format("{} {}+{} @{}", letters[static_cast<std::size_t>(record.kind)],
                     record.offset.count, record.length.count, record.time_ns);
}

std::filesystem::path real_traces() {
  const char* const given = std::getenv("X25SIM_TRACES");
  const auto folder = given != nullptr
                          ? std::filesystem::path(given)
                          : std::filesystem::path(X25SIM_SOURCE_DIR) / ".." / "shared" / "traces";
  if (std::filesystem::exists(folder / "GOLDEN.tsv")) return folder;
  MESSAGE("skipped: no real traces at " << folder.string());
  return {};
}

}  // namespace x25sim::trace
