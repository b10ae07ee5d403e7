// How long a drive lasted, as JSON and text.
#pragma once

#include <string>

#include "sim/backend/endurance.hpp"
#include "sim/report/context.hpp"

namespace x25sim::report {

// What the host is taken to write in a day where a lifetime is given in years: Intel's own figure.
inline constexpr double lifetime_bytes_per_day = 20e9;

// One object. Always valid JSON: figures that are not defined are null. Nothing of it depends on
// the wall clock. Requires of both: one context.drives, whose theory is that of the jobs' writes.
std::string endurance_json(const backend::EnduranceResult& result, const ReportContext& context);

std::string endurance_text(const backend::EnduranceResult& result, const ReportContext& context);

}  // namespace x25sim::report
