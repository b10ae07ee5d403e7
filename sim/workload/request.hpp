// What a host asks of a block device.
#pragma once

#include <cstdint>
#include <string_view>

#include "nand/units.hpp"

namespace x25sim::workload {

enum class Operation : std::uint8_t { read, write, trim, flush };

constexpr std::string_view name(Operation operation) {
  switch (operation) {
    case Operation::read: return "read";
    case Operation::write: return "write";
    case Operation::trim: return "trim";
    case Operation::flush: return "flush";
  }
  return "";
}

struct Request {
  Operation operation = Operation::read;
  Bytes offset;
  Bytes length;  // 0 for flush only

  bool operator==(const Request&) const = default;
};

}  // namespace x25sim::workload
