// The Storage Performance Council's trace format, in which the University of Massachusetts keeps
// Financial and WebSearch; one request a line in fields between commas:
//
//   application storage unit, first block, size in bytes, R or W, time in seconds [, more]
//
// Blocks have 512 bytes, and yet sizes are in bytes; both 0 and what is no multiple of a block are
// legal sizes. Each unit has addresses of its own and is a device. What follows the time differs
// from line to line and has no meaning here.
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class SpcFormat final : public LineFormat {
 public:
  explicit SpcFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(second_ns)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at(',');
    if (fields.count < 5) line.expect_fields(fields, 5, "unit, block, bytes, R or W, time");
    line.decimal(fields[0], "application storage unit");
    record.device = devices().index(fields[0]);
    const Bytes offset{line.scaled(fields[1], "first block", sector_size.count)};
    const Bytes length{line.decimal(fields[2], "size in bytes")};
    line.set_range(record, offset, length);
    record.kind = line.read_or_write(fields[3]);
    record.time_ns = line.fraction(fields[4], "time", unit_ns_);
    return true;
  }

 private:
  std::uint64_t unit_ns_;
};

}  // namespace

std::unique_ptr<Reader> open_spc(ByteSource source, const ReaderOptions& options) {
  return open_text<SpcFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
