#include "sim/trace/write_block_events.hpp"

#include <array>
#include <optional>

#include "sim/trace/blktrace_layout.hpp"

namespace x25sim::trace {

namespace {

constexpr std::array<std::string_view, 4> actions{"Q", "G", "I", "D"};

// Major numbers that Linux gives to devices without one of their own.
constexpr std::uint32_t first_number = 259u << blktrace::minor_bits;

// The number of the device "major,minor"; none for another name.
std::optional<std::uint32_t> device_number(std::string_view name) {
  if (name.empty()) return first_number;
  const std::size_t comma = name.find(',');
  if (comma == name.npos) return std::nullopt;
  const auto major = number_in(name.substr(0, comma));
  const auto minor = number_in(name.substr(comma + 1));
  const bool fits =
      major && minor && *major <= blktrace::major_max && *minor <= blktrace::minor_max;
  if (!fits) return std::nullopt;
  return *major << blktrace::minor_bits | *minor;
}

}  // namespace

bool BlockEventWriter::put(const Record& record, std::string_view device_name) {
  const bool without_data = record.length.count == 0;
  if (record.kind == Kind::other && !without_data) {
    return leave_out(record, "requests of another kind with data: the format has none");
  }
  if (record.kind == Kind::read && without_data) {
    return leave_out(record, "reads without data, which would be of another kind");
  }
  if (!in_whole_sectors(record)) {
    return leave_out(record, "requests that are not in whole sectors of 512 bytes");
  }
  if (record.length.count > length_max()) {
    return leave_out(record, "requests of 4 GiB and more, which don't fit the format's 32 bits");
  }
  if (without_data && record.offset.count != 0) {
    note_change(record, "addresses of requests without data, left out");
  }
  const DeviceNumber& device = devices_.of(device_name, device_number(device_name), first_number);
  if (!device.as_named) note_change(record, "names of devices, written as numbers");
  BlockEvent event;
  event.time_ns = time_since_first(record, backwards());
  event.device = device.number;
  for (const std::string_view action : actions) {
    event.action = action;
    event.sequence = ++sequence_;
    put_event(event, record);
  }
  return true;
}

}  // namespace x25sim::trace
