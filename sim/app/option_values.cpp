#include "sim/app/option_values.hpp"

#include <charconv>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"

namespace x25sim::app {

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t min,
                          std::uint64_t max) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < min || value > max) {
    throw InputError({option, 0}, "expected a whole number from " + std::to_string(min) + " to " +
                                      std::to_string(max) + ", found " + in_quotes(text));
  }
  return value;
}

}  // namespace x25sim::app
