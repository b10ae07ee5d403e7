// Numbers with units as text and back. Exact: what cannot be told in whole base units (B, ns,
// bit/s, ppm) is refused, never rounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nand/units.hpp"

namespace x25sim::config {

// A number read from text, in base units; or, where the text is not one, what it should have been.
struct Parsed {
  std::uint64_t value = 0;
  std::string expected{};  // empty if the text was read

  bool ok() const { return expected.empty(); }
};

// Decimal numbers without sign or exponent, then the unit, with or without a space between them.
Parsed parse_count(std::string_view text);     // "78165360": no unit, no fraction
Parsed parse_bytes(std::string_view text);     // in B; units B, kB, MB, GB, TB, KiB, MiB, GiB, TiB
Parsed parse_duration(std::string_view text);  // in ns; units ns, us, ms, s; fits a Duration
Parsed parse_bit_rate(std::string_view text);  // in bit/s; units b/s, kb/s, Mb/s, Gb/s
Parsed parse_percent(std::string_view text);   // in parts per million; unit %

// The same value in its largest unit: "256 KiB", "107.85 us", "3 Gb/s", "1.75 %". Bytes take a
// binary unit where that gives a whole number. The parsers above read it back unchanged.
std::string format_bytes(Bytes amount);
std::string format_duration(Duration duration);  // requires: not negative
std::string format_bit_rate(std::uint64_t bits_per_second);
std::string format_percent(std::uint64_t parts_per_million);

}  // namespace x25sim::config
