#include "sim/backend/latency_search.hpp"

#include <algorithm>

namespace x25sim::backend {

namespace {

// The least depth that has done badly may have been judged by an outlier: after so many windows
// right below it that did well, fio tries it once more.
constexpr std::uint32_t successes_before_retry = 3;

}  // namespace

void LatencySearch::begin(Time now) {
  depth_ = good_ = 1;
  bad_ = iodepth_;
  successes_ = 0;
  begin_window(now);
}

void LatencySearch::begin_window(Time now) {
  window_begin_ = now;
  requests_ = exceeded_ = 0;
}

LatencySearch::Verdict LatencySearch::add(Duration latency) {
  ++requests_;
  if (latency <= target_.target) return Verdict::go_on;
  ++exceeded_;
  if (target_.percentile < 100) return Verdict::go_on;
  if (depth_ == 1) return Verdict::too_slow;
  lower();
  return Verdict::lowered;
}

LatencySearch::Verdict LatencySearch::check(Time now) {
  if (now - window_begin_ < target_.window) return Verdict::go_on;
  const double good_percent = 100 * static_cast<double>(requests_ - exceeded_) /
                              static_cast<double>(std::max<std::uint64_t>(requests_, 1));
  if (good_percent >= target_.percentile) return raise(now);
  if (depth_ == 1) return Verdict::go_on;  // as fio: the window goes on
  lower();
  return Verdict::lowered;
}

void LatencySearch::lower() {
  bad_ = depth_;
  if (depth_ == good_) --good_;
  depth_ = (depth_ + good_) / 2;
  successes_ = 0;
}

LatencySearch::Verdict LatencySearch::raise(Time now) {
  const std::uint32_t before = depth_;
  good_ = depth_;
  if (depth_ + 1 == bad_ && ++successes_ >= successes_before_retry) {
    ++bad_;
    successes_ = 0;
  }
  // Doubled until a depth has done badly, then between the two.
  depth_ = bad_ == iodepth_ ? depth_ * 2 : (depth_ + bad_) / 2;
  depth_ = std::min(depth_, iodepth_);
  begin_window(now);
  if (target_.run_on || depth_ != before) return Verdict::go_on;
  if (final_) return Verdict::done;
  final_ = true;
  return Verdict::final_run;
}

}  // namespace x25sim::backend
