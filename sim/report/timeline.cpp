#include "sim/report/timeline.hpp"

#include <fmt/format.h>
#include <iterator>

#include "nand/check.hpp"
#include "nand/errors.hpp"

namespace x25sim::report {

namespace {

constexpr std::uint32_t numbers_per_resource = 1 << 16;

std::string_view name(drive::Resource resource) {
  switch (resource) {
    case drive::Resource::host: return "host";
    case drive::Resource::link: return "link";
    case drive::Resource::firmware_front: return "firmware front";
    case drive::Resource::firmware_back: return "firmware back";
    case drive::Resource::channel: return "channel";
    case drive::Resource::die: return "die";
  }
  return "";
}

// Resources that exist once have no number.
std::string name(TimelineWriter::Track track) {
  switch (track.resource) {
    case drive::Resource::link:
    case drive::Resource::firmware_front:
    case drive::Resource::firmware_back: return std::string{name(track.resource)};
    case drive::Resource::host:
    case drive::Resource::channel:
    case drive::Resource::die: return fmt::format("{} {}", name(track.resource), track.number);
  }
  return "";
}

// The thread that stands for a track, which sorts as the request's way goes: host first, dies last.
std::uint32_t thread_of(TimelineWriter::Track track) {
  X25_CHECK(track.number < numbers_per_resource);
  return static_cast<std::uint32_t>(track.resource) * numbers_per_resource + track.number + 1;
}

// "107.850": microseconds, exact.
std::string microseconds(std::int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (static_cast<unsigned char>(character) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(character));
      continue;
    }
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result;
}

}  // namespace

TimelineWriter::TimelineWriter(const std::string& path) : file_(path, "the timeline") {
  file_.text() += "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

TimelineWriter::~TimelineWriter() {
  try {
    close();
  } catch (const SystemError&) {
    // Whoever wants to know calls close(); a destructor can't tell.
  }
}

void TimelineWriter::span(Track track, std::string_view name, Time start, Duration duration) {
  begin_span(track, name, start, duration);
  end_span();
}

void TimelineWriter::on_span(const drive::Span& span) {
  begin_span({span.resource, span.number}, span.what, span.start, span.duration);
  fmt::format_to(std::back_inserter(file_.text()), ",\"args\":{{\"detail\":{}}}", span.detail);
  end_span();
}

void TimelineWriter::close() {
  if (file_.closed()) return;
  file_.text() += "\n]}\n";
  file_.close();
}

void TimelineWriter::begin_event() {
  file_.text() += has_events_ ? ",\n" : "\n";
  has_events_ = true;
}

void TimelineWriter::announce(Track track) {
  if (!announced_.emplace(track.resource, track.number).second) return;
  const std::uint32_t thread = thread_of(track);
  begin_event();
  fmt::format_to(std::back_inserter(file_.text()),
                 R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})",
                 thread, name(track));
  begin_event();
  fmt::format_to(
      std::back_inserter(file_.text()),
      R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
      thread);
}

void TimelineWriter::begin_span(Track track, std::string_view name, Time start, Duration duration) {
  X25_CHECK(!file_.closed());
  X25_CHECK(nanoseconds(start) >= 0);
  X25_CHECK(duration.count() >= 0);
  announce(track);
  begin_event();
  fmt::format_to(std::back_inserter(file_.text()),
                 R"({{"ph":"X","pid":1,"tid":{},"name":"{}","ts":{},"dur":{})", thread_of(track),
                 escaped(name), microseconds(nanoseconds(start)), microseconds(duration.count()));
}

void TimelineWriter::end_span() {
  file_.text() += '}';
  file_.go_on();
}

}  // namespace x25sim::report
