// Results as text: fio's normal output for each job, then the drives.
#pragma once

#include <string>

#include "sim/backend/result.hpp"
#include "sim/report/context.hpp"

namespace x25sim::report {

// The report, ending with a newline; "n/a" where a figure is not defined. Of equal runs, only the
// last line differs, which has the wall-clock time.
// Requires: one context.drives for each of result.drives.
std::string text_report(const backend::RunResult& result, const ReportContext& context);

}  // namespace x25sim::report
