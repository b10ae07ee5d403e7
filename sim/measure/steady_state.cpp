#include "sim/measure/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nand/check.hpp"

namespace x25sim::measure {

SteadyStateWindow judge_steady_state(std::span<const double> values, const SteadyStateRule& rule) {
  X25_CHECK(rule.rounds >= 2);
  X25_CHECK(values.size() == rule.rounds);
  X25_CHECK(std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }));
  const auto count = static_cast<double>(values.size());
  SteadyStateWindow window;
  window.average = std::accumulate(values.begin(), values.end(), 0.0) / count;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  window.range = *most - *least;
  double products = 0;
  double squares = 0;
  double distance = -(count - 1) / 2;  // of a round from the middle of the window
  for (const double value : values) {
    products += distance * value;
    squares += distance * distance;
    distance += 1;
  }
  window.slope = products / squares;
  window.excursion = std::abs(window.slope) * (count - 1);
  const double scale = std::abs(window.average);
  window.steady =
      window.range <= rule.range_max * scale && window.excursion <= rule.excursion_max * scale;
  return window;
}

}  // namespace x25sim::measure
