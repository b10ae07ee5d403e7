// The makers of the victim policies, one file each, for the table in ftl/victim_policy.cpp.
#pragma once

#include <memory>

#include "ftl/victim_policy.hpp"

namespace x25sim::ftl::policies {

std::unique_ptr<VictimPolicy> make_greedy(const Config& config, Random random);
std::unique_ptr<VictimPolicy> make_fifo(const Config& config, Random random);
std::unique_ptr<VictimPolicy> make_random(const Config& config, Random random);
std::unique_ptr<VictimPolicy> make_d_choices(const Config& config, Random random);
std::unique_ptr<VictimPolicy> make_windowed_greedy(const Config& config, Random random);
std::unique_ptr<VictimPolicy> make_cost_benefit(const Config& config, Random random);
std::unique_ptr<VictimPolicy> make_cat(const Config& config, Random random);

}  // namespace x25sim::ftl::policies
