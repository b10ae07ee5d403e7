// Values of options that must be numbers.
#pragma once

#include <cstdint>
#include <string>

namespace x25sim::app {

// The whole number `text` from `min` to `max`; Boost's own conversion would take "-1" for a large
// one. Throws InputError that names `option`.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t min,
                          std::uint64_t max);

}  // namespace x25sim::app
