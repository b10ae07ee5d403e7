#include "sim/workload/trace_lines.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <system_error>

namespace x25sim::workload {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

void add_field(TraceFields& fields, std::string_view field) {
  if (fields.count < TraceFields::capacity) fields.field[fields.count] = field;
  ++fields.count;
}

}  // namespace

TraceLines::TraceLines(const std::string& path) : where_{path, 0} {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(where_, "expected a trace, found a directory");
  }
  file_.open(path, std::ios::binary);
  if (!file_) {
    throw InputError(where_, fmt::format("can't open the trace: {}", std::strerror(errno)));
  }
}

std::optional<std::string_view> TraceLines::next() {
  for (;;) {
    // getline() sets failbit alike for "nothing left" and "longer than the buffer".
    file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    const auto size = static_cast<std::size_t>(file_.gcount());
    if (file_.bad()) throw SystemError(where_.file + ": can't read on");
    if (file_.fail() && size == 0) return std::nullopt;
    if (where_.line == std::numeric_limits<int>::max()) fail("fewer lines", "more");
    ++where_.line;
    if (file_.fail()) {
      fail(fmt::format("a line of at most {} characters", buffer_.size() - 1), "a longer one");
    }
    // gcount() includes the line's end, but for a last line without one.
    std::string_view text(buffer_.data(), file_.eof() ? size : size - 1);
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (where_.line == 1 && text.starts_with(byte_order_mark)) {
      text.remove_prefix(byte_order_mark.size());
    }
    text = trimmed(text);
    if (!text.empty() && !text.starts_with('#') && !text.starts_with("//")) return text;
  }
}

void TraceLines::fail(std::string_view expected, std::string_view found) const {
  throw InputError(where_, fmt::format("expected {}, found {}", expected, found));
}

std::uint64_t TraceLines::number(std::string_view field, std::string_view what) const {
  std::uint64_t value = 0;
  const char* const end = field.data() + field.size();
  const auto [rest, error] = std::from_chars(field.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    fail(fmt::format("{} below 2^64", what), fmt::format("'{}'", field));
  }
  if (error != std::errc{} || rest != end) {
    fail(fmt::format("{} as an unsigned integer", what), fmt::format("'{}'", field));
  }
  return value;
}

std::uint64_t TraceLines::scaled_number(std::string_view field, std::string_view what,
                                        std::uint64_t unit) const {
  std::uint64_t value = 0;
  if (__builtin_mul_overflow(number(field, what), unit, &value)) {
    fail(fmt::format("{} of which {} times is below 2^64", what, unit), fmt::format("'{}'", field));
  }
  return value;
}

Request TraceLines::request(Operation operation, Bytes offset, Bytes length) const {
  std::uint64_t end = 0;
  if (__builtin_add_overflow(offset.count, length.count, &end)) {
    fail("a request whose last byte is below 2^64",
         fmt::format("offset {} and length {} bytes", offset.count, length.count));
  }
  return {operation, offset, length};
}

TraceFields split_at_blanks(std::string_view line) {
  TraceFields fields;
  std::size_t begin = line.find_first_not_of(blanks);
  while (begin != line.npos) {
    const std::size_t end = line.find_first_of(blanks, begin);
    add_field(fields, line.substr(begin, end == line.npos ? end : end - begin));
    begin = line.find_first_not_of(blanks, end);
  }
  return fields;
}

TraceFields split_at_commas(std::string_view line) {
  TraceFields fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    add_field(fields, trimmed(line.substr(0, comma)));
    if (comma == line.npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace x25sim::workload
