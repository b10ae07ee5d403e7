// Checks of our own contracts. A broken one is a programming error: the run stops at once, with the
// condition, the place and whatever the caller adds. They stay on in every build.
#pragma once

#include <string>

namespace x25sim {

[[noreturn]] void check_failed(const char* condition, const char* file, int line,
                               const std::string& detail);

}  // namespace x25sim

// X25_CHECK(condition) or X25_CHECK(condition, detail): `detail` is evaluated only on failure.
#define X25_CHECK(condition, ...) \
  (static_cast<bool>(condition)   \
       ? static_cast<void>(0)     \
       : ::x25sim::check_failed(#condition, __FILE__, __LINE__, ::std::string{__VA_ARGS__}))
