// A drive's work over time as a file for ui.perfetto.dev or chrome://tracing.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "nand/units.hpp"
#include "sim/drive/span_observer.hpp"
#include "sim/report/streamed_file.hpp"

namespace x25sim::report {

// Writes Chrome trace-event JSON while the simulation runs, in constant memory: one track for each
// resource, named when it is first used. Times are in microseconds with exact nanoseconds.
class TimelineWriter : public drive::SpanObserver {
 public:
  struct Track {
    drive::Resource resource;
    std::uint32_t number;  // below 65536
  };

  // Creates the file at `path`, or empties it. Throws SystemError if that fails.
  explicit TimelineWriter(const std::string& path);
  // Ends the file properly if close() has not been called; failures are not reported then.
  ~TimelineWriter() override;
  TimelineWriter(const TimelineWriter&) = delete;
  TimelineWriter& operator=(const TimelineWriter&) = delete;

  // Adds a span of `duration` >= 0. Throws SystemError if the file can't be written.
  void span(Track track, std::string_view name, Time start, Duration duration);
  // The same, with the span's detail as argument of the event.
  void on_span(const drive::Span& span) override;

  // Ends the file; nothing may be added afterwards. Throws SystemError if it can't be written.
  void close();

 private:
  // Begins an event: separates it from its predecessor.
  void begin_event();
  // Writes the metadata of `track` before its first event.
  void announce(Track track);
  void begin_span(Track track, std::string_view name, Time start, Duration duration);
  void end_span();

  StreamedFile file_;
  bool has_events_ = false;
  std::set<std::pair<drive::Resource, std::uint32_t>> announced_;
};

}  // namespace x25sim::report
