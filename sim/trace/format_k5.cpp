// The traces of Fujitsu's K5 cloud (in the repository of SNIA), one request a line in five fields
// between commas:
//
//   volume, time, R or W, offset in bytes, size in bytes
//
// Times are seconds from the first record, with nine digits behind the point, of which six are
// valid. A device is a volume.
#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class K5Format final : public LineFormat {
 public:
  explicit K5Format(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(second_ns)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at(',');
    line.expect_fields(fields, 5, "volume, time in s, R or W, offset, size");
    line.decimal(fields[0], "volume number");
    record.device = devices().index(fields[0]);
    record.time_ns = line.fraction(fields[1], "time", unit_ns_);
    record.kind = line.read_or_write(fields[2]);
    line.set_bytes(record, fields[3], fields[4]);
    return true;
  }

 private:
  std::uint64_t unit_ns_;
};

}  // namespace

std::unique_ptr<Reader> open_k5(ByteSource source, const ReaderOptions& options) {
  return open_text<K5Format>(std::move(source), options);
}

}  // namespace x25sim::trace
