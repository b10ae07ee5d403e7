// Ranks of Zipf's law, exactly and in constant time and memory.
#pragma once

#include <cstdint>

#include "nand/random.hpp"

namespace x25sim::workload {

// P(k) = k^-theta / sum over i from 1 to n of i^-theta, for k from 1 to n, by rejection-inversion:
// a point under a hat, the integral of x^-theta, is inverted, and rejected in the corners where the
// hat is above the steps of P (Hörmann and Derflinger, "Rejection-inversion to generate variates
// from monotone discrete distributions", ACM TOMACS 6, 1996).
class Zipf {
 public:
  // Requires: theta >= 0, ranks > 0.
  Zipf(double theta, std::uint64_t ranks);

  std::uint64_t next(Random& random) const;

 private:
  double hat_integral(double x) const;
  double hat_integral_inverse(double y) const;
  double weight(double rank) const;

  double theta_;
  double ranks_;
  double from_;    // integral of the hat where its area begins
  double to_;      // and ends
  double middle_;  // ranks whose steps lie closer than this to the point need no test
};

}  // namespace x25sim::workload
