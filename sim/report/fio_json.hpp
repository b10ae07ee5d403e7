// Results as JSON: fio's schema (of fio 3.33), so that fio's tools and everyone's scripts read it,
// and one top-level object `x25sim` with what fio has no words for.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sim/backend/result.hpp"
#include "sim/report/context.hpp"

namespace x25sim::report {

// JSON pointers of the only fields that may differ between two equal runs.
inline constexpr std::array<std::string_view, 6> wall_clock_fields{
    "/timestamp",     "/timestamp_ms",        "/time",
    "/x25sim/wall_s", "/x25sim/timed_wall_s", "/x25sim/flash_ops_per_s"};

// The report, ending with a newline. Always valid JSON: figures that are not defined, as a write
// amplification where nothing was written, are null; text that is not UTF-8 has its wrong bytes
// replaced. "job options" hold the global options as well, so "global options" is empty; what only
// a real host has (processor time, page faults, utilisation of disks) is 0 or empty.
// Requires: one context.drives for each of result.drives.
std::string fio_json(const backend::RunResult& result, const ReportContext& context);

}  // namespace x25sim::report
