// MQSim's text traces, one request a line in five columns between blanks:
//
//   time in ns, device, first sector, number of sectors, operation
//
// 0 is a write, 1 a read; 2 is the erase of a zone in forks for zoned drives, here a trim, whose
// length may be 0. MQSim itself takes anything but 0 for a read, cuts numbers at the first
// character that is none, and stops at the first line that has not five fields: all of these are
// errors here.
#include <fmt/format.h>

#include "sim/workload/trace_formats.hpp"
#include "sim/workload/trace_lines.hpp"

namespace x25sim::workload {
namespace {

class MqsimReader final : public TraceReader {
 public:
  explicit MqsimReader(const std::string& path) : lines_(path) {}

  std::optional<TraceRecord> next() override {
    const auto line = lines_.next();
    if (!line) return std::nullopt;
    const TraceFields fields = split_at_blanks(*line);
    if (fields.count != 5) {
      lines_.fail("5 columns (time in ns, device, sector, sectors, operation)",
                  fmt::format("{} in '{}'", fields.count, *line));
    }
    const auto& field = fields.field;
    TraceRecord record;
    record.time_ns = lines_.number(field[0], "time in ns");
    record.device = lines_.number(field[1], "device number");
    const Bytes offset{lines_.scaled_number(field[2], "first sector", sector_size.count)};
    const Bytes length{lines_.scaled_number(field[3], "number of sectors", sector_size.count)};
    record.request = lines_.request(parse_operation(field[4]), offset, length);
    record.line = lines_.line();
    return record;
  }

 private:
  Operation parse_operation(std::string_view field) const {
    if (field == "0") return Operation::write;
    if (field == "1") return Operation::read;
    if (field == "2") return Operation::trim;
    lines_.fail("operation 0 (write), 1 (read) or 2 (zone erase)", fmt::format("'{}'", field));
  }

  TraceLines lines_;
};

}  // namespace

std::unique_ptr<TraceReader> open_mqsim_trace(const std::string& path) {
  return std::make_unique<MqsimReader>(path);
}

}  // namespace x25sim::workload
