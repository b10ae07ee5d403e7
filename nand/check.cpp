#include "nand/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace x25sim {

void check_failed(const char* condition, const char* file, int line, const std::string& detail) {
  std::fflush(stdout);
  std::fprintf(stderr, "x25sim: internal error at %s:%d: `%s` does not hold%s%s\n", file, line,
               condition, detail.empty() ? "" : ": ", detail.c_str());
  std::abort();
}

}  // namespace x25sim
