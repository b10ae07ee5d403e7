#include "sim/measure/job_statistics.hpp"

#include <algorithm>
#include <bit>

#include "nand/check.hpp"

namespace x25sim::measure {

void IntervalSeries::add(Duration elapsed, Bytes bytes) {
  X25_CHECK(elapsed.count() >= 0);
  const auto number = static_cast<std::uint64_t>(elapsed / interval);
  X25_CHECK(intervals_.empty() || intervals_.back().number <= number);
  if (intervals_.empty() || intervals_.back().number < number) intervals_.push_back({number, {}});
  ++intervals_.back().sample.requests;
  intervals_.back().sample.bytes += bytes;
}

IntervalSeries::Samples IntervalSeries::complete_samples(Duration measured) const {
  X25_CHECK(measured.count() >= 0);
  const auto complete = static_cast<std::uint64_t>(measured / interval);
  Samples samples;
  for (const Interval& entry : intervals_) {
    if (entry.number < complete) samples.active.push_back(entry.sample);
  }
  samples.idle = complete - samples.active.size();
  return samples;
}

std::size_t depth_level(std::uint32_t in_flight) {
  X25_CHECK(in_flight >= 1);
  const auto level = static_cast<std::size_t>(std::bit_width(in_flight)) - 1;
  return std::min(level, depth_levels.size() - 1);
}

std::size_t batch_level(std::uint64_t requests) {
  if (requests == 0) return 0;
  const auto width = static_cast<std::size_t>(std::bit_width(requests - 1));
  return std::clamp<std::size_t>(width, 2, batch_levels) - 1;
}

}  // namespace x25sim::measure
