// The numbers of fio job files: byte counts, percentages and times with fio's suffixes.
//
// The suffixes are those of fio 3.33 as it reads them, not as its manual describes them. What fio
// reads by accident (trailing text that it skips, suffixes after hexadecimal numbers, "10sec" as
// 10 us) is refused here: it never means what was written.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "nand/units.hpp"

namespace x25sim::workload {

// fio's kb_base: what one "k" is worth.
inline constexpr std::uint32_t kb_base_binary = 1024;  // the default
inline constexpr std::uint32_t kb_base_decimal = 1000;

struct FioNumber {
  std::uint64_t value = 0;
  // The suffix has a binary prefix ("Ki") and fio gives it a decimal value (or its manual says one
  // thing and fio does another): the reader of the file may be surprised.
  bool surprising = false;
};

// An arithmetic expression in parentheses (fio_expression.hpp; "k" in it is 1024 always), or an
// integer with an optional suffix, in any case of letters: none or b; k, kb, ki are kb_base; kib
// is the other base; the same with m, g, t and p. Hexadecimal numbers ("0x1000") take no suffix.
// None if `text` is anything else or the value needs more than 64 bits.
std::optional<FioNumber> parse_fio_number(std::string_view text, std::uint32_t kb_base);

// A percentage from 1 to 100 written with its sign ("50%"); none otherwise.
std::optional<std::uint32_t> parse_fio_percent(std::string_view text);

// A time: a number of `unit`, or with a suffix us, usec, ms, msec, s, m, h or d, in any case of
// letters; or an expression in parentheses of such numbers, where one without a suffix is a
// microsecond unless there is no suffix at all, and "m" is not known. None if `text` is anything
// else or needs more than 63 bits of nanoseconds.
std::optional<Duration> parse_fio_time(std::string_view text,
                                       Duration unit = std::chrono::seconds{1});

// A number with or without a point, such as 1.2; none if `text` is anything else.
std::optional<double> parse_fio_real(std::string_view text);

// `percent` of `whole`, rounded down.
Bytes percent_of(Bytes whole, std::uint32_t percent);

}  // namespace x25sim::workload
