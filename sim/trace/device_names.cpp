#include "sim/trace/device_names.hpp"

#include "nand/errors.hpp"

namespace x25sim::trace {

std::uint32_t DeviceNames::index(std::string_view name) {
  if (last_ < names_.size() && names_[last_] == name) return last_;
  const auto known = indices_.find(name);
  if (known != indices_.end()) {
    last_ = known->second;
    return last_;
  }
  if (names_.size() >= devices_max) {
    throw InputError("expected at most " + std::to_string(devices_max) +
                     " devices in a trace, found another one: " + std::string(name));
  }
  last_ = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  indices_.emplace(name, last_);
  return last_;
}

std::optional<std::uint32_t> DeviceNames::find(std::string_view name) const {
  if (last_ < names_.size() && names_[last_] == name) return last_;
  const auto place = indices_.find(std::string(name));
  if (place == indices_.end()) return std::nullopt;
  return place->second;
}

}  // namespace x25sim::trace
