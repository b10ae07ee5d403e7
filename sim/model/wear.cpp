#include "sim/model/wear.hpp"

#include <cmath>

#include "nand/check.hpp"

namespace x25sim::model {

namespace {

double greedy_dispersion(double spare_factor, std::uint32_t pages_per_block) {
  const GreedyVictim victim = greedy_victim(spare_factor, pages_per_block);
  const double per_page =
      pages_per_block * (1 - spare_factor) / victim.host_pages_per_victim;  // m_i i
  double sum = 0;
  double squares = 0;
  for (std::uint32_t i = pages_per_block; i > victim.valid_pages; --i) {
    const double share = per_page / i;
    sum += share;
    squares += share * share;
  }
  const double waiting = 1 - sum;  // blocks among which the victim is chosen
  return squares + waiting * waiting;
}

double d_choices_dispersion(double spare_factor, std::uint32_t pages_per_block,
                            std::uint32_t choices) {
  const BlockLevels levels = d_choices_levels(spare_factor, pages_per_block, choices);
  const double filled = pages_per_block * (1 - spare_factor);
  double mean = 0;    // E_i, time until a block of level i becomes a victim
  double square = 0;  // of E_i^2
  for (std::size_t i = 0; i <= pages_per_block; ++i) {
    const double above = i < pages_per_block ? levels.at_least[i + 1] : 0;
    const double down = levels.host_pages_per_victim * static_cast<double>(i) / filled;
    const double rate = down + power_slope(above, levels.at_least[i], choices);
    const double share_down = down / rate;
    square = 2 / (rate * rate) + 2 * share_down / rate * mean + share_down * square;
    mean = 1 / rate + share_down * mean;
  }
  return square / (mean * mean) - 1;
}

}  // namespace

double erase_dispersion(const Collection& collection, double spare_factor) {
  switch (collection.policy) {
    case VictimPolicy::greedy: return greedy_dispersion(spare_factor, collection.pages_per_block);
    case VictimPolicy::fifo: return 0;
    case VictimPolicy::random: return 1;
    case VictimPolicy::d_choices:
      return d_choices_dispersion(spare_factor, collection.pages_per_block, collection.choices);
  }
  return 0;
}

double expected_max_erases(double mean, double dispersion, double blocks) {
  X25_CHECK(mean >= 0);
  X25_CHECK(dispersion >= 0);
  X25_CHECK(blocks >= 1);
  return mean + std::sqrt(2 * dispersion * mean * std::log(blocks));
}

double static_levelling_factor(double static_share, double threshold) {
  X25_CHECK(static_share >= 0);
  X25_CHECK(static_share < 1);
  X25_CHECK(threshold >= 1);
  return 1 + static_share / threshold;
}

double lifetime_bytes(double raw_bytes, double cycles, double write_amplification,
                      double wear_factor) {
  X25_CHECK(raw_bytes > 0);
  X25_CHECK(cycles > 0);
  X25_CHECK(write_amplification > 0);
  X25_CHECK(wear_factor > 0);
  return raw_bytes * cycles / (write_amplification * wear_factor);
}

}  // namespace x25sim::model
