// Zeros and minima of functions of one variable, for closed forms that cannot be solved for what
// is asked.
#pragma once

#include <algorithm>
#include <cmath>

#include "nand/check.hpp"

namespace x25sim::model {

// The x in [low, high] at which `function`, continuous there, is zero, to about 1e-15 of x.
// Requires: function(low) and function(high) have opposite signs, or one of them is zero.
// Regula falsi after Dowell and Jarratt ("Illinois", BIT 11, 1971), with every third step a
// bisection so that no shape of the function can make it crawl.
template <typename Function>
double find_root(const Function& function, double low, double high) {
  double at_low = function(low);
  double at_high = function(high);
  if (at_low == 0) return low;
  if (at_high == 0) return high;
  X25_CHECK((at_low < 0) != (at_high < 0));
  int side = 0;  // which end moved last
  for (int step = 0; high - low > 1e-15 * std::max(std::abs(low), std::abs(high)); ++step) {
    double middle = (low * at_high - high * at_low) / (at_high - at_low);
    if (step % 3 == 2 || !(low < middle && middle < high)) middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;  // neighbours
    const double at_middle = function(middle);
    if (at_middle == 0) return middle;
    if ((at_middle < 0) == (at_low < 0)) {
      low = middle;
      at_low = at_middle;
      if (side == -1) at_high /= 2;
      side = -1;
    } else {
      high = middle;
      at_high = at_middle;
      if (side == 1) at_low /= 2;
      side = 1;
    }
  }
  return low + (high - low) / 2;
}

// The x in [low, high] at which `function`, falling before it and rising behind it, is least: by
// golden section to about 1e-9 of the interval, which gives the minimum itself to rounding.
template <typename Function>
double find_minimum(const Function& function, double low, double high) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double at_left = function(left);
  double at_right = function(right);
  const double resolution = 1e-9 * (high - low);
  while (high - low > resolution) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = function(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = function(right);
    }
  }
  return low + (high - low) / 2;
}

}  // namespace x25sim::model
