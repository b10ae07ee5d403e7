// Who wants to see, one by one, the times for which a drive's resources are in use.
#pragma once

#include <cstdint>

#include "nand/units.hpp"

namespace x25sim::drive {

// A part of a drive, or the host before it, that does one thing at a time.
enum class Resource : std::uint8_t { host, link, firmware_front, firmware_back, channel, die };

// One use of a resource, reported when its duration is known: when a part of the drive begins, when
// a request of the host ends.
struct Span {
  Resource resource = Resource::host;
  std::uint32_t number = 0;  // which channel or die; of the host: the request's tag
  const char* what = "";     // what it did, as "read" or "program": a string that outlives the run
  Time start{};
  Duration duration{};       // >= 0
  std::uint64_t detail = 0;  // the page, the command or the number of bytes, as fits `what`
};

// Spans of one resource and number do not overlap. An observer must not change the simulation.
class SpanObserver {
 public:
  virtual ~SpanObserver() = default;
  virtual void on_span(const Span& span) = 0;
};

}  // namespace x25sim::drive
