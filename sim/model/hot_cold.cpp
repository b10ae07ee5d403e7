#include "sim/model/hot_cold.hpp"

#include <cmath>

#include "nand/check.hpp"
#include "sim/model/numeric.hpp"

namespace x25sim::model {

double fifo_mixed_write_amplification(double spare_factor, std::span<const TrafficClass> classes) {
  X25_CHECK(spare_factor > 0);
  X25_CHECK(spare_factor < 1);
  const double rho = 1 - spare_factor;
  // Programs per host write that A lets follow, less A itself: falls with A.
  const auto excess = [&](double amplification) {
    double programs = 0;
    for (const TrafficClass& pages : classes) {
      const double size = pages.space_share * rho * amplification;
      programs +=
          pages.write_share > 0 ? pages.write_share / -std::expm1(-pages.write_share / size) : size;
    }
    return programs - amplification;
  };
  // r / (1 - exp(-u)) <= r + r / u, so that A <= 1 + rho A. The margin is for rounding.
  return find_root(excess, 1 - 1e-9, (1 + 1e-9) / spare_factor);
}

SeparatePools separate_pools(double spare_factor, const HotCold& mix, const UniformModel& uniform,
                             double hot_space) {
  const double rho = 1 - spare_factor;
  SeparatePools pools{.hot_space = hot_space,
                      .spare_factor_hot = 1 - mix.space * rho / hot_space,
                      .spare_factor_cold = 1 - (1 - mix.space) * rho / (1 - hot_space),
                      .write_amplification = 0};
  pools.write_amplification = mix.writes * uniform(pools.spare_factor_hot) +
                              (1 - mix.writes) * uniform(pools.spare_factor_cold);
  return pools;
}

SeparatePools best_separate_pools(double spare_factor, const HotCold& mix,
                                  const UniformModel& uniform) {
  X25_CHECK(spare_factor > 0);
  X25_CHECK(spare_factor < 1);
  // A pool without any of the spare pages would have no bound on its write amplification.
  const double margin = 1e-6 * spare_factor;
  const double low = mix.space * (1 - spare_factor) + margin;
  const double high = 1 - (1 - mix.space) * (1 - spare_factor) - margin;
  const double best = find_minimum(
      [&](double hot_space) {
        return separate_pools(spare_factor, mix, uniform, hot_space).write_amplification;
      },
      low, high);
  return separate_pools(spare_factor, mix, uniform, best);
}

}  // namespace x25sim::model
