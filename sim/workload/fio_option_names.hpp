// The options of fio that are not simulated: those without a meaning for a simulated drive, and
// those that would change what is asked of it.
#pragma once

#include <span>
#include <string_view>

namespace x25sim::workload {

// Accepted and without effect: how fio reaches the device, prepares files, fills buffers, uses the
// host's processors and memory. None of them changes which requests are made.
bool is_ignored_option(std::string_view name);

// Known to fio, would change the requests, their timing or what is reported, and not supported.
bool is_unsupported_option(std::string_view name);

// The option name nearest to `name` among those above and `supported`; empty if none is near enough
// for `name` to be a misspelling of it.
std::string_view nearest_option(std::string_view name, std::span<const std::string_view> supported);

}  // namespace x25sim::workload
