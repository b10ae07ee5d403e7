#include "sim/workload/fio_rules.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace x25sim::workload {
namespace {

void remember(std::vector<std::string>& texts, const std::string& text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void OptionReader::fail(const std::string& message) const {
  throw InputError(where(), fmt::format("{}: {}", option_.name, message));
}

void OptionReader::ignore() const { remember(notes_.ignored, option_.name); }

void OptionReader::note(const std::string& message) const {
  remember(notes_.texts, fmt::format("{}: {}", where().text(), message));
}

std::optional<std::uint64_t> OptionReader::number(std::string_view item, std::uint64_t low,
                                                  std::uint64_t high) const {
  const auto number = parse_fio_number(item, draft.kb_base);
  if (!number || number->value < low || number->value > high) return std::nullopt;
  if (number->surprising) {
    note(fmt::format("{}={} is {}: with kb_base={} fio reads it so", option_.name, item,
                     number->value, draft.kb_base));
  }
  return number->value;
}

std::optional<Bytes> OptionReader::sectors(std::string_view item) const {
  const auto size = number(item, 1);
  if (!size) return std::nullopt;
  if (*size % sector_size.count != 0) {
    fail(
        fmt::format("expected a multiple of {} bytes, a sector, found '{}', which fio reads as {} "
                    "bytes with kb_base={}",
                    sector_size.count, item, *size, draft.kb_base));
  }
  return Bytes{*size};
}

std::optional<std::pair<Bytes, Bytes>> OptionReader::range(std::string_view item) const {
  // A minus in parentheses belongs to an expression.
  int depth = 0;
  for (std::size_t i = 0; i < item.size(); ++i) {
    if (item[i] == '(') ++depth;
    if (item[i] == ')') --depth;
    if (depth != 0 || (item[i] != '-' && item[i] != ':')) continue;
    const auto low = sectors(item.substr(0, i));
    const auto high = sectors(item.substr(i + 1));
    if (!low || !high) return std::nullopt;
    return std::minmax(*low, *high);
  }
  return std::nullopt;
}

bool OptionReader::flag(bool& field) const {
  if (option_.value && *option_.value != "0" && *option_.value != "1") return false;
  field = option_.value != "0";
  return true;
}

bool OptionReader::time(Duration& field, Duration unit) const {
  const auto time = parse_fio_time(text(), unit);
  if (time) field = *time;
  return time.has_value();
}

bool OptionReader::amount(Amount& field) const {
  if (const auto percent = parse_fio_percent(text())) {
    field = {.value = *percent, .percent = true, .where = where(), .order = draft.options_read};
    return true;
  }
  const auto bytes = number(text(), 0);
  if (bytes) {
    field = {.value = *bytes, .percent = false, .where = where(), .order = draft.options_read};
  }
  return bytes.has_value();
}

bool OptionReader::each_direction(
    const std::function<bool(std::size_t, std::string_view)>& read) const {
  constexpr std::size_t directions = 3;
  std::string_view rest = text();
  for (std::size_t direction = 0; direction < directions; ++direction) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const bool last = comma == rest.npos;
    if (item.empty() && last && direction == 0) return false;
    const std::size_t end = last ? directions : direction + 1;
    for (std::size_t i = direction; !item.empty() && i < end; ++i) {
      if (!read(i, item)) return false;
    }
    if (last) return true;
    rest.remove_prefix(comma + 1);
    if (rest.empty()) return true;
  }
  return false;
}

}  // namespace x25sim::workload
