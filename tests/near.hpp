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

}  // namespace x25sim::test
