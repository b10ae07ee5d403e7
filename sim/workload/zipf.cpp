#include "sim/workload/zipf.hpp"

#include <algorithm>
#include <cmath>

#include "nand/check.hpp"

namespace x25sim::workload {
namespace {

// log(1 + x) / x and (exp(x) - 1) / x, with their limits at 0: theta may be near 1.
double log1p_ratio(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x / 2; }
double expm1_ratio(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x / 2; }

}  // namespace

Zipf::Zipf(double theta, std::uint64_t ranks) : theta_(theta), ranks_(static_cast<double>(ranks)) {
  X25_CHECK(theta >= 0 && ranks > 0);
  from_ = hat_integral(1.5) - 1;
  to_ = hat_integral(ranks_ + 0.5);
  middle_ = 2 - hat_integral_inverse(hat_integral(2.5) - weight(2));
}

std::uint64_t Zipf::next(Random& random) const {
  for (;;) {
    const double area = to_ + random.unit() * (from_ - to_);
    const double x = hat_integral_inverse(area);
    const double rank = std::clamp(std::floor(x + 0.5), 1.0, ranks_);
    if (rank - x <= middle_ || area >= hat_integral(rank + 0.5) - weight(rank)) {
      return static_cast<std::uint64_t>(rank);
    }
  }
}

// Of x^-theta, 0 at 1.
double Zipf::hat_integral(double x) const {
  const double log_x = std::log(x);
  return expm1_ratio((1 - theta_) * log_x) * log_x;
}

double Zipf::hat_integral_inverse(double y) const {
  // Rounding must not leave the domain of the logarithm.
  const double t = std::max((1 - theta_) * y, -1.0);
  return std::exp(log1p_ratio(t) * y);
}

double Zipf::weight(double rank) const { return std::exp(-theta_ * std::log(rank)); }

}  // namespace x25sim::workload
