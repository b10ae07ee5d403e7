#include "sim/measure/job_statistics.hpp"

#include <algorithm>
#include <bit>

#include "nand/check.hpp"

namespace x25sim::measure {

void IntervalSeries::add(Duration elapsed, Bytes bytes) {
  X25_CHECK(elapsed.count() >= 0);
  const auto index = static_cast<std::size_t>(elapsed / interval);
  if (index >= samples_.size()) samples_.resize(index + 1);
  ++samples_[index].requests;
  samples_[index].bytes += bytes;
}

std::vector<IntervalSeries::Sample> IntervalSeries::complete_samples(Duration measured) const {
  X25_CHECK(measured.count() >= 0);
  const auto complete = static_cast<std::size_t>(measured / interval);
  std::vector<Sample> result(
      samples_.begin(),
      samples_.begin() + static_cast<std::ptrdiff_t>(std::min(complete, samples_.size())));
  result.resize(complete);
  return result;
}

std::size_t depth_level(std::uint32_t in_flight) {
  X25_CHECK(in_flight >= 1);
  const auto level = static_cast<std::size_t>(std::bit_width(in_flight)) - 1;
  return std::min(level, depth_levels.size() - 1);
}

}  // namespace x25sim::measure
