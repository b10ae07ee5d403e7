// The makers of the victim policies, one file each, for the table in ftl/victim_policy.cpp.
#pragma once

#include <memory>

#include "ftl/victim_policy.hpp"

namespace x25sim::ftl::policies {

std::unique_ptr<const VictimPolicy> make_greedy(const Config& config);
std::unique_ptr<const VictimPolicy> make_fifo(const Config& config);
std::unique_ptr<const VictimPolicy> make_random(const Config& config);
std::unique_ptr<const VictimPolicy> make_d_choices(const Config& config);
std::unique_ptr<const VictimPolicy> make_windowed_greedy(const Config& config);
std::unique_ptr<const VictimPolicy> make_cost_benefit(const Config& config);
std::unique_ptr<const VictimPolicy> make_cat(const Config& config);

}  // namespace x25sim::ftl::policies
