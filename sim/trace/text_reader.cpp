#include "sim/trace/text_reader.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace x25sim::trace {

TextReader::TextReader(ByteSource source, std::unique_ptr<LineFormat> format,
                       const ReaderOptions& options)
    : source_(std::move(source)),
      format_(std::move(format)),
      where_{source_.name(), 0},
      skip_malformed_(options.skip_malformed),
      buffer_(std::make_unique_for_overwrite<char[]>(buffer_size)) {}

std::optional<Record> TextReader::next() {
  while (const auto text = next_line()) {
    const Line line(*text, where_);
    Record record;
    record.line = where_.line;
    try {
      if (!format_->parse(line, record)) continue;
      // The only device of a format without devices has no name.
      if (record.device >= devices().size()) format_->devices().index("");
      format_->notes().add_odd_sizes(record);
      return record;
    } catch (const InputError& error) {
      if (!skip_malformed_) throw;
      ++malformed_;
      format_->notes().add(damaged_note, where_.line);
    }
  }
  format_->end(Line({}, where_));
  return std::nullopt;
}

// The next line that holds something, without blanks around it; valid until the next call.
std::optional<std::string_view> TextReader::next_line() {
  for (;;) {
    const char* const begin = buffer_.get() + begin_;
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', end_ - begin_));
    if (end == nullptr && end_ - begin_ > line_size_max) {
      ++where_.line;
      fail_long_line();
    }
    if (end == nullptr && !at_end_) {
      at_end_ = !refill();
      continue;
    }
    if (end == nullptr && begin_ == end_) return std::nullopt;
    const std::size_t size = end == nullptr ? end_ - begin_ : static_cast<std::size_t>(end - begin);
    ++where_.line;
    if (size > line_size_max) fail_long_line();
    begin_ += std::min(size + 1, end_ - begin_);
    std::string_view text(begin, size);
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (where_.line == 1 && text.starts_with(byte_order_mark)) {
      text.remove_prefix(byte_order_mark.size());
    }
    text = trimmed(text);
    if (!text.empty() && !text.starts_with('#') && !text.starts_with("//")) return text;
  }
}

// Reads more behind what has not been handed out; false at the end of the file.
bool TextReader::refill() {
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t size = source_.read({buffer_.get() + end_, buffer_size - end_});
  end_ += size;
  return size > 0;
}

void TextReader::fail_long_line() const {
  throw InputError(
      {where_.file, where_.line},
      fmt::format("expected a line of at most {} characters, found a longer one", line_size_max));
}

}  // namespace x25sim::trace
