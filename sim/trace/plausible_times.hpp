// Whether the times of a trace can be what was recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace x25sim::trace {

// What is odd about `records` records within `span_ns`, as sentences; mostly that the times are not
// in the unit that they are read in.
std::vector<std::string> implausible_times(std::uint64_t records, std::uint64_t span_ns);

}  // namespace x25sim::trace
