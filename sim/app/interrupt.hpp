// Ctrl-C: the run stops issuing requests, and what it has measured is printed.
#pragma once

#include <atomic>

namespace x25sim::app {

// Becomes true at the first SIGINT or SIGTERM; the second one ends the program. Installs the
// handlers on the first call.
const std::atomic<bool>& interrupt_flag();

}  // namespace x25sim::app
