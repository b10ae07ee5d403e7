#include "sim/config/quantity.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <span>

namespace x25sim::config {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;  // in base units
};

// What is measured: its units, smallest first, and words for messages.
struct Dimension {
  std::string_view description;
  std::span<const Unit> units;
  std::string_view base_unit;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
};

constexpr Unit byte_units[] = {{"B", 1},
                               {"kB", 1000},
                               {"KiB", 1u << 10},
                               {"MB", 1'000'000},
                               {"MiB", 1u << 20},
                               {"GB", 1'000'000'000},
                               {"GiB", 1u << 30},
                               {"TB", 1'000'000'000'000},
                               {"TiB", std::uint64_t{1} << 40}};
constexpr Unit binary_units[] = {{"B", 1},
                                 {"KiB", 1u << 10},
                                 {"MiB", 1u << 20},
                                 {"GiB", 1u << 30},
                                 {"TiB", std::uint64_t{1} << 40}};
constexpr Unit duration_units[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
constexpr Unit bit_rate_units[] = {
    {"b/s", 1}, {"kb/s", 1000}, {"Mb/s", 1'000'000}, {"Gb/s", 1'000'000'000}};
constexpr Unit percent_units[] = {{"%", 10'000}};

constexpr Dimension bytes{"an amount of data such as \"256 KiB\"", byte_units, "bytes"};
constexpr Dimension duration{"a duration such as \"60 us\"", duration_units, "nanoseconds",
                             std::numeric_limits<Duration::rep>::max()};
constexpr Dimension bit_rate{"a bit rate such as \"3 Gb/s\"", bit_rate_units, "bits per second"};
constexpr Dimension percent{"a percentage such as \"7.5 %\"", percent_units, "parts per million"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Cuts the digits at the start of `text` off and returns them.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

// False if `digits` do not fit.
bool read_digits(std::string_view digits, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} && end == digits.data() + digits.size();
}

Parsed too_large(const Dimension& dimension) {
  return {.expected = std::string(dimension.description) + " of at most " +
                      std::to_string(dimension.max) + " " + std::string(dimension.base_unit)};
}

// The decimal fraction `digits` of a unit, in base units.
Parsed read_fraction(std::string_view digits, const Unit& unit, const Dimension& dimension) {
  while (digits.ends_with('0')) digits.remove_suffix(1);
  if (digits.empty()) return {};
  const Parsed broken{.expected = std::string(dimension.description) + " in whole " +
                                  std::string(dimension.base_unit)};
  if (digits.size() > 18) return broken;  // no unit has that many decimal places
  std::uint64_t numerator = 0;
  read_digits(digits, numerator);
  std::uint64_t denominator = 1;
  for (std::size_t i = 0; i < digits.size(); ++i) denominator *= 10;
  // The fraction times the unit, divided before it is multiplied so that it cannot overflow.
  const std::uint64_t common = std::gcd(denominator, unit.size);
  denominator /= common;
  if (numerator % denominator != 0) return broken;
  return {.value = numerator / denominator * (unit.size / common)};
}

Parsed parse(const Dimension& dimension, std::string_view text) {
  const Parsed mismatch{.expected = std::string(dimension.description)};
  const std::string_view whole_digits = take_digits(text);
  std::string_view fraction_digits;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction_digits = take_digits(text);
    if (fraction_digits.empty()) return mismatch;
  }
  while (text.starts_with(' ')) text.remove_prefix(1);
  const auto unit = std::find_if(dimension.units.begin(), dimension.units.end(),
                                 [text](const Unit& candidate) { return candidate.name == text; });
  if (whole_digits.empty() || unit == dimension.units.end()) return mismatch;
  const Parsed fraction = read_fraction(fraction_digits, *unit, dimension);
  if (!fraction.ok()) return fraction;
  std::uint64_t value = 0;
  if (!read_digits(whole_digits, value) || value > dimension.max / unit->size) {
    return too_large(dimension);
  }
  value *= unit->size;
  if (fraction.value > dimension.max - value) return too_large(dimension);
  return {.value = value + fraction.value};
}

std::string with_unit(std::uint64_t value, const Unit& unit) {
  std::string text = std::to_string(value / unit.size);
  if (std::uint64_t rest = value % unit.size; rest != 0) {
    text += '.';
    // Ends because the decimal units' sizes have no prime factors but 2 and 5.
    for (std::uint64_t place = unit.size; rest != 0; rest %= place) {
      place /= 10;
      text += static_cast<char>('0' + rest / place);
    }
  }
  return text + " " + std::string(unit.name);
}

// In the largest unit that is not larger than the value.
std::string format(std::span<const Unit> units, std::uint64_t value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < units.size() && units[i].size <= value; ++i) best = i;
  return with_unit(value, units[best]);
}

}  // namespace

Parsed parse_count(std::string_view text) {
  std::uint64_t value = 0;
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) {
    return {.expected = "a whole number"};
  }
  if (!read_digits(text, value)) {
    return {.expected = "a whole number of at most " +
                        std::to_string(std::numeric_limits<std::uint64_t>::max())};
  }
  return {.value = value};
}

Parsed parse_bytes(std::string_view text) { return parse(bytes, text); }
Parsed parse_duration(std::string_view text) { return parse(duration, text); }
Parsed parse_bit_rate(std::string_view text) { return parse(bit_rate, text); }
Parsed parse_percent(std::string_view text) { return parse(percent, text); }

std::string format_bytes(Bytes amount) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < std::size(binary_units); ++i) {
    if (amount.count > 0 && amount.count % binary_units[i].size == 0) best = i;
  }
  return with_unit(amount.count, binary_units[best]);
}

std::string format_duration(Duration time) {
  return format(duration_units, static_cast<std::uint64_t>(time.count()));
}

std::string format_bit_rate(std::uint64_t bits_per_second) {
  return format(bit_rate_units, bits_per_second);
}

std::string format_percent(std::uint64_t parts_per_million) {
  return format(percent_units, parts_per_million);
}

}  // namespace x25sim::config
