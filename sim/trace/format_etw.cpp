// The disk events of Windows' event tracing as xperf dumps them: the traces of Microsoft's servers
// in SNIA's repository (Exchange, MSN, TPC-C and others). One event a line in fields between
// commas, of which the first is the event's name, behind a header that gives each event's columns:
//
//   BeginHeader
//     DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ...
//   EndHeader
//     DiskRead, 9000, tool.exe (40), 41, 0xfe80, 0x0000a000, 0x00001000, ...
//
// DiskRead, DiskWrite and DiskFlush are read, the last of which has neither offset nor size; all
// other events are passed over and counted. Newer dumps have a column more than their header says,
// the processor, before IrpPtr: the address in IrpPtr, the first field with 0x, shows where it is.
// Fields behind DiskNum are not used, among them file names, which may hold commas.
//
// Times are microseconds from the start of the trace, ByteOffset and IOSize hexadecimal bytes, and
// a device is a DiskNum. An event is written when its request is complete: the time of a record is
// TimeStamp less ElapsedTime, when it was issued. Records are therefore in the order of completion.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

// Where an event has what, as the header says; 0, the event's name, is "nowhere".
struct Columns {
  std::size_t time = 0, irp = 0, offset = 0, size = 0, elapsed = 0, disk = 0;
};

struct Event {
  std::string_view name;
  Kind kind;
  std::optional<Columns> columns;  // once the header has told
};

class EtwFormat final : public LineFormat {
 public:
  explicit EtwFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(microsecond_ns)) {}

  bool parse(const Line& line, Record& record) override {
    if (line.text() == "BeginHeader") {
      part_ = Part::header;
      return false;
    }
    if (part_ == Part::nothing) line.fail("BeginHeader", fmt::format("'{}'", line.text()));
    if (line.text() == "EndHeader") {
      part_ = Part::events;
      return false;
    }
    const Fields fields = line.at_quoted(',');
    Event* const event = event_named(fields[0]);
    if (part_ == Part::header) {
      if (event != nullptr) event->columns = columns_of(line, fields, event->kind);
      return false;
    }
    if (event == nullptr) {
      notes().add("event that is no completed disk request, passed over", line.number());
      return false;
    }
    if (!event->columns) {
      line.fail(fmt::format("an event that the header describes"), fmt::format("'{}'", fields[0]));
    }
    parse_event(line, fields, *event, record);
    return true;
  }

 private:
  enum class Part { nothing, header, events };

  Event* event_named(std::string_view name) {
    for (Event& event : events_) {
      if (event.name == name) return &event;
    }
    return nullptr;
  }

  static std::size_t column(const Line& line, const Fields& fields, std::string_view name) {
    for (std::size_t i = 1; i < std::min(fields.count, Fields::capacity); ++i) {
      if (fields[i] == name) return i;
    }
    line.fail(fmt::format("a column {}", name), fmt::format("'{}'", line.text()));
  }

  static Columns columns_of(const Line& line, const Fields& fields, Kind kind) {
    Columns columns;
    columns.time = column(line, fields, "TimeStamp");
    columns.irp = column(line, fields, "IrpPtr");
    columns.elapsed = column(line, fields, "ElapsedTime");
    columns.disk = column(line, fields, "DiskNum");
    if (kind != Kind::flush) {
      columns.offset = column(line, fields, "ByteOffset");
      columns.size = column(line, fields, "IOSize");
    }
    return columns;
  }

  void parse_event(const Line& line, const Fields& fields, const Event& event, Record& record) {
    const Columns& columns = *event.columns;
    // Columns behind the processor's, where the header leaves it out, are one further.
    const auto has_irp = [&](std::size_t at) {
      return at < std::min(fields.count, Fields::capacity) && fields[at].starts_with("0x");
    };
    const std::size_t shift = has_irp(columns.irp) ? 0 : 1;
    if (!has_irp(columns.irp + shift)) {
      line.fail("IrpPtr as 0x and digits", fmt::format("'{}'", line.text()));
    }
    if (fields.count <= columns.disk + shift) {
      line.fail(fmt::format("at least {} fields", columns.disk + shift + 1),
                fmt::format("{} in '{}'", fields.count, line.text()));
    }
    record.kind = event.kind;
    if (event.kind != Kind::flush) {
      const Bytes offset{bytes(line, fields[columns.offset + shift], "ByteOffset")};
      line.set_range(record, offset, Bytes{bytes(line, fields[columns.size + shift], "IOSize")});
    }
    const std::string_view disk = fields[columns.disk + shift];
    line.decimal(disk, "DiskNum");
    record.device = devices().index(disk);
    const std::uint64_t end_ns = line.fraction(fields[columns.time], "TimeStamp", unit_ns_);
    const std::uint64_t elapsed_ns =
        line.fraction(fields[columns.elapsed + shift], "ElapsedTime", unit_ns_);
    if (elapsed_ns > end_ns) {
      notes().add("request that was issued before the trace began, taken as issued at its begin",
                  line.number());
    }
    record.time_ns = end_ns - std::min(elapsed_ns, end_ns);
    record.response_ns = elapsed_ns;
  }

  static std::uint64_t bytes(const Line& line, std::string_view field, std::string_view what) {
    if (!field.starts_with("0x")) {
      line.fail(fmt::format("{} as 0x and digits", what), fmt::format("'{}'", field));
    }
    return line.hexadecimal(field, what);
  }

  std::uint64_t unit_ns_;
  Part part_ = Part::nothing;
  std::vector<Event> events_{
      {"DiskRead", Kind::read, {}}, {"DiskWrite", Kind::write, {}}, {"DiskFlush", Kind::flush, {}}};
};

}  // namespace

std::unique_ptr<Reader> open_etw(ByteSource source, const ReaderOptions& options) {
  return open_text<EtwFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
