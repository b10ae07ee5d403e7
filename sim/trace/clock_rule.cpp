#include "sim/trace/clock_rule.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "nand/check.hpp"
#include "nand/errors.hpp"
#include "nand/suggestion.hpp"

namespace x25sim::trace {

BackwardTimes backward_times(const std::string& text) {
  using Policy = BackwardTimes::Policy;
  if (text == "clamp") return {Policy::clamp, 0};
  if (text == "refuse") return {Policy::refuse, 0};
  if (text == "sort") return {Policy::sort, BackwardTimes::default_window};
  constexpr std::string_view with_window = "sort:";
  if (text.starts_with(with_window)) {
    std::size_t window = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + with_window.size(), end, window);
    if (error == std::errc{} && rest == end && window >= 1 && window <= BackwardTimes::window_max) {
      return {Policy::sort, window};
    }
    throw InputError({"--backward-times", 0},
                     fmt::format("expected sort:N with N from 1 to {}, found {}",
                                 BackwardTimes::window_max, in_quotes(text)));
  }
  throw InputError({"--backward-times", 0},
                   "expected clamp, sort[:N] or refuse, found " + in_quotes(text));
}

void ClockRule::add(const Record& record) {
  const bool backwards = added_ > 0 && record.time_ns < newest_ns_;
  if (backwards && rule_.policy == BackwardTimes::Policy::refuse) {
    throw InputError(
        names_.where(record),
        fmt::format("expected times that do not go backwards, found {} ns behind a record at {} "
                    "ns; --backward-times clamp or sort takes it",
                    record.time_ns, newest_ns_));
  }
  newest_ns_ = record.time_ns;
  heap_.push_back({record, added_++});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

std::optional<Record> ClockRule::take() {
  if (heap_.empty() || (heap_.size() <= rule_.window && !ended_)) return std::nullopt;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Record record = heap_.back().record;
  heap_.pop_back();
  if (record.time_ns < last_ns_) {
    record.time_ns = last_ns_;
    ++clamped_;
  }
  last_ns_ = record.time_ns;
  return record;
}

void ClockRule::restart() {
  X25_CHECK(heap_.empty());
  added_ = 0;
  newest_ns_ = 0;
  last_ns_ = 0;
  ended_ = false;
}

}  // namespace x25sim::trace
