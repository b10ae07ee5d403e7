// libCacheSim's text form of the CloudPhysics traces (format_vscsi.cpp), a header and one request a
// line in five fields between commas:
//
//   version, time in s, SCSI operation code, size in bytes, first block
//
// The operation code is hexadecimal, without 0x. Blocks have 512 bytes. Most records share their
// time with others, as it is in whole seconds. The header is asked for: without it nothing tells
// the columns from those of other traces.
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/scsi.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

constexpr std::string_view header = "version,time,op,size,lbn";

class VscsiCsvFormat final : public LineFormat {
 public:
  explicit VscsiCsvFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(second_ns)) {}

  bool parse(const Line& line, Record& record) override {
    if (line.text() == header) {
      has_header_ = true;
      return false;
    }
    if (!has_header_) {
      line.fail(fmt::format("the header {}", header), fmt::format("'{}'", line.text()));
    }
    const Fields fields = line.at(',');
    line.expect_fields(fields, 5, header);
    if (fields[0] != "1" && fields[0] != "2") {
      line.fail("version 1 or 2", fmt::format("'{}'", fields[0]));
    }
    record.time_ns = line.fraction(fields[1], "time", unit_ns_);
    record.kind = kind_of_scsi(line.hexadecimal(fields[2], "SCSI operation code"));
    if (record.kind == Kind::other) notes().add(other_scsi_note, line.number());
    if (record.kind == Kind::trim) notes().add(unmap_note, line.number());
    const Bytes length{line.decimal(fields[3], "size in bytes")};
    line.set_range(record, Bytes{line.scaled(fields[4], "first block", sector_size.count)}, length);
    return true;
  }

 private:
  std::uint64_t unit_ns_;
  bool has_header_ = false;
};

}  // namespace

std::unique_ptr<Reader> open_vscsi_csv(ByteSource source, const ReaderOptions& options) {
  return open_text<VscsiCsvFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
