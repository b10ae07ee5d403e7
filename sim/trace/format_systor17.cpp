// The traces of SYSTOR '17 (in the repository of SNIA), a header and one request a line in six
// fields between commas:
//
//   Timestamp, Response, IOType, LUN, Offset, Size
//
// Times are seconds since 1970 with nine digits behind the point, of which six are valid. Type is
// R, W, or nothing where the capture missed the response: such a record is of unknown kind, and its
// response time may be missing too. Offset and size are in bytes. A device is a LUN, and the
// response time is that of the traced machine.
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class Systor17Format final : public LineFormat {
 public:
  explicit Systor17Format(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(second_ns)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at(',');
    line.expect_fields(fields, 6, "time, response time, R or W or nothing, LUN, offset, size");
    // Files that were joined have a header each.
    if (fields[0] == "Timestamp") return false;
    record.time_ns = line.fraction(fields[0], "time", unit_ns_);
    if (!fields[1].empty()) {
      record.response_ns = line.fraction(fields[1], "response time", unit_ns_);
    }
    if (fields[2].empty()) {
      notes().add("type is blank: neither read nor write", line.number());
    } else {
      record.kind = line.read_or_write(fields[2]);
    }
    line.decimal(fields[3], "LUN");
    record.device = devices().index(fields[3]);
    line.set_bytes(record, fields[4], fields[5]);
    return true;
  }

 private:
  std::uint64_t unit_ns_;
};

}  // namespace

std::unique_ptr<Reader> open_systor17(ByteSource source, const ReaderOptions& options) {
  return open_text<Systor17Format>(std::move(source), options);
}

}  // namespace x25sim::trace
