// MQSim's text traces, one request a line in five columns between blanks:
//
//   time in ns, device, first sector, number of sectors, operation
//
// 0 is a write, 1 a read; 2 is the erase of a zone in forks for zoned drives, here a trim, whose
// length may be 0. MQSim itself takes anything but 0 for a read, cuts numbers at the first
// character that is none, and stops at the first line that has not five fields: all of these are
// errors here. SSDsim's traces have the same columns.
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class MqsimFormat final : public LineFormat {
 public:
  explicit MqsimFormat(const ReaderOptions& options) : unit_ns_(options.time_unit_ns.value_or(1)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at_blanks();
    line.expect_fields(fields, 5, "time, device, sector, sectors, operation");
    record.time_ns = line.scaled(fields[0], "time", unit_ns_);
    line.decimal(fields[1], "device number");
    record.device = devices().index(fields[1]);
    const Bytes offset{line.scaled(fields[2], "first sector", sector_size.count)};
    const Bytes length{line.scaled(fields[3], "number of sectors", sector_size.count)};
    line.set_range(record, offset, length);
    record.kind = parse_kind(line, fields[4]);
    return true;
  }

 private:
  static Kind parse_kind(const Line& line, std::string_view field) {
    if (field == "0") return Kind::write;
    if (field == "1") return Kind::read;
    if (field == "2") return Kind::trim;
    line.fail("operation 0 (write), 1 (read) or 2 (zone erase)", fmt::format("'{}'", field));
  }

  std::uint64_t unit_ns_;
};

}  // namespace

std::unique_ptr<Reader> open_mqsim(ByteSource source, const ReaderOptions& options) {
  return std::make_unique<TextReader>(std::move(source), std::make_unique<MqsimFormat>(options),
                                      options);
}

}  // namespace x25sim::trace
