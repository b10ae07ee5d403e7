// Comparison of numbers with values that were printed with so many digits.
#pragma once

#include <cmath>
#include <doctest/doctest.h>

namespace x25sim::test {

// Whether `value` is within `tolerance` of `expected`; says so if it is not.
inline bool near(double value, double expected, double tolerance) {
  if (std::abs(value - expected) <= tolerance) return true;
  MESSAGE(value, " is not within ", tolerance, " of ", expected);
  return false;
}

// For CHECK(value == within(expected, 0.005)): equal but for so large a share of the larger one.
inline doctest::Approx within(double expected, double share) {
  return doctest::Approx(expected).epsilon(share).scale(0);
}

}  // namespace x25sim::test
