// DiskSim's own ASCII traces, one request a line in columns between blanks:
//
//   time, device, first sector, number of sectors, flags
//
// Times are milliseconds with a fraction. Flags are hexadecimal, and bit 0 tells a read from a
// write; the other bits (priorities, asynchronous I/O) do not change what is transferred. DiskSim
// ignores columns behind the fifth; here they are counted.
#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class DisksimFormat final : public LineFormat {
 public:
  explicit DisksimFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(millisecond_ns)), strict_(options.strict) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at_blanks();
    if (fields.count > columns && !strict_) {
      notes().add("columns behind the fifth, ignored", line.number());
    } else {
      line.expect_fields(fields, columns, "time in ms, device, sector, sectors, flags");
    }
    record.time_ns = line.fraction(fields[0], "time", unit_ns_);
    line.decimal(fields[1], "device number");
    record.device = devices().index(fields[1]);
    line.set_sectors(record, fields[2], fields[3]);
    constexpr std::uint64_t read_flag = 1;
    const std::uint64_t flags = line.hexadecimal(fields[4], "flags");
    record.kind = (flags & read_flag) != 0 ? Kind::read : Kind::write;
    return true;
  }

 private:
  static constexpr std::size_t columns = 5;

  std::uint64_t unit_ns_;
  bool strict_;
};

}  // namespace

std::unique_ptr<Reader> open_disksim(ByteSource source, const ReaderOptions& options) {
  return open_text<DisksimFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
