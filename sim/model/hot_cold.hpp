// Write amplification where some pages are written more often than others. Every write picks its
// page independently of those before it. For `spare_factor`, rho and b see write_amplification.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "sim/model/write_amplification.hpp"

namespace x25sim::model {

// Pages that are all equally likely to be written.
struct TrafficClass {
  double write_share;  // r >= 0, of the writes
  double space_share;  // f > 0, of the pages that hold data
};

// FIFO collection and one write frontier, exact in the limit of many blocks: A = sum of r / (1 -
// exp(-r / (A f rho))) over the classes, in which a class that is never written counts f rho A.
// Requires: both shares of the classes have the sum 1. Desnoyers, "Analytic models of SSD write
// performance", ACM TOS 10 (2014).
double fifo_mixed_write_amplification(double spare_factor, std::span<const TrafficClass> classes);

// The share `writes` of all writes goes to the share `space` of the pages; both between 0 and 1.
struct HotCold {
  double writes;  // r
  double space;   // f
};

// Hot and cold pages in blocks of their own, collected apart from each other.
struct SeparatePools {
  double hot_space;  // t, share of the physical pages that the hot pool has
  double spare_factor_hot;
  double spare_factor_cold;
  double write_amplification;
};

// Each pool is a drive under uniform writes: WA = r A(1 - f rho / t) + (1 - r) A(1 - (1 - f) rho /
// (1 - t)), where `uniform` is A as a function of the spare factor.
using UniformModel = std::function<double(double spare_factor)>;

// Requires: both pools have spare pages, f rho < hot_space < 1 - (1 - f) rho.
SeparatePools separate_pools(double spare_factor, const HotCold& mix, const UniformModel& uniform,
                             double hot_space);

// The same with the hot_space for which write amplification is least. No way to place pages that
// are written independently can do better under the same collection.
SeparatePools best_separate_pools(double spare_factor, const HotCold& mix,
                                  const UniformModel& uniform);

// Hot and cold pages in the same blocks, one frontier, greedy (`choices` = 0, ties at random) or
// the best of `choices` = d blocks: stationary shares of blocks with h hot and c cold valid pages,
// in the limit of many blocks. Of h hot pages lambda r h / (f rho b) become invalid per victim, and
// a new block has its victim's pages and a binomial number of hot ones among the others. Other
// rules for ties give greedy collection up to 3 % more. Nothing if the iteration has not settled
// after tens of thousands of generations of blocks. Requires: spare_factor, writes and space are at
// least mixed_share_min from 0 and from 1. After Van Houdt, "Performance of garbage collection
// algorithms for flash-based solid state drives with hot/cold data", Performance Evaluation 70
// (2013).
std::optional<double> mixed_write_amplification(double spare_factor, std::uint32_t pages_per_block,
                                                std::uint32_t choices, const HotCold& mix);
inline constexpr double mixed_share_min = 0.01;
inline constexpr std::uint32_t mixed_pages_per_block_max = 256;

}  // namespace x25sim::model
