#include "sim/trace/device_numbers.hpp"

#include <charconv>

namespace x25sim::trace {

const DeviceNumber& DeviceNumbers::of(std::string_view name, std::optional<std::uint32_t> said,
                                      std::uint32_t begin) {
  const auto [place, added] = numbers_.try_emplace(std::string(name));
  DeviceNumber& device = place->second;
  if (!added) return device;
  device.as_named = said.has_value() && used_.insert(*said).second;
  device.number = device.as_named ? *said : begin;
  while (!device.as_named && !used_.insert(device.number).second) ++device.number;
  return device;
}

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || std::to_string(number) != text) return std::nullopt;
  return number;
}

}  // namespace x25sim::trace
