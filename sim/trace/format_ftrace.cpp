// Events of the block layer as ftrace (trace_pipe), trace-cmd and perf script print them:
//
//   process-id [cpu] flags seconds: block_rq_issue: major,minor RWBS bytes (command)
//       sector + sectors [process]
//
// with block_rq_insert in the same form, block_rq_complete without the bytes and with an error in
// place of the process, and block_bio_queue without bytes and command; perf puts "block:" before
// the event's name. Newer kernels have the priority as class,hint,level or class,level before the
// bracket. Sectors are of 512 bytes, times count from the start of the machine. The bytes are 0 for
// requests of file systems under old kernels: the number of sectors is what counts; a request with
// bytes and without sectors is a passthrough command. Only the events of one action are records
// (ReaderOptions::action: block_bio_queue Q, insert I, issue D, complete C; else D).
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include "sim/trace/block_event.hpp"
#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

struct NamedEvent {
  std::string_view name;
  std::string_view action;
};

constexpr std::array named_events{
    NamedEvent{"block_bio_queue", "Q"},
    NamedEvent{"block_rq_insert", "I"},
    NamedEvent{"block_rq_issue", "D"},
    NamedEvent{"block_rq_complete", "C"},
};

// "12.345678:", and the same without a fraction.
bool is_time(std::string_view word) {
  if (word.size() < 2 || !word.ends_with(':') || !is_digit(word.front())) return false;
  word.remove_suffix(1);
  return std::all_of(word.begin(), word.end(), [](char c) { return c == '.' || is_digit(c); });
}

// The lines of a stack: "=> function" (ftrace), "ffffffff81234567 function" (perf).
bool is_of_stack(std::string_view text) {
  if (text.starts_with("=> ")) return true;
  const std::string_view address = text.substr(0, text.find(' '));
  return address.size() >= 8 && address.size() < text.size() &&
         std::all_of(address.begin(), address.end(),
                     [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

class FtraceFormat final : public LineFormat {
 public:
  explicit FtraceFormat(const ReaderOptions& options)
      : second_ns_(options.time_unit_ns.value_or(second_ns)),
        letter_(letter_of(options.action.value_or(default_action))) {}

  bool parse(const Line& line, Record& record) override {
    std::string_view rest = line.text();
    if (rest.starts_with("CPU:") && rest.ends_with("EVENTS]")) {
      notes().add("places where the tracer lost events", line.number());
      return false;
    }
    if (is_of_stack(rest)) {
      notes().add("lines of stacks passed over", line.number());
      return false;
    }
    std::string_view time = take_word(rest);
    while (!rest.empty() && !is_time(time)) time = take_word(rest);
    if (rest.empty()) {
      line.fail("an event of ftrace, as 'process [cpu] flags seconds: event: ...'",
                fmt::format("'{}'", line.text()));
    }
    time.remove_suffix(1);
    std::string_view event = take_word(rest);
    if (event.starts_with("block:")) event.remove_prefix(6);
    if (!event.ends_with(':')) event = {};
    if (!event.empty()) event.remove_suffix(1);
    const auto named = std::find_if(named_events.begin(), named_events.end(),
                                    [event](const NamedEvent& e) { return e.name == event; });
    const std::string_view action = named == named_events.end() ? "" : named->action;
    const bool taken = action.size() == 1 && action[0] == letter_;
    notes().add(note_of_event(action, taken), line.number());
    if (!taken) return false;
    record.time_ns = line.fraction(time, "time", second_ns_);
    parse_request(line, rest, record);
    return true;
  }

 private:
  void parse_request(const Line& line, std::string_view rest, Record& record) {
    const std::string_view whole = rest;
    const auto require = [&](bool condition) {
      if (condition) return;
      line.fail("a request as 'major,minor RWBS bytes (command) sector + sectors [process]'",
                fmt::format("'{}'", whole));
    };
    const std::string_view device = take_word(rest);
    require(!device.empty() && is_digit(device.front()) && device.find(',') != device.npos);
    const auto kind = request_kind(take_word(rest));
    require(kind.has_value());
    std::uint64_t bytes = 0;
    if (letter_ == 'D' || letter_ == 'I') bytes = line.decimal(take_word(rest), "bytes");
    if (letter_ != 'Q') {
      const std::size_t end = rest.find(')');
      require(rest.starts_with('(') && end != rest.npos);
      rest = trimmed(rest.substr(end + 1));
    }
    const std::string_view sector = take_word(rest);
    require(take_word(rest) == "+");
    const Bytes length{line.scaled(take_word(rest), "number of sectors", sector_size.count)};
    if (!rest.starts_with('[')) take_word(rest);  // the priority
    require(rest.starts_with('[') && rest.ends_with(']'));
    if (letter_ == 'C' && rest != "[0]") notes().add("completed with an error", line.number());

    record.device = devices().index(device);
    if (length.count > 0) {
      line.set_range(record, Bytes{line.scaled(sector, "first sector", sector_size.count)}, length);
      set_request(record, *kind, record.offset, length);
    } else if (bytes > 0) {
      notes().add("passthrough commands, which have no address", line.number());
      set_request(record, {}, Bytes{0}, Bytes{bytes});
    } else {
      line.decimal(sector, "first sector");  // 2^64 - 1 of some flushes
      set_request(record, *kind, Bytes{0}, Bytes{0});
    }
  }

  std::uint64_t second_ns_;
  char letter_;
};

}  // namespace

std::unique_ptr<Reader> open_ftrace(ByteSource source, const ReaderOptions& options) {
  return open_text<FtraceFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
