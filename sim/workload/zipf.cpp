#include "sim/workload/zipf.hpp"

#include <algorithm>
#include <cmath>

#include "nand/check.hpp"

namespace x25sim::workload {
namespace {

// Sum of k^-theta over k from 1 to n: the first terms one by one, the others by Euler's and
// Maclaurin's formula, whose next term is below 10^-12.
double zeta(double theta, std::uint64_t n) {
  constexpr std::uint64_t terms = 1 << 12;
  double sum = 0;
  const std::uint64_t first = std::min(n, terms);
  for (std::uint64_t k = 1; k <= first; ++k) sum += std::pow(static_cast<double>(k), -theta);
  if (n <= terms) return sum;
  const auto from = static_cast<double>(first);
  const auto to = static_cast<double>(n);
  const double integral = (std::pow(to, 1 - theta) - std::pow(from, 1 - theta)) / (1 - theta);
  const double ends = (std::pow(to, -theta) - std::pow(from, -theta)) / 2;
  const double slopes = theta * (std::pow(from, -theta - 1) - std::pow(to, -theta - 1)) / 12;
  return sum + integral + ends + slopes;
}

}  // namespace

Zipf::Zipf(double theta, std::uint64_t ranks)
    : ranks_(ranks),
      exponent_(1 / (1 - theta)),
      sum_(zeta(theta, ranks)),
      sum_of_two_(1 + std::pow(0.5, theta)),
      eta_(0) {
  X25_CHECK(theta >= 0 && theta != 1 && ranks > 0);
  if (ranks <= 2) return;
  const double below_two = std::pow(2 / static_cast<double>(ranks), 1 - theta);
  eta_ = (1 - below_two) / (1 - sum_of_two_ / sum_);
}

std::uint64_t Zipf::next(Random& random) const {
  const double uniform = random.unit();
  if (uniform * sum_ < 1) return 1;
  if (ranks_ == 2 || uniform * sum_ < sum_of_two_) return 2;
  const double share = std::pow(eta_ * uniform - eta_ + 1, exponent_);
  const auto above = static_cast<std::uint64_t>(static_cast<double>(ranks_) * share);
  return std::min(1 + above, ranks_);
}

}  // namespace x25sim::workload
