// One value of a configuration, as text, with its origin.
#pragma once

#include <string>

#include "nand/errors.hpp"

namespace x25sim::config {

struct Setting {
  std::string key;       // "nand.read_time"
  std::string value;     // "36 us"
  SourceLocation where;  // line of a file, or "--set key=value"
  std::string source;    // the comment beside or above it: where the value comes from
};

}  // namespace x25sim::config
