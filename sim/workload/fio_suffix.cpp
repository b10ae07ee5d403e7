#include "sim/workload/fio_suffix.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>

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
    TimeUnit{"", 1'000'000'000},
    TimeUnit{"s", 1'000'000'000},
    TimeUnit{"ms", 1'000'000},
    TimeUnit{"msec", 1'000'000},
    TimeUnit{"us", 1'000},
    TimeUnit{"usec", 1'000},
    TimeUnit{"m", 60'000'000'000},
    TimeUnit{"h", 3'600'000'000'000},
    TimeUnit{"d", 86'400'000'000'000},
};

}  // namespace

std::optional<FioNumber> parse_fio_number(std::string_view text, std::uint32_t kb_base) {
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  if (parts->suffix.empty()) return FioNumber{.value = parts->number};
  if (parts->hexadecimal) return std::nullopt;
  if (parts->suffix == "b") return FioNumber{.value = parts->number};

  constexpr std::string_view letters = "kmgtp";
  const std::size_t power = letters.find(parts->suffix.front());
  const std::string_view unit = std::string_view(parts->suffix).substr(1);
  if (power == letters.npos) return std::nullopt;
  if (!unit.empty() && unit != "b" && unit != "i" && unit != "ib") return std::nullopt;

  // Only "ib" selects the other base; "i" alone is skipped by fio.
  const bool binary_prefix = unit == "i" || unit == "ib";
  const std::uint32_t other = kb_base == kb_base_binary ? kb_base_decimal : kb_base_binary;
  const std::uint32_t base = unit == "ib" ? other : kb_base;
  std::optional<std::uint64_t> value = parts->number;
  for (std::size_t i = 0; value && i <= power; ++i) value = product(*value, base);
  if (!value) return std::nullopt;
  return FioNumber{.value = *value, .surprising = binary_prefix && base == kb_base_decimal};
}

std::optional<std::uint32_t> parse_fio_percent(std::string_view text) {
  const auto parts = split(text);
  if (!parts || parts->hexadecimal || parts->suffix != "%") return std::nullopt;
  if (parts->number < 1 || parts->number > 100) return std::nullopt;
  return static_cast<std::uint32_t>(parts->number);
}

std::optional<Duration> parse_fio_time(std::string_view text) {
  const auto parts = split(text);
  if (!parts || parts->hexadecimal) return std::nullopt;
  for (const TimeUnit& unit : time_units) {
    if (parts->suffix != unit.suffix) continue;
    const auto value = product(parts->number, unit.nanoseconds);
    constexpr std::uint64_t limit = std::numeric_limits<Duration::rep>::max();
    if (!value || *value > limit) return std::nullopt;
    return Duration{static_cast<Duration::rep>(*value)};
  }
  return std::nullopt;
}

Bytes percent_of(Bytes whole, std::uint32_t percent) {
  // Split so that large devices do not overflow.
  return Bytes{whole.count / 100 * percent + whole.count % 100 * percent / 100};
}

}  // namespace x25sim::workload
