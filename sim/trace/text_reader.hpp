// Reads the text formats: lines one after another, each understood by the format's own small part.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "nand/errors.hpp"
#include "sim/trace/byte_source.hpp"
#include "sim/trace/line.hpp"
#include "sim/trace/reader.hpp"

namespace x25sim::trace {

// What a format makes of a line.
class LineFormat {
 public:
  virtual ~LineFormat() = default;
  LineFormat() = default;
  LineFormat(const LineFormat&) = delete;
  LineFormat& operator=(const LineFormat&) = delete;

  // Fills in `record` (but for its line) from `line` and returns true; returns false for a line
  // that holds no record, such as a header or an event that is not asked for. Throws InputError, by
  // Line::fail() and its like, for a damaged line.
  virtual bool parse(const Line& line, Record& record) = 0;

  // Is called when the last line has been read. Throws InputError if more was to come.
  virtual void end(const Line& /*last*/) {}

  DeviceNames& devices() { return devices_; }
  Notes& notes() { return notes_; }

 private:
  DeviceNames devices_;
  Notes notes_;
};

// Lines end with LF or CRLF, the last one with the file. A byte-order mark, blank lines and
// comments, whose first characters are '#' or "//", are passed over.
class TextReader final : public Reader {
 public:
  TextReader(ByteSource source, std::unique_ptr<LineFormat> format, const ReaderOptions& options);

  std::optional<Record> next() override;

  const DeviceNames& devices() const override { return format_->devices(); }
  Notes notes() const override { return format_->notes(); }
  std::uint64_t malformed() const override { return malformed_; }

 private:
  std::optional<std::string_view> next_line();
  bool refill();
  [[noreturn]] void fail_long_line() const;

  // Lines of real traces are far shorter; a file without line ends is no text.
  static constexpr std::size_t buffer_size = 1u << 18;
  static constexpr std::size_t line_size_max = 1u << 16;

  ByteSource source_;
  std::unique_ptr<LineFormat> format_;
  SourceLocation where_;
  bool skip_malformed_;
  std::uint64_t malformed_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;  // of what has not been handed out
  std::size_t end_ = 0;    // of what has been read
  bool at_end_ = false;
};

// Reads `source` in the format of the class FormatOfLines, which is made from the options.
template <typename FormatOfLines>
std::unique_ptr<Reader> open_text(ByteSource source, const ReaderOptions& options) {
  return std::make_unique<TextReader>(std::move(source), std::make_unique<FormatOfLines>(options),
                                      options);
}

}  // namespace x25sim::trace
