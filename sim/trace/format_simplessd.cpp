// Any text of which a regular expression picks the lines that are requests and their parts, as
// SimpleSSD's trace replayer has it:
//
//   --format simplessd:"time=1,s op=2 offset=3,sectors length=4,sectors regex=..."
//
// The settings are those of record_columns.hpp, where the columns are the expression's groups, from
// 1, and `regex`, which is the last one and takes the rest of the text. It is an ECMAScript
// expression of at most 1024 characters that must match the whole line. Lines that do not match are
// passed over and counted; it is an error if none does. Without arguments the lines are those of
// SimpleSSD-SA:
//
//   time in s, operation, first sector, +, sectors [, data], such as 0.000000000 W 0x10 + 0x8
//
// The operation's letters are blktrace's: R read, W write, D or T trim, F flush, in any case. An F
// before another letter flushes first, an F behind W is forced unit access (SimpleSSD looks at the
// first letter only, and so loses the data of FWFS). Others, such as commands of a vendor, are of
// unknown kind.
#include <cctype>
#include <fmt/format.h>
#include <regex>

#include "sim/trace/formats.hpp"
#include "sim/trace/record_columns.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

constexpr std::string_view format_name = "simplessd";
constexpr std::string_view simplessd_sa =
    R"(time=1,s op=2 offset=3,sectors length=4,sectors )"
    R"(regex=(\d+\.\d+)\s+([A-Za-z]+)\s+(0x[0-9a-fA-F]+)\s*\+\s*(0x[0-9a-fA-F]+)(?:\s.*)?)";

void set_operation(Record& record, std::string_view letters) {
  const auto letter = [&letters](std::size_t i) {
    return i < letters.size() ? std::toupper(static_cast<unsigned char>(letters[i])) : 0;
  };
  const bool flush = letter(0) == 'F';
  const std::size_t at = flush ? 1 : 0;
  switch (letter(at)) {
    case 'R': record.kind = Kind::read; return;
    case 'T':
    case 'D': record.kind = Kind::trim; return;
    case 'W':
      record.kind = Kind::write;
      record.flush_first = flush;
      record.durable = letter(at + 1) == 'F';
      return;
    default: record.kind = flush ? Kind::flush : Kind::other;
  }
}

class SimplessdFormat final : public LineFormat {
 public:
  explicit SimplessdFormat(const ReaderOptions& options) : time_unit_ns_(options.time_unit_ns) {
    const std::string_view arguments =
        options.arguments.empty() ? simplessd_sa : std::string_view(options.arguments);
    bool has_expression = false;
    for (const Setting& setting : parse_settings(format_name, arguments, "regex")) {
      if (columns_.take(setting)) continue;
      if (setting.key != "regex") {
        setting.fail("time, op, offset, length, device, hex or regex");
      }
      has_expression = true;
      // The library compiles recursively, too, so that nested groups could exhaust the stack.
      if (setting.value.size() > expression_size_max) {
        throw InputError(
            fmt::format("--format {}: expected a regular expression of at most {} characters, "
                        "found {}",
                        format_name, expression_size_max, setting.value.size()));
      }
      try {
        expression_.assign(std::string(setting.value),
                           std::regex::ECMAScript | std::regex::optimize);
      } catch (const std::regex_error& error) {
        setting.fail(fmt::format("an ECMAScript regular expression ({})", error.what()));
      }
    }
    columns_.finish(format_name, false);
    if (!has_expression) {
      throw InputError(fmt::format("--format {}: expected regex=EXPRESSION, found no such setting",
                                   format_name));
    }
    if (columns_.last_column() > expression_.mark_count()) {
      throw InputError(fmt::format("--format {}: expected an expression with {} groups, found {}",
                                   format_name, columns_.last_column(), expression_.mark_count()));
    }
  }

  bool parse(const Line& line, Record& record) override {
    if (lines_++ == 0) {
      first_number_ = line.number();
      first_ = line.text().substr(0, shown_size);
    }
    // The library matches recursively, so that a long line could exhaust the stack.
    if (line.text().size() > matched_size_max) {
      line.fail(
          fmt::format("a line of at most {} characters for a regular expression", matched_size_max),
          "a longer one");
    }
    std::cmatch match;
    const char* const begin = line.text().data();
    if (!std::regex_match(begin, begin + line.text().size(), match, expression_)) {
      notes().add("line that the regular expression does not match, passed over", line.number());
      return false;
    }
    ++matched_;
    Fields groups;
    for (groups.count = 0; groups.count < columns_.last_column(); ++groups.count) {
      const auto& group = match[groups.count + 1];
      groups.field[groups.count] = {group.first, static_cast<std::size_t>(group.length())};
    }
    columns_.read(line, groups, time_unit_ns_, record);
    set_operation(record, groups[columns_.operation()]);
    if (record.kind == Kind::other) {
      notes().add("operation that is neither R, W, T, D nor F", line.number());
    }
    if (record.kind == Kind::flush) record.offset = record.length = Bytes{};
    if (const auto device = columns_.device()) record.device = devices().index(groups[*device]);
    return true;
  }

  void end(const Line& last) override {
    if (lines_ == 0 || matched_ > 0) return;
    last.fail("lines that match the regular expression",
              fmt::format("0 of {} lines matched; line {} is '{}'", lines_, first_number_, first_));
  }

 private:
  static constexpr std::size_t expression_size_max = 1024;
  static constexpr std::size_t matched_size_max = 4096;
  static constexpr std::size_t shown_size = 200;

  RecordColumns columns_;
  std::regex expression_;
  std::optional<std::uint64_t> time_unit_ns_;
  std::uint64_t lines_ = 0, matched_ = 0;
  std::int64_t first_number_ = 0;
  std::string first_;
};

}  // namespace

std::unique_ptr<Reader> open_simplessd(ByteSource source, const ReaderOptions& options) {
  return open_text<SimplessdFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
