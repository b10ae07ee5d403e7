#include "sim/model/write_amplification.hpp"

#include "nand/check.hpp"

namespace x25sim::model {

double greedy_write_amplification(double spare_factor, std::uint32_t pages_per_block) {
  X25_CHECK(spare_factor > 0);
  X25_CHECK(spare_factor < 1);
  const double b = pages_per_block;
  const double filled = b * (1 - spare_factor);
  // From j = b - 1 down: j = b solves the equations too, with no host write at all.
  double harmonic_difference = 1 / b;  // H_b - H_j
  for (std::uint32_t j = pages_per_block - 1; j > 0; --j) {
    const double q = (filled * harmonic_difference - b + j) / (1 - filled / j);
    if (q >= 0 && q < 1) return b / (b - j + q);
    harmonic_difference += 1.0 / j;
  }
  return 1;  // victims are empty before they are chosen
}

}  // namespace x25sim::model
