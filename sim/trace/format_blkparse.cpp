// The text that blkparse prints of blktrace's events, one a line:
//
//   major,minor processor sequence seconds.nanoseconds process action RWBS, and by action
//   Q I D: sector + sectors [process]; without data [process]; of a passthrough command
//          bytes (payload in hexadecimal) [process]
//   C:     sector + sectors [error]; without data sector [error]; passthrough (payload) [error]
//
// and with blkparse's -t the time that the request has taken, in parentheses, before the bracket.
// Sectors are of 512 bytes. What a process is called may hold blanks and brackets. The letter D is
// an action (issued to the driver) as well as a kind of request (discard). Only the lines of one
// action are records (ReaderOptions::action; else D): counting several would multiply the load, and
// requests are merged between queueing and issuing. A passthrough command has no address, and is a
// request of another kind. Behind the events stands a summary, with which the trace ends.
//
// blkparse -f and -F print what their format says: with it as the argument, lines are read so
// (blkparse_layout.hpp).
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "nand/errors.hpp"
#include "sim/trace/blkparse_layout.hpp"
#include "sim/trace/block_event.hpp"
#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

bool is_device(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != text.npos && is_number(text.substr(0, comma)) &&
         is_number(text.substr(comma + 1));
}

// "what (whom)" with or without a colon: the headings of the summary.
bool is_heading(std::string_view text, bool colon) {
  if (colon && !text.ends_with(':')) return false;
  if (colon) text.remove_suffix(1);
  return text.ends_with(')') && text.find(" (") != text.npos;
}

// The first line of the summary: of a processor or of all, or with -s of a process.
bool begins_summary(std::string_view text) {
  if (is_heading(text, true)) {
    const std::string_view name = text.substr(0, text.find(' '));
    return name == "Total" || (name.starts_with("CPU") && is_number(name.substr(3)));
  }
  if (!is_heading(text, false)) return false;
  std::string_view process = text.substr(text.rfind('(') + 1);
  process.remove_suffix(1);
  return is_number(process.substr(0, process.find(',')));
}

bool belongs_to_summary(std::string_view text) {
  static constexpr std::array<std::string_view, 9> beginnings{"Reads ",
                                                              "Read ",
                                                              "PC Read",
                                                              "IO unplugs:",
                                                              "Allocation wait:",
                                                              "Dispatch wait:",
                                                              "Completion wait:",
                                                              "Throughput (R/W):",
                                                              "Skips:"};
  const auto begins = [text](std::string_view beginning) { return text.starts_with(beginning); };
  return begins_summary(text) || begins("Events (") ||
         std::any_of(beginnings.begin(), beginnings.end(), begins);
}

class BlkparseFormat final : public LineFormat {
 public:
  explicit BlkparseFormat(const ReaderOptions& options)
      : second_ns_(options.time_unit_ns.value_or(second_ns)),
        letter_(letter_of(options.action.value_or(default_action))) {
    if (!options.arguments.empty()) layout_.emplace(options.arguments);
  }

  bool parse(const Line& line, Record& record) override {
    const std::string_view text = line.text();
    if (text.starts_with("Input file ") && text.ends_with(" added")) {
      notes().add("lines with names of input files passed over", line.number());
      return false;
    }
    if (in_summary_ || begins_summary(text)) return summary(line);
    if (layout_) {
      BlkparseEvent event;
      if (layout_->match(text, event)) return parse_event(line, event, record);
      if (!layout_->only_of_action()) {
        line.fail(fmt::format("an event as '{}' prints it", layout_->format()),
                  fmt::format("'{}'", text));
      }
    }
    return parse_default(line, record);
  }

 private:
  // An event behind the summary would be of another trace.
  bool summary(const Line& line) {
    if (!belongs_to_summary(line.text())) {
      line.fail("nothing but blkparse's summary behind its first line",
                fmt::format("'{}'", line.text()));
    }
    in_summary_ = true;
    return false;
  }

  bool is_taken(const Line& line, std::string_view action) {
    if (!is_action(action)) {
      line.fail("an action of blkparse, such as Q, D or C", fmt::format("'{}'", action));
    }
    const bool taken = action.size() == 1 && action[0] == letter_;
    notes().add(note_of_event(action, taken), line.number());
    return taken;
  }

  RequestKind kind_of(const Line& line, std::string_view rwbs) const {
    if (const auto kind = request_kind(rwbs)) return *kind;
    line.fail("the kind of a request, such as R, WS, DS or FWFS", fmt::format("'{}'", rwbs));
  }

  bool parse_event(const Line& line, const BlkparseEvent& event, Record& record) {
    if (event.action.empty()) {
      notes().add("lines taken for requests: the format has no action (%a)", line.number());
    } else if (!is_taken(line, event.action)) {
      return false;
    }
    record.time_ns = time_of(line, event.seconds, event.nanoseconds);
    record.device = devices().index(event.device);
    const Bytes length = event.bytes.empty()
                             ? Bytes{line.scaled(event.sectors, "number of sectors", 512)}
                             : Bytes{line.decimal(event.bytes, "number of bytes")};
    set_checked(line, kind_of(line, event.rwbs), event.sector, length, record);
    return true;
  }

  std::uint64_t time_of(const Line& line, std::string_view seconds,
                        std::string_view nanoseconds) const {
    const std::uint64_t whole = line.scaled(seconds, "seconds", second_ns_);
    if (nanoseconds.empty()) return whole;
    std::uint64_t time = 0;
    const std::uint64_t part = line.decimal(nanoseconds, "nanoseconds");
    if (part >= second_ns) line.fail("nanoseconds below 10^9", fmt::format("'{}'", nanoseconds));
    if (__builtin_add_overflow(whole, part, &time)) {
      line.fail("a time below 2^64 ns", fmt::format("'{}.{}'", seconds, nanoseconds));
    }
    return time;
  }

  bool parse_default(const Line& line, Record& record) {
    std::string_view rest = line.text();
    const std::string_view device = take_word(rest);
    if (!is_device(device)) {
      line.fail("an event of blkparse, which begins with major,minor",
                fmt::format("'{}'", line.text()));
    }
    line.decimal(take_word(rest), "processor");
    line.decimal(take_word(rest), "sequence number");
    record.time_ns = line.fraction(take_word(rest), "time", second_ns_);
    line.decimal(take_word(rest), "process");
    const std::string_view action = take_word(rest);
    if (!is_taken(line, action)) return false;
    const RequestKind kind = kind_of(line, take_word(rest));
    record.device = devices().index(device);
    parse_payload(line, rest, kind, record);
    return true;
  }

  void parse_payload(const Line& line, std::string_view rest, RequestKind kind, Record& record) {
    const std::string_view whole = rest;
    const auto fail = [&] {
      line.fail(letter_ == 'C' ? "a request as 'sector + sectors [error]'"
                               : "a request as 'sector + sectors [process]'",
                fmt::format("'{}'", whole));
    };
    if (!rest.ends_with(']')) fail();
    std::string_view number;
    std::string_view sectors;
    if (!rest.starts_with('[') && !rest.starts_with('(')) {
      number = take_word(rest);
      if (rest.starts_with("+ ")) {
        take_word(rest);
        sectors = take_word(rest);
      }
    }
    bool parenthesis = false;
    bool elapsed = false;
    if (rest.starts_with('(')) {
      const std::size_t end = rest.find(')');
      if (end == rest.npos) fail();
      // A payload has two digits a byte; a time is padded to eight.
      parenthesis = true;
      elapsed = end - 1 >= 8 && is_number(trimmed(rest.substr(1, end - 1)));
      rest = trimmed(rest.substr(end + 1));
    }
    if (!rest.starts_with('[')) fail();
    if (letter_ == 'C' && rest != "[0]") notes().add("completed with an error", line.number());

    if (!sectors.empty()) {
      if (parenthesis && !elapsed) fail();
      set_checked(line, kind, number, Bytes{line.scaled(sectors, "number of sectors", 512)},
                  record);
    } else if (letter_ != 'C' && !number.empty()) {
      if (elapsed) fail();
      notes().add("passthrough commands, which have no address", line.number());
      set_request(record, {}, Bytes{0}, Bytes{line.decimal(number, "number of bytes")});
    } else {
      if (!number.empty()) line.decimal(number, "first sector");
      const bool passthrough = number.empty() && parenthesis && !elapsed;
      if (passthrough) notes().add("passthrough commands, which have no address", line.number());
      set_request(record, passthrough ? RequestKind{} : kind, Bytes{0}, Bytes{0});
    }
  }

  static void set_checked(const Line& line, const RequestKind& kind, std::string_view sector,
                          Bytes length, Record& record) {
    if (length.count == 0) {
      // Kernels give 2^64 - 1 as the sector of some flushes.
      line.decimal(sector, "first sector");
      set_request(record, kind, Bytes{0}, Bytes{0});
      return;
    }
    line.set_range(record, Bytes{line.scaled(sector, "first sector", 512)}, length);
    set_request(record, kind, record.offset, length);
  }

  std::uint64_t second_ns_;
  char letter_;
  std::optional<BlkparseLayout> layout_;
  bool in_summary_ = false;
};

}  // namespace

std::unique_ptr<Reader> open_blkparse(ByteSource source, const ReaderOptions& options) {
  return open_text<BlkparseFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
