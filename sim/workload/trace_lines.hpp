// The lines of a text trace and the numbers in them, for the readers of the text formats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "nand/errors.hpp"
#include "nand/units.hpp"
#include "sim/workload/trace.hpp"

namespace x25sim::workload {

// Reads a text file line by line in constant memory. Accepts LF and CRLF, a byte-order mark, and a
// last line without its end; passes over blank lines and over comments, whose first characters are
// '#' or "//".
class TraceLines {
 public:
  // Throws InputError with the path if the file can't be opened.
  explicit TraceLines(const std::string& path);

  // The next line that holds something, without blanks around it; none at the end. The text is
  // valid until the next call. Throws InputError for a line of over 4095 characters, SystemError
  // if the file can't be read on.
  std::optional<std::string_view> next();

  // Where the line that next() returned last is.
  int line() const { return where_.line; }

  // Throws InputError for the line that next() returned last.
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

  // The unsigned 64-bit decimal number that is all of `field`; `what` names it in the error.
  std::uint64_t number(std::string_view field, std::string_view what) const;

  // The number times `unit`, in 64 bits.
  std::uint64_t scaled_number(std::string_view field, std::string_view what,
                              std::uint64_t unit) const;

  // The request from `offset` over `length` bytes, whose end must be below 2^64.
  Request request(Operation operation, Bytes offset, Bytes length) const;

 private:
  SourceLocation where_;
  std::ifstream file_;
  std::array<char, 4096> buffer_{};
};

// The fields of a line, up to `capacity` of them.
struct TraceFields {
  static constexpr std::size_t capacity = 16;
  std::array<std::string_view, capacity> field{};
  std::size_t count = 0;  // may exceed capacity: those beyond are counted, not kept
};

// Splits at blanks, any number of them.
TraceFields split_at_blanks(std::string_view line);

// Splits at commas; blanks around a field are not part of it.
TraceFields split_at_commas(std::string_view line);

}  // namespace x25sim::workload
