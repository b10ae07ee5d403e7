// When a drive has come to its steady state, by SNIA's criterion.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>

namespace x25sim::measure {

// A number of successive rounds of one metric, of whatever unit, is steady if it neither spreads
// nor drifts: its values lie within `range_max` of their average, and the least-squares line
// through them rises or falls by at most `excursion_max` of it from the first round to the last.
// The numbers are those of SNIA's Solid State Storage Performance Test Specification.
struct SteadyStateRule {
  std::size_t rounds = 5;  // >= 2
  double range_max = 0.2;
  double excursion_max = 0.1;
};

struct SteadyStateWindow {
  double average = 0;
  double range = 0;      // largest less smallest value
  double slope = 0;      // of the line, per round
  double excursion = 0;  // |slope| x (rounds - 1)
  bool steady = false;
};

// Judges `values`, one for each of the rule's rounds, in their order. Requires: as many as that,
// all of them finite.
SteadyStateWindow judge_steady_state(std::span<const double> values, const SteadyStateRule& rule);

// Watches rounds until the last ones are steady.
//
// Numbers alone cannot tell a drive that has settled from one that has not begun to change: an
// empty drive collects no garbage and has the write amplification 1 round after round. So the
// detector does not look at rounds that begin before the drive has been written
// `conditioning_min` times: at least about (1 + over-provisioning) from empty, or 2 after a
// sequential fill. Later on, a drift that is slow against the rounds still passes for none; rounds
// of a fifth of a drive write or more avoid that.
class SteadyStateDetector {
 public:
  // `conditioning_min` >= 0, in drive writes: as many host bytes as the host can address.
  explicit SteadyStateDetector(double conditioning_min, const SteadyStateRule& rule = {});

  // Takes the next round, which began after `drive_writes` drive writes in all. Whether the window
  // that ends with it is steady. Requires: a finite value; drive writes do not fall.
  bool add_round(double value, double drive_writes);

  // Of the last rounds that counted; nothing while they are too few.
  const std::optional<SteadyStateWindow>& window() const { return window_; }

 private:
  double conditioning_min_;
  SteadyStateRule rule_;
  double drive_writes_ = 0;
  std::deque<double> values_;
  std::optional<SteadyStateWindow> window_;
};

}  // namespace x25sim::measure
