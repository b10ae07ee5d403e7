// How write amplification comes to its steady value under uniform random writes. Time is in drive
// writes: as many pages written by the host as hold data when all are written, U. T are the pages
// that take part in garbage collection, spare_factor = (T - U) / T, over-provisioning OP = (T - U)
// / U. Derived for this project; agrees with Monte Carlo within 3 %, and better from 5 drive writes
// on.
#pragma once

#include <optional>

#include "sim/model/write_amplification.hpp"

namespace x25sim::model {

// A drive that was filled first, in whatever order: no collection until OP drive writes of spare
// pages are used up.
double filled_collection_start(double spare_factor);
// Then the first victims have the valid share exp(-OP), if they are taken in the order in which
// they were filled: WA = 1 / (1 - exp(-OP)), above the steady value. Gone within a drive write.
double filled_onset_write_amplification(double spare_factor);

// A drive that was empty: a share 1 - exp(-t) of the pages holds data after t drive writes, and
// collection starts when T pages have been written, at t = T / U.
double empty_collection_start(double spare_factor);
// From then on, the drive is at every time close to the steady state for the pages that hold data
// at that time: WA(t) = A(1 - (1 - spare_factor) (1 - exp(-t))); 1 before. `drive_writes` >= 0.
double empty_write_amplification(const Collection& collection, double spare_factor,
                                 double drive_writes);
// Drive writes until that is within the share `tolerance` of the steady value, 0 < tolerance < 1:
// nothing if the steady value is 1 and thus no way off at any time.
std::optional<double> empty_settling_time(const Collection& collection, double spare_factor,
                                          double tolerance);

}  // namespace x25sim::model
