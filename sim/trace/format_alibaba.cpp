// The block traces of Alibaba Cloud, one request a line in five fields between commas:
//
//   device, R or W, offset in bytes, size in bytes, time
//
// Times are microseconds since 1970. A thousand devices are interleaved.
#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class AlibabaFormat final : public LineFormat {
 public:
  explicit AlibabaFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(microsecond_ns)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at(',');
    line.expect_fields(fields, 5, "device, R or W, offset, size, time in us");
    line.decimal(fields[0], "device number");
    record.device = devices().index(fields[0]);
    record.kind = line.read_or_write(fields[1]);
    line.set_bytes(record, fields[2], fields[3]);
    record.time_ns = line.scaled(fields[4], "time", unit_ns_);
    return true;
  }

 private:
  std::uint64_t unit_ns_;
};

}  // namespace

std::unique_ptr<Reader> open_alibaba(ByteSource source, const ReaderOptions& options) {
  return open_text<AlibabaFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
