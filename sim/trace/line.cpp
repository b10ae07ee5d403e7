#include "sim/trace/line.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <system_error>

#include "nand/check.hpp"

namespace x25sim::trace {

namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }

void add_field(Fields& fields, std::string_view field) {
  if (fields.count < Fields::capacity) fields.field[fields.count] = field;
  ++fields.count;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest = trimmed(rest.substr(end));
  return word;
}

void Line::fail(std::string_view expected, std::string_view found) const {
  throw InputError(where_, fmt::format("expected {}, found {}", expected, found));
}

Fields Line::at_blanks() const {
  Fields fields;
  const char* at = text_.data();
  const char* const end = at + text_.size();
  while (at != end) {
    const char* const begin = at;
    while (at != end && !is_blank(*at)) ++at;
    add_field(fields, {begin, static_cast<std::size_t>(at - begin)});
    while (at != end && is_blank(*at)) ++at;
  }
  return fields;
}

Fields Line::at(char separator) const {
  Fields fields;
  std::string_view rest = text_;
  for (;;) {
    const std::size_t end = rest.find(separator);
    add_field(fields, trimmed(rest.substr(0, end)));
    if (end == rest.npos) return fields;
    rest.remove_prefix(end + 1);
  }
}

Fields Line::at_quoted(char separator) const {
  Fields fields;
  std::size_t begin = 0;
  std::size_t at = 0;
  for (;;) {
    if (at < text_.size() && text_[at] == '"') {
      const std::size_t closing = text_.find('"', at + 1);
      if (closing != text_.npos) at = closing;
    } else if (at == text_.size() || text_[at] == separator) {
      add_field(fields, trimmed(text_.substr(begin, at - begin)));
      if (at == text_.size()) return fields;
      begin = at + 1;
    }
    ++at;
  }
}

void Line::expect_fields(const Fields& fields, std::size_t count, std::string_view expected) const {
  if (fields.count == count) return;
  fail(fmt::format("{} fields ({})", count, expected),
       fmt::format("{} in '{}'", fields.count, text_));
}

std::uint64_t Line::decimal(std::string_view field, std::string_view what) const {
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

std::uint64_t Line::hexadecimal(std::string_view field, std::string_view what) const {
  std::string_view digits = field;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc{} || rest != end) {
    fail(fmt::format("{} as a hexadecimal number below 2^64", what), fmt::format("'{}'", field));
  }
  return value;
}

std::uint64_t Line::product(std::uint64_t value, std::uint64_t unit, std::string_view field,
                            std::string_view what) const {
  if (__builtin_mul_overflow(value, unit, &value)) {
    fail(fmt::format("{} of which {} times is below 2^64", what, unit), fmt::format("'{}'", field));
  }
  return value;
}

std::uint64_t Line::scaled(std::string_view field, std::string_view what,
                           std::uint64_t unit) const {
  return product(decimal(field, what), unit, field, what);
}

std::uint64_t Line::scaled_hexadecimal(std::string_view field, std::string_view what,
                                       std::uint64_t unit) const {
  return product(hexadecimal(field, what), unit, field, what);
}

std::uint64_t Line::scaled_number(std::string_view field, std::string_view what,
                                  std::uint64_t unit) const {
  const bool hex = field.starts_with("0x") || field.starts_with("0X");
  return hex ? scaled_hexadecimal(field, what, unit) : scaled(field, what, unit);
}

std::uint64_t Line::fraction(std::string_view field, std::string_view what,
                             std::uint64_t unit) const {
  const std::size_t point = field.find('.');
  if (point == field.npos) return scaled(field, what, unit);
  const std::string_view digits = field.substr(point + 1);
  const bool sound =
      !digits.empty() && point > 0 && std::all_of(digits.begin(), digits.end(), is_digit);
  if (!sound) fail(fmt::format("{} as a decimal number", what), fmt::format("'{}'", field));
  const std::uint64_t whole = scaled(field.substr(0, point), what, unit);
  std::uint64_t numerator = 0;
  std::uint64_t scale = 1;
  constexpr std::size_t digits_max = 10;  // what follows is less than a tenth of the result's unit
  for (std::size_t i = 0; i < digits.size() && i < digits_max; ++i) {
    numerator = numerator * 10 + static_cast<std::uint64_t>(digits[i] - '0');
    scale *= 10;
  }
  // Below 10^10 times 10^9, and so within 64 bits.
  X25_CHECK(unit <= time_unit_max_ns);
  const std::uint64_t part = (numerator * unit + scale / 2) / scale;
  std::uint64_t value = 0;
  if (__builtin_add_overflow(whole, part, &value)) {
    fail(fmt::format("{} of which {} times is below 2^64", what, unit), fmt::format("'{}'", field));
  }
  return value;
}

Kind Line::read_or_write(std::string_view field) const {
  if (field == "R" || field == "r") return Kind::read;
  if (field == "W" || field == "w") return Kind::write;
  fail("operation R or W", fmt::format("'{}'", field));
}

void Line::set_range(Record& record, Bytes offset, Bytes length) const {
  std::uint64_t end = 0;
  if (__builtin_add_overflow(offset.count, length.count, &end)) {
    fail("a request whose last byte is below 2^64",
         fmt::format("offset {} and length {} bytes", offset.count, length.count));
  }
  record.offset = offset;
  record.length = length;
}

void Line::set_sectors(Record& record, std::string_view first, std::string_view count) const {
  const Bytes offset{scaled(first, "first sector", sector_size.count)};
  const Bytes length{scaled(count, "number of sectors", sector_size.count)};
  set_range(record, offset, length);
}

void Line::set_bytes(Record& record, std::string_view offset, std::string_view length) const {
  const Bytes begin{decimal(offset, "offset in bytes")};
  set_range(record, begin, Bytes{decimal(length, "size in bytes")});
}

}  // namespace x25sim::trace
