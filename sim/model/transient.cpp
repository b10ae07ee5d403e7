#include "sim/model/transient.hpp"

#include <cmath>

#include "nand/check.hpp"
#include "sim/model/numeric.hpp"

namespace x25sim::model {

double filled_collection_start(double spare_factor) {
  X25_CHECK(spare_factor > 0);
  X25_CHECK(spare_factor < 1);
  return spare_factor / (1 - spare_factor);
}

double filled_onset_write_amplification(double spare_factor) {
  return -1 / std::expm1(-filled_collection_start(spare_factor));
}

double empty_collection_start(double spare_factor) {
  X25_CHECK(spare_factor > 0);
  X25_CHECK(spare_factor < 1);
  return 1 / (1 - spare_factor);
}

double empty_write_amplification(const Collection& collection, double spare_factor,
                                 double drive_writes) {
  X25_CHECK(drive_writes >= 0);
  if (drive_writes < empty_collection_start(spare_factor)) return 1;
  return write_amplification(collection, 1 + (1 - spare_factor) * std::expm1(-drive_writes));
}

std::optional<double> empty_settling_time(const Collection& collection, double spare_factor,
                                          double tolerance) {
  X25_CHECK(tolerance > 0);
  X25_CHECK(tolerance < 1);
  const double goal = (1 - tolerance) * write_amplification(collection, spare_factor);
  if (goal < 1) return {};
  const double start = empty_collection_start(spare_factor);
  const auto excess = [&](double drive_writes) {
    return empty_write_amplification(collection, spare_factor, drive_writes) - goal;
  };
  if (excess(start) >= 0) return start;
  // After 40 drive writes no double tells the rest of unwritten pages from none.
  return find_root(excess, start, start + 40);
}

}  // namespace x25sim::model
