// The event files of the WiscSee simulator, made from blktrace; one event a line in eight columns
// between blanks:
//
//   process, action, operation, offset in bytes, size in bytes, time in s, time before, sync
//
// A request has an event when it is issued (action D) and mostly another one when it is completed
// (C); the events of issue are taken unless others are asked for. Offsets are relative to a
// partition: negative ones lie before it, on no device that could be named, and are damaged lines.
// The seconds since the event before and whether the request was synchronous are not used.
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class WiscseeFormat final : public LineFormat {
 public:
  explicit WiscseeFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(second_ns)),
        action_(letter_of(options.action.value_or(default_action))) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at_blanks();
    line.expect_fields(fields, 8,
                       "process, D or C, operation, offset, size, time, time before, sync");
    line.decimal(fields[0], "process number");
    if (fields[1] != "D" && fields[1] != "C") {
      line.fail("action D or C", fmt::format("'{}'", fields[1]));
    }
    record.kind = parse_kind(line, fields[2]);
    if (fields[3].starts_with('-')) {
      line.fail("an offset that is not before the partition's begin",
                fmt::format("'{}'", fields[3]));
    }
    line.set_bytes(record, fields[3], fields[4]);
    record.time_ns = line.fraction(fields[5], "time", unit_ns_);
    if (fields[7] != "True" && fields[7] != "False") {
      line.fail("True or False", fmt::format("'{}'", fields[7]));
    }
    return fields[1] == action_;
  }

 private:
  static std::string_view letter_of(Action action) {
    switch (action) {
      case Action::issued: return "D";
      case Action::completed: return "C";
      case Action::queued:
      case Action::inserted: break;
    }
    throw InputError("--action: expected D or C for the format wiscsee, which has no others");
  }

  static Kind parse_kind(const Line& line, std::string_view field) {
    if (field == "read") return Kind::read;
    if (field == "write") return Kind::write;
    if (field == "discard") return Kind::trim;
    if (field == "flush") return Kind::flush;
    line.fail("operation read, write, discard or flush", fmt::format("'{}'", field));
  }

  std::uint64_t unit_ns_;
  std::string_view action_;
};

}  // namespace

std::unique_ptr<Reader> open_wiscsee(ByteSource source, const ReaderOptions& options) {
  return open_text<WiscseeFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
