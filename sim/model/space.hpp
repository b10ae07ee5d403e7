// Spare space that a drive has beyond its nominal one: from TRIM, and from addresses that hold no
// data of use. The results are spare factors for write_amplification.hpp.
#pragma once

#include "sim/model/write_amplification.hpp"

namespace x25sim::model {

// Requests are trims of a random page that holds data with probability `trim_share` = q, else
// writes of a random page: a share s = (1 - 2 q) / (1 - q) of the pages holds data. 0 <= q < 1/2.
// Frankie, Hughes and Kreutz-Delgado, "Analysis of trim commands on overprovisioning and write
// amplification in solid state drives", arXiv:1208.1794 (2012).
double trimmed_in_use_share(double trim_share);

// The spare factor that the drive then has: 1 - s (1 - spare_factor), exact for every policy.
double trimmed_spare_factor(double spare_factor, double trim_share);

// A drive of which only a part of the addresses is in use. All in the same unit, of which only the
// ratios matter: 0 < data <= addressable < raw.
struct Span {
  double raw;          // flash that takes part in garbage collection
  double addressable;  // what the host can address
  double data;         // what it writes to, uniformly
};

// Spare factors with the rest never written, or trimmed; and with the rest written once in order
// and stale since, where collection leaves it alone in blocks of its own that stay full.
double clean_spare_factor(const Span& span);  // 1 - data / raw
double stale_spare_factor(const Span& span);  // 1 - data / (raw - (addressable - data))

// Write amplification with a stale rest. Greedy collection never takes its blocks. FIFO collection
// copies it again in every cycle: a class of pages without writes. Holds from a sequentially
// written start on; where stale pages share blocks with others, they stay in the way. Of the other
// policies, which fall between the two, nothing is known: requires greedy or fifo.
double stale_write_amplification(const Collection& collection, const Span& span);

}  // namespace x25sim::model
