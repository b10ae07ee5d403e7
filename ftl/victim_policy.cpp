#include "ftl/victim_policy.hpp"

#include <algorithm>
#include <array>

#include "ftl/policies/policies.hpp"

namespace x25sim::ftl {

std::span<const PolicyEntry> victim_policies() {
  static constexpr std::array table{
      PolicyEntry{GcPolicy::greedy, "greedy", "the closed block with the fewest valid pages", true,
                  policies::make_greedy},
      PolicyEntry{GcPolicy::fifo, "fifo", "the block that was closed first", false,
                  policies::make_fifo},
      PolicyEntry{GcPolicy::random, "random", "any closed block", false, policies::make_random},
      PolicyEntry{GcPolicy::d_choices, "d-choices",
                  "the one with the fewest valid pages of firmware.gc_choices drawn at random",
                  false, policies::make_d_choices},
      PolicyEntry{GcPolicy::windowed_greedy, "windowed-greedy",
                  "the one with the fewest valid pages of the share firmware.gc_window that was "
                  "closed first",
                  false, policies::make_windowed_greedy},
      PolicyEntry{GcPolicy::cost_benefit, "cost-benefit",
                  "the one with the highest age x (1 - u) / (2u), u its share of valid pages",
                  false, policies::make_cost_benefit},
      PolicyEntry{
          GcPolicy::cat, "cat",
          "the one with the lowest u / (1 - u) x erase count / age, u its share of valid pages",
          false, policies::make_cat},
  };
  return table;
}

const PolicyEntry& victim_policy(GcPolicy policy) {
  return *std::find_if(victim_policies().begin(), victim_policies().end(),
                       [policy](const PolicyEntry& entry) { return entry.policy == policy; });
}

}  // namespace x25sim::ftl
