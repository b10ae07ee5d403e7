// Any text with one request a line in columns, which the user names:
//
//   --format csv:"time=1,s op=2 offset=3,sectors length=4,bytes device=5"
//
// The settings are those of record_columns.hpp, and these:
//
//   separator=CHARACTER  between columns: a comma without it; or the word tab, or blanks for any
//                        run of blanks and tabs
//   header=N             the first N lines hold no records (0 without it), and the last of them may
//                        name the columns: then COLUMN may be a name without blanks or commas.
//                        Comments and blank lines, which are never records, do not count. A name
//                        makes N 1 where it is not given.
//   read=WORD,WORD,...   the words for an operation, in any case of letters, and likewise write=,
//                        trim= and flush=. They replace that operation's own: R, read; W, write; D,
//                        T, discard, trim, unmap; F, flush, sync.
//
// A separator within "double quotes" is none, unless columns are between blanks; quotes around an
// operation or a device are not part of it. Except between blanks every line has as many columns as
// the first.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/record_columns.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

constexpr std::string_view format_name = "csv";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string_view without_quotes(std::string_view field) {
  if (field.size() < 2 || !field.starts_with('"') || !field.ends_with('"')) return field;
  return field.substr(1, field.size() - 2);
}

struct Words {
  Kind kind;
  std::string_view key;
  std::vector<std::string> words;  // in lower case
};

class CsvFormat final : public LineFormat {
 public:
  explicit CsvFormat(const ReaderOptions& options) : time_unit_ns_(options.time_unit_ns) {
    std::optional<std::uint64_t> header;
    for (const Setting& setting : parse_settings(format_name, options.arguments, {})) {
      if (columns_.take(setting) || take_words(setting)) continue;
      if (setting.key == "separator") {
        take_separator(setting);
      } else if (setting.key == "header") {
        header = header_of(setting);
      } else {
        setting.fail(
            "time, op, offset, length, device, hex, separator, header, read, write, trim "
            "or flush");
      }
    }
    columns_.finish(format_name, header.value_or(1) > 0);
    header_lines_ = header.value_or(columns_.has_names() ? 1 : 0);
    check_words();
  }

  bool parse(const Line& line, Record& record) override {
    const Fields fields = separator_ == blanks ? line.at_blanks() : line.at_quoted(separator_);
    if (header_lines_ > 0) {
      if (header_lines_ == 1) columns_.resolve(line, fields);
      --header_lines_;  // behind what may fail: without its header nothing can be read
      return false;
    }
    check_count(line, fields);
    columns_.read(line, fields, time_unit_ns_, record);
    record.kind = kind_of(line, without_quotes(fields[columns_.operation()]));
    if (const auto device = columns_.device()) {
      record.device = devices().index(without_quotes(fields[*device]));
    }
    count_ = fields.count;
    return true;
  }

 private:
  static constexpr char blanks = '\0';

  void take_separator(const Setting& setting) {
    if (setting.value == "tab") {
      separator_ = '\t';
    } else if (setting.value == "blanks") {
      separator_ = blanks;
    } else if (setting.value.size() == 1 && setting.value != "\"") {
      separator_ = setting.value.front();
    } else {
      setting.fail("one character, tab or blanks");
    }
  }

  static std::uint64_t header_of(const Setting& setting) {
    std::uint64_t lines = 0;
    const char* const end = setting.value.data() + setting.value.size();
    const auto [rest, error] = std::from_chars(setting.value.data(), end, lines);
    if (error != std::errc{} || rest != end) setting.fail("a number of lines");
    return lines;
  }

  bool take_words(const Setting& setting) {
    for (Words& words : words_) {
      if (setting.key != words.key) continue;
      words.words.clear();
      std::string_view rest = setting.value;
      for (;;) {
        const std::size_t comma = rest.find(',');
        if (rest.substr(0, comma).empty()) setting.fail("words between commas");
        words.words.push_back(lower_case(rest.substr(0, comma)));
        if (comma == rest.npos) return true;
        rest.remove_prefix(comma + 1);
      }
    }
    return false;
  }

  void check_words() const {
    for (const Words& words : words_) {
      for (const std::string& word : words.words) {
        if (count_of(word) == 1) continue;
        throw InputError(fmt::format(
            "--format {}: expected a word for one kind of operation, found '{}' for several",
            format_name, word));
      }
    }
  }

  std::ptrdiff_t count_of(const std::string& word) const {
    std::ptrdiff_t count = 0;
    for (const Words& words : words_) {
      count += std::count(words.words.begin(), words.words.end(), word);
    }
    return count;
  }

  void check_count(const Line& line, const Fields& fields) const {
    if (fields.count < columns_.last_column()) {
      line.fail(fmt::format("at least {} columns", columns_.last_column()),
                fmt::format("{} in '{}'", fields.count, line.text()));
    }
    if (separator_ == blanks) return;
    if (count_ > 0) line.expect_fields(fields, count_, "as in the first record");
  }

  Kind kind_of(const Line& line, std::string_view field) const {
    const std::string word = lower_case(field);
    for (const Words& words : words_) {
      if (std::find(words.words.begin(), words.words.end(), word) != words.words.end()) {
        return words.kind;
      }
    }
    std::vector<std::string> known;
    for (const Words& words : words_) {
      known.push_back(fmt::format("{}={}", words.key, fmt::join(words.words, ",")));
    }
    line.fail(fmt::format("an operation ({})", fmt::join(known, " ")), fmt::format("'{}'", field));
  }

  RecordColumns columns_;
  std::array<Words, 4> words_{{{Kind::read, "read", {"r", "read"}},
                               {Kind::write, "write", {"w", "write"}},
                               {Kind::trim, "trim", {"d", "t", "discard", "trim", "unmap"}},
                               {Kind::flush, "flush", {"f", "flush", "sync"}}}};
  char separator_ = ',';
  std::uint64_t header_lines_ = 0;  // that are still to come
  std::size_t count_ = 0;           // of the columns of the first record; 0 before it
  std::optional<std::uint64_t> time_unit_ns_;
};

}  // namespace

std::unique_ptr<Reader> open_csv(ByteSource source, const ReaderOptions& options) {
  return open_text<CsvFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
