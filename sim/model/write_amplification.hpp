// Write amplification of a page-mapped drive under uniform random writes, in the limit of many
// blocks: programs per host page, with one write frontier that takes host pages and copies alike.
//
// `spare_factor` is (T - U) / T, 0 < spare_factor < 1, and rho = 1 - spare_factor; the results hold
// from 1e-6 on. `pages_per_block` = b >= 1 is of the unit that is erased: of a superblock if the
// drive erases those.
#pragma once

#include <cstdint>
#include <vector>

namespace x25sim::model {

// Garbage collection cleans blocks in the order in which they were filled. A block's pages have
// then all had the same time to become invalid, and x = exp(-(1 - x) / rho) of them are valid:
// x = -rho W(-exp(-1 / rho) / rho) with W Lambert's function, and WA = 1 / (1 - x), whatever b is.
// Menon, "A performance comparison of RAID-5 and log-structured arrays", HPDC (1995); Xiang and
// Kurkoski, "An improved analytic expression for write amplification in NAND flash", ICNC (2012);
// Desnoyers, "Analytic models of SSD write performance", ACM TOS 10 (2014).
double fifo_write_amplification(double spare_factor);

// Every full block is equally likely to be cleaned: its valid share is the drive's, WA = 1 /
// spare_factor.
double random_write_amplification(double spare_factor);

// What greedy garbage collection finds when it cleans the block with the fewest valid pages: j
// valid pages, or j - 1 of them with probability q. With H_n the harmonic numbers, host writes per
// victim are lambda = b - j + q = b rho (H_b - H_j + q / j), and one integer j gives 0 <= q < 1.
// j = 0: blocks are empty before they are chosen, lambda = b. Bux and Iliadis, "Performance of
// greedy garbage collection in flash-based SSDs", Performance Evaluation 67 (2010); Desnoyers (as
// above).
struct GreedyVictim {
  std::uint32_t valid_pages;     // j
  double share_with_one_less;    // q
  double host_pages_per_victim;  // lambda
};
GreedyVictim greedy_victim(double spare_factor, std::uint32_t pages_per_block);

// WA = b / lambda.
double greedy_write_amplification(double spare_factor, std::uint32_t pages_per_block);

// The stationary state of blocks under uniform random writes.
struct BlockLevels {
  double host_pages_per_victim;  // lambda
  // Element i: share of blocks with at least i valid pages, for i from 0 to b; element 0 is 1.
  std::vector<double> at_least;
};

// The best of `choices` = d >= 1 full blocks is cleaned, drawn at random with replacement. M_i, the
// share of blocks with at least i valid pages, follows from lambda i (M_i - M_{i+1}) / (b rho) =
// 1 - M_i^d for i from b down, M_{b+1} = 0, with the lambda for which the M_i from 1 on have the
// sum rho b. d = 1 is the random victim, d without bound the greedy one. Van Houdt, "A mean field
// model for a class of garbage collection algorithms in flash-based SSDs", SIGMETRICS (2013); Li,
// Lee and Lui, "Stochastic modeling of large-scale solid-state storage systems", SIGMETRICS (2013).
BlockLevels d_choices_levels(double spare_factor, std::uint32_t pages_per_block,
                             std::uint32_t choices);

// WA = b / lambda.
double d_choices_write_amplification(double spare_factor, std::uint32_t pages_per_block,
                                     std::uint32_t choices);

// (upper^exponent - lower^exponent) / (upper - lower) for 0 <= lower <= upper <= 1, exact to
// rounding where the two meet: the victims per block and unit of time of a level of blocks.
double power_slope(double lower, double upper, std::uint32_t exponent);

enum class VictimPolicy : std::uint8_t { greedy, fifo, random, d_choices };

// How victims are chosen.
struct Collection {
  VictimPolicy policy = VictimPolicy::greedy;
  std::uint32_t choices = 10;  // of d_choices
  std::uint32_t pages_per_block = 128;
};

// The one of the above that `collection` asks for.
double write_amplification(const Collection& collection, double spare_factor);

// Random requests of `request_pages` pages >= 1 that are aligned to their size are one page each to
// a block that holds b / request_pages of them: the b to use in all of the above. Requires: one
// of the two divides the other.
std::uint32_t effective_pages_per_block(std::uint32_t pages_per_block, std::uint32_t request_pages);

}  // namespace x25sim::model
