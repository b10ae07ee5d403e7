// Writes traces as those of MSR Cambridge. Times are as the trace counts them, in units of 100 ns,
// rounded down: those of a trace that does not count from 1601 are not dates. The response time,
// which a trace does not have, is 0. There are only reads and writes. A device is a host and a disk
// number: names that are none are numbered, as disks of the host "device".
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "sim/trace/device_numbers.hpp"
#include "sim/trace/writer.hpp"

namespace x25sim::trace {

namespace {

constexpr std::uint64_t tick_ns = 100;
constexpr std::string_view host_of_numbered = "device";

// Where "host.number" is split; npos if the name is not of this form.
std::size_t point_in(std::string_view name) {
  const std::size_t point = name.rfind('.');
  if (point == name.npos || point == 0 || !number_in(name.substr(point + 1))) return name.npos;
  const std::string_view host = name.substr(0, point);
  const bool sound = host.find_first_of(", \t\r\n#/") == host.npos;
  return sound && host != host_of_numbered ? point : name.npos;
}

class MsrWriter final : public Writer {
 public:
  using Writer::Writer;

 private:
  bool put(const Record& record, std::string_view device_name) override {
    switch (record.kind) {
      case Kind::read:
      case Kind::write: break;
      case Kind::trim: return leave_out(record, "trims: the format has none");
      case Kind::flush: return leave_out(record, "flushes: the format has none");
      case Kind::other: return leave_out(record, "requests of another kind: the format has none");
    }
    if (record.flush_first || record.durable) {
      note_change(record, "writes with flush or forced unit access, written as plain ones");
    }
    if (record.time_ns % tick_ns != 0) {
      note_change(record, "times that are no multiples of 100 ns, rounded down");
    }
    const std::size_t point = point_in(device_name);
    fmt::print(out(), "{},", record.time_ns / tick_ns);
    if (point != device_name.npos) {
      fmt::print(out(), "{},{},", device_name.substr(0, point), device_name.substr(point + 1));
    } else {
      const DeviceNumber& device = devices_.of(device_name, device_number(device_name), 0);
      if (!device.as_named) note_change(record, "names of devices, written as numbers");
      fmt::print(out(), "{},{},", host_of_numbered, device.number);
    }
    fmt::print(out(), "{},{},{},0\n", record.kind == Kind::read ? "Read" : "Write",
               record.offset.count, record.length.count);
    return true;
  }

  // That of "device.5", or of no name at all.
  static std::optional<std::uint32_t> device_number(std::string_view name) {
    if (name.empty()) return 0;
    if (!name.starts_with(host_of_numbered)) return std::nullopt;
    name.remove_prefix(host_of_numbered.size());
    return name.starts_with('.') ? number_in(name.substr(1)) : std::nullopt;
  }

  DeviceNumbers devices_;
};

}  // namespace

std::unique_ptr<Writer> write_msr(std::ostream& out) { return std::make_unique<MsrWriter>(out); }

}  // namespace x25sim::trace
