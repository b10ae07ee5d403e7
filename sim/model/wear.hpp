// How evenly erases spread over blocks under uniform random writes, what static wear levelling
// costs, and how long a drive lasts.
#pragma once

#include "sim/model/write_amplification.hpp"

namespace x25sim::model {

// Variance of the blocks' erase counts over their mean, without wear levelling, after many erases:
// blocks are renewed independently of each other, and the ratio is the squared coefficient of
// variation of the time from erase to erase. FIFO 0 (counts differ by 1 at most), random victims 1
// (Poisson). Greedy with ties at random: the sum of m_i^2 over the levels that blocks pass, where
// m_i = b rho / (lambda i) is the share of blocks with i valid pages. d-choices: moments of the
// time down from level i by recursion from below, with a block of level i leaving at the rate
// lambda i / (b rho) for the level below and p_i / m_i as a victim. Derived for this project from
// the models of write_amplification.hpp; agrees with Monte Carlo.
double erase_dispersion(const Collection& collection, double spare_factor);

// Erase count that the most worn of `blocks` >= 1 blocks is expected to reach at a mean count of
// `mean` >= 0: mean + sqrt(2 dispersion mean ln blocks), the leading term for normal deviates.
double expected_max_erases(double mean, double dispersion, double blocks);

// Static wear levelling that moves static data into a worn block when the most and the least worn
// differ by `threshold` >= 1 erases, with a share `static_share` in [0, 1) of the blocks static:
// write amplification grows by the factor 1 + static_share / threshold. Derived for this project: a
// block takes turns in a hot phase of threshold / static_share erases and a cold one.
double static_levelling_factor(double static_share, double threshold);

// Bytes that the host can write until the blocks have had `cycles` erases in the mean: raw bytes x
// cycles / (write amplification x wear factor), the wear factor being most worn over mean. All
// arguments > 0. The arithmetic of Intel's endurance ratings.
double lifetime_bytes(double raw_bytes, double cycles, double write_amplification,
                      double wear_factor);

}  // namespace x25sim::model
