// Results as fio's terse output, version 3.
#pragma once

#include <string>

#include "sim/backend/result.hpp"
#include "sim/report/context.hpp"

namespace x25sim::report {

// One line for each job, with the fields of fio's version 3, which has none for trims. Where fio
// names its version, the program names its own; times of a processor and of disks are 0 or absent.
std::string terse_report(const backend::RunResult& result, const ReportContext& context);

}  // namespace x25sim::report
