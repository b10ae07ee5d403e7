// The traces of Florida International University (SyLab), one request a line in
// nine columns between blanks:
//
//   time, process number, process name, first sector, blocks, R or W, major, minor, MD5 of the data
//
// Times are ns from the start of the trace. Sectors and blocks have 512 bytes. A device is a pair
// of major and minor number. The MD5 sum is of 512 or 4096 bytes of data, differently long in
// different sets, and is not used.
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

class FiuFormat final : public LineFormat {
 public:
  explicit FiuFormat(const ReaderOptions& options) : unit_ns_(options.time_unit_ns.value_or(1)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at_blanks();
    line.expect_fields(fields, 9,
                       "time in ns, process, name, sector, blocks, R or W, major, minor, MD5");
    record.time_ns = line.scaled(fields[0], "time", unit_ns_);
    line.decimal(fields[1], "process number");
    line.set_sectors(record, fields[3], fields[4]);
    record.kind = line.read_or_write(fields[5]);
    line.decimal(fields[6], "major number");
    line.decimal(fields[7], "minor number");
    device_.assign(fields[6]).append(",").append(fields[7]);
    record.device = devices().index(device_);
    if (!is_hexadecimal(fields[8])) {
      line.fail("MD5 sum in hexadecimal digits", fmt::format("'{}'", fields[8]));
    }
    return true;
  }

 private:
  std::uint64_t unit_ns_;
  std::string device_;  // kept for its memory
};

}  // namespace

std::unique_ptr<Reader> open_fiu(ByteSource source, const ReaderOptions& options) {
  return open_text<FiuFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
