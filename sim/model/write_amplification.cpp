#include "sim/model/write_amplification.hpp"

#include <algorithm>
#include <cmath>

#include "nand/check.hpp"
#include "sim/model/numeric.hpp"

namespace x25sim::model {

namespace {

void check_spare_factor(double spare_factor) {
  X25_CHECK(spare_factor > 0);
  X25_CHECK(spare_factor < 1);
}

// M_i from the level above it: the zero of c (M - above) + M^d - 1 with c = lambda i / (b rho).
double next_level(double above, double c, std::uint32_t choices) {
  // Convex and rising, and positive at 1: Newton's method comes down to the zero from there.
  double level = 1;
  for (int step = 0; step < 200; ++step) {
    const double power = std::pow(level, choices - 1.0);
    const double value = c * (level - above) + power * level - 1;
    const double next = level - value / (c + choices * power);
    if (next >= level) break;
    const bool settled = level - next <= 1e-16 * level;
    level = std::max(next, above);
    if (settled) break;
  }
  return level;
}

// The levels for a given lambda, and their sum from 1 on.
double fill_levels(std::vector<double>& at_least, double lambda, double filled,
                   std::uint32_t choices) {
  double sum = 0;
  double above = 0;
  for (std::size_t i = at_least.size() - 1; i > 0; --i) {
    above = next_level(above, lambda * static_cast<double>(i) / filled, choices);
    at_least[i] = above;
    sum += above;
  }
  at_least[0] = 1;
  return sum;
}

}  // namespace

double fifo_write_amplification(double spare_factor) {
  check_spare_factor(spare_factor);
  const double rho = 1 - spare_factor;
  // With y = (1 - x) / rho the condition is 1 - exp(-y) = rho y. The difference is concave, so
  // that Newton's method comes down to the zero from the right.
  double y = 1 / rho;
  for (int step = 0; step < 200; ++step) {
    const double next = y - (-std::expm1(-y) - rho * y) / (std::exp(-y) - rho);
    if (!(next < y) || !(next > 0)) break;
    y = next;
  }
  return 1 / (rho * y);
}

double random_write_amplification(double spare_factor) {
  check_spare_factor(spare_factor);
  return 1 / spare_factor;
}

GreedyVictim greedy_victim(double spare_factor, std::uint32_t pages_per_block) {
  check_spare_factor(spare_factor);
  X25_CHECK(pages_per_block > 0);
  const double b = pages_per_block;
  const double filled = b * (1 - spare_factor);
  // From j = b - 1 down: j = b solves the equations too, with no host write at all. A victim has
  // fewer valid pages than the mean block, and from there on q falls with j.
  double harmonic_difference = 1 / b;  // H_b - H_j
  for (std::uint32_t j = pages_per_block - 1; j > 0; --j) {
    const double q = (filled * harmonic_difference - b + j) / (1 - filled / j);
    if (j < filled && q < 1) {
      const double share = std::max(q, 0.0);  // below 0 by rounding alone
      return {j, share, b - j + share};
    }
    harmonic_difference += 1.0 / j;
  }
  return {0, 0, b};
}

double greedy_write_amplification(double spare_factor, std::uint32_t pages_per_block) {
  return pages_per_block / greedy_victim(spare_factor, pages_per_block).host_pages_per_victim;
}

BlockLevels d_choices_levels(double spare_factor, std::uint32_t pages_per_block,
                             std::uint32_t choices) {
  check_spare_factor(spare_factor);
  X25_CHECK(pages_per_block > 0);
  X25_CHECK(choices > 0);
  const double b = pages_per_block;
  const double filled = b * (1 - spare_factor);
  BlockLevels levels;
  levels.at_least.assign(std::size_t{pages_per_block} + 1, 0.0);
  const auto excess = [&](double lambda) {
    return fill_levels(levels.at_least, lambda, filled, choices) - filled;
  };
  // lambda = b - E[valid pages of a victim]; a victim is no fuller than the mean block, and no
  // emptier than empty.
  levels.host_pages_per_victim = find_root(excess, 0.5 * (b - filled), 1.5 * b);
  excess(levels.host_pages_per_victim);
  return levels;
}

double d_choices_write_amplification(double spare_factor, std::uint32_t pages_per_block,
                                     std::uint32_t choices) {
  return pages_per_block /
         d_choices_levels(spare_factor, pages_per_block, choices).host_pages_per_victim;
}

double power_slope(double lower, double upper, std::uint32_t exponent) {
  const double difference = upper - lower;
  // Where the powers would cancel, the derivative between the two, whose error is of the second
  // order.
  if (exponent * difference <= 1e-5 * upper) {
    return exponent * std::pow(lower + difference / 2, exponent - 1.0);
  }
  return (std::pow(upper, exponent) - std::pow(lower, exponent)) / difference;
}

double write_amplification(const Collection& collection, double spare_factor) {
  switch (collection.policy) {
    case VictimPolicy::greedy:
      return greedy_write_amplification(spare_factor, collection.pages_per_block);
    case VictimPolicy::fifo: return fifo_write_amplification(spare_factor);
    case VictimPolicy::random: return random_write_amplification(spare_factor);
    case VictimPolicy::d_choices:
      return d_choices_write_amplification(spare_factor, collection.pages_per_block,
                                           collection.choices);
  }
  return 0;
}

std::uint32_t effective_pages_per_block(std::uint32_t pages_per_block,
                                        std::uint32_t request_pages) {
  X25_CHECK(pages_per_block > 0);
  X25_CHECK(request_pages > 0);
  X25_CHECK(pages_per_block % request_pages == 0 || request_pages % pages_per_block == 0);
  return std::max(1U, pages_per_block / request_pages);
}

}  // namespace x25sim::model
