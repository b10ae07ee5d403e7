// Errors that a user can cause. Broken contracts of our own are X25_CHECK (nand/check.hpp).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace x25sim {

// Where in a user's file (or on the command line: line 0) something was read.
struct SourceLocation {
  std::string file;
  std::int64_t line = 0;

  std::string text() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

// Wrong usage, configuration, job file or trace: exit status 2. The message says what was expected
// and what was found; the location comes first.
class InputError : public std::runtime_error {
 public:
  InputError(const SourceLocation& where, const std::string& message)
      : std::runtime_error(where.file.empty() ? message : where.text() + ": " + message) {}
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
};

// The operating system refused: exit status 3.
class SystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace x25sim
