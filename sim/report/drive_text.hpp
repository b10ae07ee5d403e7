// Lines about a drive that several text reports share.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/report/summary.hpp"

namespace x25sim::report {

// "108MiB (113MB)".
std::string both_units(Bytes bytes);

// "host=900, gc=300, ...".
std::string by_cause(const std::array<std::uint64_t, ftl::cause_count>& counts);

// Write amplification by cause, and the one that theory speaks of.
std::string write_amplification_lines(const DriveSummary& summary);

// Theory's value beside the measured one, or why there is none.
std::string theory_line(const model::WorkloadTheory& theory, const DriveSummary& summary);

// How erases spread over the blocks, and what was done about it.
std::string wear_lines(const drive::DriveReport& report, const DriveSummary& summary);

}  // namespace x25sim::report
