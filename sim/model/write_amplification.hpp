// Closed forms for the write amplification of a page-mapped drive under uniform random writes.
#pragma once

#include <cstdint>

namespace x25sim::model {

// Greedy garbage collection with one write frontier, for many blocks: programs per host page.
// `spare_factor` is (T - U) / T, 0 < spare_factor < 1; `pages_per_block` >= 1 is of the unit that
// is erased. With H_n the harmonic numbers, a victim has j or j - 1 valid pages, the latter with
// probability q; host writes per victim are lambda = b - j + q = b rho (H_b - H_j + q / j), and one
// integer j gives 0 <= q < 1. Bux and Iliadis, "Performance of greedy garbage collection in
// flash-based SSDs", Performance Evaluation 67 (2010); Desnoyers, "Analytic models of SSD write
// performance", ACM TOS 10 (2014).
double greedy_write_amplification(double spare_factor, std::uint32_t pages_per_block);

}  // namespace x25sim::model
