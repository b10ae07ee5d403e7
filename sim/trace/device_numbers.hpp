// Numbers for the devices of a trace, in formats that have no names for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace x25sim::trace {

struct DeviceNumber {
  std::uint32_t number = 0;
  bool as_named = false;  // the name says this number
};

class DeviceNumbers {
 public:
  // The number of the device `name`: that which the name says (`said`), if it says one that no
  // other device has yet; otherwise the lowest one from `begin` on that is free.
  const DeviceNumber& of(std::string_view name, std::optional<std::uint32_t> said,
                         std::uint32_t begin);

 private:
  std::unordered_map<std::string, DeviceNumber> numbers_;
  std::unordered_set<std::uint32_t> used_;
};

// The number below 2^32 that is all of `text`; none if it is no number, or not in its shortest
// form.
std::optional<std::uint32_t> number_in(std::string_view text);

}  // namespace x25sim::trace
