// The devices of a trace, numbered in the order in which they appear.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace x25sim::trace {

class DeviceNames {
 public:
  // More devices than any public trace has; beyond that a column is no device number.
  static constexpr std::size_t devices_max = 1u << 20;

  // The index of the device `name`, which is new or not. Throws InputError beyond devices_max.
  // Quick for the device that was asked for last.
  std::uint32_t index(std::string_view name);

  // The index of the device `name`; none if it has not appeared.
  std::optional<std::uint32_t> find(std::string_view name) const;

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::uint32_t device) const { return names_[device]; }

 private:
  // Looks a name up without making a string of it.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> indices_;
  std::uint32_t last_ = 0;
};

}  // namespace x25sim::trace
