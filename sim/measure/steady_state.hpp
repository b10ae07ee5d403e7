// SNIA's criterion for a steady state.
#pragma once

#include <cstddef>
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

}  // namespace x25sim::measure
