#include "sim/workload/fio_suffix.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

#include "sim/workload/fio_expression.hpp"

namespace x25sim::workload {
namespace {

struct Split {
  std::uint64_t number = 0;
  bool hexadecimal = false;
  std::string suffix;  // in lower case
};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Digits and whatever follows them. None without digits, or if they need more than 64 bits.
std::optional<Split> split(std::string_view text) {
  Split result;
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    result.hexadecimal = true;
    text.remove_prefix(2);
  }
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, result.number, base);
  if (error != std::errc{}) return std::nullopt;
  result.suffix = lower_case({rest, static_cast<std::size_t>(end - rest)});
  return result;
}

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

struct TimeUnit {
  std::string_view suffix;
  std::uint64_t nanoseconds;
};

constexpr std::array time_units{
    TimeUnit{"s", 1'000'000'000},     TimeUnit{"ms", 1'000'000},
    TimeUnit{"msec", 1'000'000},      TimeUnit{"us", 1'000},
    TimeUnit{"usec", 1'000},          TimeUnit{"m", 60'000'000'000},
    TimeUnit{"h", 3'600'000'000'000}, TimeUnit{"d", 86'400'000'000'000},
};

struct Factor {
  std::uint64_t value = 1;
  bool surprising = false;
};

// Of a suffix in lower case, which may be empty.
std::optional<Factor> factor_of(std::string_view suffix, std::uint32_t kb_base) {
  if (suffix.empty() || suffix == "b") return Factor{};
  constexpr std::string_view letters = "kmgtp";
  const std::size_t power = letters.find(suffix.front());
  const std::string_view unit = suffix.substr(1);
  if (power == letters.npos) return std::nullopt;
  if (!unit.empty() && unit != "b" && unit != "i" && unit != "ib") return std::nullopt;

  // Only "ib" selects the other base; "i" alone is skipped by fio.
  const bool binary_prefix = unit == "i" || unit == "ib";
  const std::uint32_t other = kb_base == kb_base_binary ? kb_base_decimal : kb_base_binary;
  const std::uint32_t base = unit == "ib" ? other : kb_base;
  Factor factor{.value = 1, .surprising = binary_prefix && base == kb_base_decimal};
  for (std::size_t i = 0; i <= power; ++i) factor.value *= base;
  return factor;
}

// fio's expressions have their own idea of suffixes: "k" is 1024 whatever kb_base says.
std::optional<FioNumber> expression_of_bytes(std::string_view text) {
  bool surprising = false;
  const auto value = evaluate_fio_expression(
      text, [&surprising](std::string_view suffix) -> std::optional<std::uint64_t> {
        const auto factor = factor_of(suffix, kb_base_binary);
        if (!factor) return std::nullopt;
        surprising |= factor->surprising;
        return factor->value;
      });
  if (!value) return std::nullopt;
  return FioNumber{.value = *value, .surprising = surprising};
}

// In them "m" is no minute but a factor of 2^20, which makes no sense of a time and is refused.
std::optional<std::uint64_t> expression_of_microseconds(std::string_view text, Duration unit) {
  const auto factor = [](std::string_view suffix) -> std::optional<std::uint64_t> {
    if (suffix == "m") return std::nullopt;
    for (const TimeUnit& time_unit : time_units) {
      if (suffix == time_unit.suffix) return time_unit.nanoseconds / 1000;
    }
    return std::nullopt;
  };
  const auto plain = std::chrono::duration_cast<std::chrono::microseconds>(unit);
  return evaluate_fio_expression(text, factor, static_cast<std::uint64_t>(plain.count()));
}

std::optional<Duration> duration_of(std::uint64_t count, std::uint64_t nanoseconds) {
  const auto value = product(count, nanoseconds);
  constexpr std::uint64_t limit = std::numeric_limits<Duration::rep>::max();
  if (!value || *value > limit) return std::nullopt;
  return Duration{static_cast<Duration::rep>(*value)};
}

}  // namespace

std::optional<FioNumber> parse_fio_number(std::string_view text, std::uint32_t kb_base) {
  if (text.starts_with('(')) return expression_of_bytes(text);
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  if (parts->hexadecimal && !parts->suffix.empty()) return std::nullopt;
  const auto factor = factor_of(parts->suffix, kb_base);
  if (!factor) return std::nullopt;
  const auto value = product(parts->number, factor->value);
  if (!value) return std::nullopt;
  return FioNumber{.value = *value, .surprising = factor->surprising};
}

std::optional<std::uint32_t> parse_fio_percent(std::string_view text) {
  const auto parts = split(text);
  if (!parts || parts->hexadecimal || parts->suffix != "%") return std::nullopt;
  if (parts->number < 1 || parts->number > 100) return std::nullopt;
  return static_cast<std::uint32_t>(parts->number);
}

std::optional<Duration> parse_fio_time(std::string_view text, Duration unit) {
  if (text.starts_with('(')) {
    const auto microseconds = expression_of_microseconds(text, unit);
    return microseconds ? duration_of(*microseconds, 1000) : std::nullopt;
  }
  const auto parts = split(text);
  if (!parts || parts->hexadecimal) return std::nullopt;
  if (parts->suffix.empty()) {
    return duration_of(parts->number, static_cast<std::uint64_t>(unit.count()));
  }
  for (const TimeUnit& time_unit : time_units) {
    if (parts->suffix == time_unit.suffix) {
      return duration_of(parts->number, time_unit.nanoseconds);
    }
  }
  return std::nullopt;
}

std::optional<double> parse_fio_real(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

Bytes percent_of(Bytes whole, std::uint32_t percent) {
  // Split so that large devices do not overflow.
  return Bytes{whole.count / 100 * percent + whole.count % 100 * percent / 100};
}

}  // namespace x25sim::workload
