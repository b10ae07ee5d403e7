#include "sim/trace/formats.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/trace/merged_reader.hpp"

namespace x25sim::trace {

namespace {

constexpr std::array all_formats{
    Format{.name = "mqsim",
           .description = "MQSim: time in ns, device, sector, sectors, 0 write 1 read 2 zone erase",
           .open = open_mqsim},
    Format{.name = "msr",
           .description = "MSR Cambridge (SNIA): file time, host, disk, Read|Write, byte, bytes, "
                          "response",
           .open = open_msr},
};

// Enough to tell formats apart: text or binary records, headers included.
constexpr std::size_t sample_size = 1u << 16;
constexpr int sample_records = 20;

// The beginning of a file, cut behind its last whole line unless it is the whole file.
std::string sample_of(const std::string& path) {
  ByteSource source = ByteSource::open(path);
  std::string sample(sample_size, '\0');
  std::size_t size = 0;
  while (size < sample.size()) {
    const std::size_t more = source.read(std::span(sample).subspan(size));
    if (more == 0) break;
    size += more;
  }
  const bool whole = size < sample.size();
  sample.resize(size);
  const std::size_t last_line = sample.rfind('\n');
  if (!whole && last_line != sample.npos) sample.resize(last_line + 1);
  return sample;
}

bool fits(const Format& format, const std::string& sample) {
  if (format.only_by_name) return false;
  try {
    const auto reader = format.open(ByteSource::in_memory("", sample), {});
    int records = 0;
    while (records < sample_records && reader->next()) ++records;
    return records > 0;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::span<const Format> formats() { return all_formats; }

NamedFormat named_format(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string arguments = colon == text.npos ? "" : text.substr(colon + 1);
  if (name == "auto" && colon == text.npos) return {};
  std::vector<std::string> names{"auto"};
  for (const Format& format : all_formats) {
    if (name == format.name) {
      if (colon != text.npos && format.arguments.empty()) {
        throw InputError(
            fmt::format("expected nothing behind the format '{}', found ':{}'", name, arguments));
      }
      return {&format, arguments};
    }
    names.emplace_back(format.name);
  }
  throw InputError(fmt::format("expected a trace format ({}), found '{}'{}", fmt::join(names, ", "),
                               name, did_you_mean(name, names)));
}

const Format& recognized_format(const std::string& path) {
  const std::string sample = sample_of(path);
  std::vector<const Format*> fitting;
  for (const Format& format : all_formats) {
    if (fits(format, sample)) fitting.push_back(&format);
  }
  if (fitting.size() == 1) return *fitting.front();
  std::vector<std::string_view> names;
  for (const Format* format : fitting) names.push_back(format->name);
  if (names.empty()) {
    for (const Format& format : all_formats) names.push_back(format.name);
    throw InputError({path, 0}, fmt::format("expected a trace in a format that can be recognized, "
                                            "found none; give its --format: {}",
                                            fmt::join(names, ", ")));
  }
  throw InputError({path, 0},
                   fmt::format("expected a format that can be recognized, found a trace that fits "
                               "{}: they differ in what the columns mean, give its --format",
                               fmt::join(names, ", ")));
}

std::unique_ptr<Reader> open_trace(const Format& format, const std::vector<std::string>& paths,
                                   const ReaderOptions& options) {
  std::vector<std::unique_ptr<Reader>> readers;
  for (const std::string& path : paths) {
    readers.push_back(format.open(ByteSource::open(path), options));
  }
  if (readers.size() == 1) return std::move(readers.front());
  return std::make_unique<MergedReader>(std::move(readers));
}

}  // namespace x25sim::trace
