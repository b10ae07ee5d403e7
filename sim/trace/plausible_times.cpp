#include "sim/trace/plausible_times.hpp"

#include <fmt/format.h>

namespace x25sim::trace {

namespace {

constexpr std::uint64_t year_ns = std::uint64_t{365} * 24 * 3600 * 1'000'000'000;
constexpr std::uint64_t millisecond = 1'000'000;
constexpr double iops_max = 1e7;
// A few records may well come at once.
constexpr std::uint64_t few_records = 100;
constexpr std::uint64_t many_records = 1000;

constexpr const char* advice = "is it the unit of time? --time-unit says another";

}  // namespace

std::vector<std::string> implausible_times(std::uint64_t records, std::uint64_t span_ns) {
  std::vector<std::string> sentences;
  if (records > many_records && span_ns < millisecond) {
    sentences.push_back(fmt::format("{} records within {} ns; {}", records, span_ns, advice));
  } else if (records > few_records &&
             static_cast<double>(records) * 1e9 > iops_max * static_cast<double>(span_ns)) {
    sentences.push_back(fmt::format("{} records within {} ns are more than {:.0f} a second; {}",
                                    records, span_ns, iops_max, advice));
  }
  if (span_ns > year_ns) {
    sentences.push_back(fmt::format("the records span {:.1f} years; {}",
                                    static_cast<double>(span_ns) / static_cast<double>(year_ns),
                                    advice));
  }
  return sentences;
}

}  // namespace x25sim::trace
