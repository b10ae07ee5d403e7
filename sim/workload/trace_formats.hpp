// The readers of the single trace formats, for open_trace().
#pragma once

#include <memory>
#include <string>

#include "sim/workload/trace.hpp"

namespace x25sim::workload {

// MQSim's five columns; each throws InputError with the path if the file can't be opened.
std::unique_ptr<TraceReader> open_mqsim_trace(const std::string& path);

// MSR Cambridge's comma-separated values.
std::unique_ptr<TraceReader> open_msr_trace(const std::string& path);

}  // namespace x25sim::workload
