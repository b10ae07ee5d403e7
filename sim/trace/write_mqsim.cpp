// Writes MQSim's five columns. Times are ns from the first record, and never go backwards, which
// MQSim does not survive. Only reads and writes in whole sectors can be said: MQSim takes any
// operation but 0 for a read, so that a trim would become one.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "sim/trace/device_numbers.hpp"
#include "sim/trace/writer.hpp"

namespace x25sim::trace {

namespace {

class MqsimWriter final : public Writer {
 public:
  using Writer::Writer;

 private:
  bool put(const Record& record, std::string_view device_name) override {
    switch (record.kind) {
      case Kind::read:
      case Kind::write: break;
      case Kind::trim: return leave_out(record, "trims: MQSim would take them for reads");
      case Kind::flush: return leave_out(record, "flushes: the format has none");
      case Kind::other: return leave_out(record, "requests of another kind: the format has none");
    }
    if (!in_whole_sectors(record)) {
      return leave_out(record, "requests that are not in whole sectors of 512 bytes");
    }
    if (record.flush_first || record.durable) {
      note_change(record, "writes with flush or forced unit access, written as plain ones");
    }
    const DeviceNumber& device =
        devices_.of(device_name, device_name.empty() ? 0 : number_in(device_name), 0);
    if (!device.as_named) note_change(record, "names of devices, written as numbers");
    fmt::print(out(), "{} {} {} {} {}\n", time_since_first(record, Backwards::lifted),
               device.number, record.offset / sector_size, record.length / sector_size,
               record.kind == Kind::read ? 1 : 0);
    return true;
  }

  DeviceNumbers devices_;
};

}  // namespace

std::unique_ptr<Writer> write_mqsim(std::ostream& out) {
  return std::make_unique<MqsimWriter>(out);
}

}  // namespace x25sim::trace
