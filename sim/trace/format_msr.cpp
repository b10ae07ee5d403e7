// The traces of MSR Cambridge (SNIA IOTTA 388), one request a line in seven fields between commas:
//
//   time, host name, disk number, Read or Write, offset in bytes, size in bytes, response time
//
// Times are Windows file times, units of 100 ns since 1601: 2007 is 1.28e19 ns, more than a signed
// 64-bit integer holds. The response time is that of the traced machine, in the same units. A
// device is a disk of a host.
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

constexpr std::uint64_t file_time_ns = 100;

class MsrFormat final : public LineFormat {
 public:
  explicit MsrFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(file_time_ns)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at(',');
    line.expect_fields(fields, 7, "time, host, disk, Read or Write, offset, size, response time");
    record.time_ns = line.scaled(fields[0], "time", unit_ns_);
    line.decimal(fields[2], "disk number");
    device_.assign(fields[1]).append(".").append(fields[2]);
    record.device = devices().index(device_);
    record.kind = parse_kind(line, fields[3]);
    line.set_bytes(record, fields[4], fields[5]);
    const std::uint64_t response = line.decimal(fields[6], "response time in units of 100 ns");
    // Some are garbage, and are no reason to refuse the request.
    if (response < Record::unknown_response / unit_ns_) record.response_ns = response * unit_ns_;
    return true;
  }

 private:
  static Kind parse_kind(const Line& line, std::string_view field) {
    if (field == "Read") return Kind::read;
    if (field == "Write") return Kind::write;
    line.fail("Read or Write", fmt::format("'{}'", field));
  }

  std::uint64_t unit_ns_;
  std::string device_;  // kept for its memory
};

}  // namespace

std::unique_ptr<Reader> open_msr(ByteSource source, const ReaderOptions& options) {
  return open_text<MsrFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
