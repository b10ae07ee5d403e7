// The traces of MSR Cambridge (SNIA IOTTA 388), one request a line in seven fields between commas:
//
//   time, host name, disk number, Read or Write, offset in bytes, size in bytes, response time
//
// Times are Windows file times, units of 100 ns since 1601: 2007 is 1.28e19 ns, more than a signed
// 64-bit integer holds. The response time is that of the traced machine and is not used.
#include <fmt/format.h>

#include "sim/workload/trace_formats.hpp"
#include "sim/workload/trace_lines.hpp"

namespace x25sim::workload {
namespace {

constexpr std::uint64_t tick_ns = 100;

class MsrReader final : public TraceReader {
 public:
  explicit MsrReader(const std::string& path) : lines_(path) {}

  std::optional<TraceRecord> next() override {
    const auto line = lines_.next();
    if (!line) return std::nullopt;
    const TraceFields fields = split_at_commas(*line);
    if (fields.count != 7) {
      lines_.fail("7 fields (time, host, disk, Read or Write, offset, size, response time)",
                  fmt::format("{} in '{}'", fields.count, *line));
    }
    const auto& field = fields.field;
    TraceRecord record;
    record.time_ns = lines_.scaled_number(field[0], "time in units of 100 ns", tick_ns);
    record.device = lines_.number(field[2], "disk number");
    const Operation operation = parse_operation(field[3]);
    const Bytes offset{lines_.number(field[4], "offset in bytes")};
    const Bytes length{lines_.number(field[5], "size in bytes")};
    lines_.number(field[6], "response time in units of 100 ns");
    record.request = lines_.request(operation, offset, length);
    record.line = lines_.line();
    return record;
  }

 private:
  Operation parse_operation(std::string_view field) const {
    if (field == "Read") return Operation::read;
    if (field == "Write") return Operation::write;
    lines_.fail("Read or Write", fmt::format("'{}'", field));
  }

  TraceLines lines_;
};

}  // namespace

std::unique_ptr<TraceReader> open_msr_trace(const std::string& path) {
  return std::make_unique<MsrReader>(path);
}

}  // namespace x25sim::workload
