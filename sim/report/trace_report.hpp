// What is in a recorded trace, as text and as JSON.
#pragma once

#include <string>

#include "sim/trace/counts.hpp"

namespace x25sim::report {

// Lines of counts that a replay and a look into a trace share.
std::string trace_count_lines(const trace::Counts& counts);

std::string trace_info_text(const trace::Counts& counts);
// `version`: of the program.
std::string trace_info_json(const trace::Counts& counts, const std::string& version);

}  // namespace x25sim::report
