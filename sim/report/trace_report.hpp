// What is in a recorded trace, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "sim/trace/counts.hpp"
#include "sim/trace/replay_rules.hpp"

namespace x25sim::report {

// What a replay has done with its trace.
std::string trace_replay_block(const trace::ReplaySummary& summary, bool interrupted);

// What the user should know of a replay, as sentences. `at_recorded_times`: the times mattered.
std::vector<std::string> trace_notices(const trace::ReplaySummary& summary, bool at_recorded_times);

std::string trace_info_text(const trace::Counts& counts);
// `version`: of the program.
std::string trace_info_json(const trace::Counts& counts, const std::string& version);

}  // namespace x25sim::report
