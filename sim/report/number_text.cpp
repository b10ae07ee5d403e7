#include "sim/report/number_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace x25sim::report {

namespace {

// Scales `value` down by `base` until it has at most `digits` digits, counting the decimal point
// where there is one.
std::string scaled(double value, int digits, double base,
                   const std::array<std::string_view, 7>& units) {
  const double limit = std::pow(10.0, digits) - 0.5;
  std::size_t unit = 0;
  while (value >= limit && unit + 1 < units.size()) {
    value /= base;
    ++unit;
  }
  const int whole_digits = value < 10 ? 1 : static_cast<int>(std::log10(value)) + 1;
  const int decimals = unit == 0 ? 0 : std::max(0, digits - whole_digits - 1);
  return fmt::format("{:.{}f}{}", value, decimals, units[unit]);
}

}  // namespace

std::string short_number(double value, int digits) {
  return scaled(value, digits, 1000, {"", "k", "M", "G", "T", "P", "E"});
}

std::string binary_bytes(double bytes) {
  return scaled(bytes, 4, 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"});
}

std::string decimal_bytes(double bytes) {
  return scaled(bytes, 4, 1000, {"B", "kB", "MB", "GB", "TB", "PB", "EB"});
}

std::string fixed_or_na(std::optional<double> value, int decimals) {
  if (!value || !std::isfinite(*value)) return "n/a";
  return fmt::format("{:.{}f}", *value, decimals);
}

std::string percent_or_na(std::optional<double> fraction) {
  if (!fraction || !std::isfinite(*fraction)) return "n/a";
  return fmt::format("{:.1f}%", 100 * *fraction);
}

}  // namespace x25sim::report
