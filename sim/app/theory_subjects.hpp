// The subjects of `x25sim theory`, and what those about garbage collection share.
#pragma once

#include <string>

#include "sim/app/theory_arguments.hpp"
#include "sim/model/write_amplification.hpp"

namespace x25sim::app {

const TheorySubject& write_amplification_subject();
const TheorySubject& span_subject();
const TheorySubject& transient_subject();
const TheorySubject& wear_subject();
const TheorySubject& iops_subject();

inline constexpr TheoryOption policy_option{
    "policy", "NAME",
    "how garbage collection chooses its victims: greedy (default), fifo, random or d-choices"};
inline constexpr TheoryOption choices_option{
    "d", "N", "of d-choices: the best of N random blocks is collected (default 10)"};
inline constexpr TheoryOption pages_per_block_option{
    "pages-per-block", "N", "pages that are erased together (default 128)"};
inline constexpr TheoryOption spare_factor_option{
    "spare-factor", "S", "spare pages over all pages, (T - U) / T; 0.07 is 7 %"};

// Beyond it the equations lose digits, and no drive is there.
inline constexpr Interval spare_factor_range{0.001, 0.999};

// Reads --policy, --pages-per-block and --d, which other policies than d-choices have no use for.
model::Collection read_collection(TheoryArguments& arguments);

// Name and source of the policy's formula under uniform random writes.
std::string formula_of(const model::Collection& collection);

}  // namespace x25sim::app
