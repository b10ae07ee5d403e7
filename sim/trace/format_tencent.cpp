// The traces of Tencent's cloud block storage (in the repository of SNIA), one request a line in
// five fields between commas:
//
//   time, first sector, number of sectors, operation, volume
//
// Times are whole seconds since 1970, so that thousands of records share one: their order is that
// of the file. Operation 0 reads and 1 writes, the opposite of the five columns of MQSim and
// SSDsim. A device is a volume.
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class TencentFormat final : public LineFormat {
 public:
  explicit TencentFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(second_ns)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at(',');
    line.expect_fields(fields, 5, "time in s, sector, sectors, operation, volume");
    record.time_ns = line.scaled(fields[0], "time", unit_ns_);
    line.set_sectors(record, fields[1], fields[2]);
    record.kind = parse_kind(line, fields[3]);
    line.decimal(fields[4], "volume number");
    record.device = devices().index(fields[4]);
    return true;
  }

 private:
  static Kind parse_kind(const Line& line, std::string_view field) {
    if (field == "0") return Kind::read;
    if (field == "1") return Kind::write;
    line.fail("operation 0 (read) or 1 (write)", fmt::format("'{}'", field));
  }

  std::uint64_t unit_ns_;
};

}  // namespace

std::unique_ptr<Reader> open_tencent(ByteSource source, const ReaderOptions& options) {
  return open_text<TencentFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
