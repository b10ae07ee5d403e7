// One line of a text trace, and the numbers in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nand/errors.hpp"
#include "nand/units.hpp"
#include "sim/trace/record.hpp"

namespace x25sim::trace {

// Units of time in nanoseconds.
inline constexpr std::uint64_t second_ns = 1'000'000'000;
inline constexpr std::uint64_t millisecond_ns = 1'000'000;
inline constexpr std::uint64_t microsecond_ns = 1'000;
inline constexpr std::uint64_t time_unit_max_ns = second_ns;  // coarser ones are not supported

// Without blanks (blank, tab, carriage return, vertical tab, form feed) around it.
std::string_view trimmed(std::string_view text);

// A decimal digit, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Decimal digits and nothing else, at least one.
bool is_number(std::string_view text);
// Takes the first word off `rest`, and the blanks behind it; empty at the end.
std::string_view take_word(std::string_view& rest);

// The fields of a line, up to `capacity` of them.
struct Fields {
  static constexpr std::size_t capacity = 32;
  std::array<std::string_view, capacity> field;
  std::size_t count = 0;  // may exceed capacity: those beyond are counted, not kept

  std::string_view operator[](std::size_t i) const { return field[i]; }
};

class Line {
 public:
  Line(std::string_view text, const SourceLocation& where) : text_(text), where_(where) {}

  // Without blanks around it; never empty.
  std::string_view text() const { return text_; }
  std::int64_t number() const { return where_.line; }

  // Throws InputError for this line.
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

  // The fields between blanks, any number of them.
  Fields at_blanks() const;
  // The fields between each `separator`; blanks around a field are not part of it.
  Fields at(char separator) const;
  // The same, but that a separator within "double quotes" is none. The quotes stay; one that is
  // never closed is an ordinary character.
  Fields at_quoted(char separator) const;
  // Throws unless there are `count` fields; `expected` describes them.
  void expect_fields(const Fields& fields, std::size_t count, std::string_view expected) const;

  // The unsigned 64-bit number that is all of `field`; `what` names it in the error.
  std::uint64_t decimal(std::string_view field, std::string_view what) const;
  // Hexadecimal digits, with or without 0x.
  std::uint64_t hexadecimal(std::string_view field, std::string_view what) const;
  // The decimal number times `unit`, in 64 bits.
  std::uint64_t scaled(std::string_view field, std::string_view what, std::uint64_t unit) const;
  // Hexadecimal digits, with or without 0x, times `unit`.
  std::uint64_t scaled_hexadecimal(std::string_view field, std::string_view what,
                                   std::uint64_t unit) const;
  // A number that is hexadecimal after 0x and else decimal, times `unit`.
  std::uint64_t scaled_number(std::string_view field, std::string_view what,
                              std::uint64_t unit) const;
  // A decimal number with or without a fraction, times `unit`, rounded to the nearest integer.
  // Exact in 64 bits, whatever the number of digits: no floating point is involved. Requires: unit
  // is at most time_unit_max_ns.
  std::uint64_t fraction(std::string_view field, std::string_view what, std::uint64_t unit) const;

  // R or W, in either case.
  Kind read_or_write(std::string_view field) const;

  // Sets offset and length, whose sum must be below 2^64.
  void set_range(Record& record, Bytes offset, Bytes length) const;
  // The same from a first sector and a number of sectors of 512 bytes.
  void set_sectors(Record& record, std::string_view first, std::string_view count) const;
  // The same from decimal bytes.
  void set_bytes(Record& record, std::string_view offset, std::string_view length) const;

 private:
  std::uint64_t product(std::uint64_t value, std::uint64_t unit, std::string_view field,
                        std::string_view what) const;

  std::string_view text_;
  const SourceLocation& where_;
};

}  // namespace x25sim::trace
