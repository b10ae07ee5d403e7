// What `x25sim trace` can do, each in a file of its own.
#pragma once

#include "sim/app/command.hpp"

namespace x25sim::app {

int trace_convert(const Arguments& arguments);
int trace_info(const Arguments& arguments);

}  // namespace x25sim::app
