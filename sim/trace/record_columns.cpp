#include "sim/trace/record_columns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "nand/errors.hpp"
#include "sim/workload/fio_suffix.hpp"

namespace x25sim::trace {

namespace {

// The parts before and behind the last comma; the second is empty without one.
std::pair<std::string_view, std::string_view> at_last_comma(std::string_view text) {
  const std::size_t comma = text.rfind(',');
  if (comma == text.npos) return {text, {}};
  return {text.substr(0, comma), text.substr(comma + 1)};
}

std::optional<std::uint64_t> size_of(std::string_view text) {
  const auto number = workload::parse_fio_number(text, workload::kb_base_binary);
  if (!number || number->value == 0) return std::nullopt;
  return number->value;
}

}  // namespace

void Setting::fail(std::string_view expected) const {
  throw InputError(
      fmt::format("--format {}: expected {}, found {}={}", format, expected, key, value));
}

std::vector<Setting> parse_settings(std::string_view format, std::string_view arguments,
                                    std::string_view last) {
  std::vector<Setting> settings;
  std::string_view rest = trimmed(arguments);
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find(' '), rest.size());
    const std::size_t equals = rest.find('=');
    if (equals == 0 || equals >= end) {
      throw InputError(
          fmt::format("--format {}: expected settings KEY=VALUE between blanks, found "
                      "'{}'",
                      format, rest.substr(0, end)));
    }
    const std::string_view key = rest.substr(0, equals);
    if (!last.empty() && key == last) end = rest.size();
    const Setting setting{format, key, rest.substr(equals + 1, end - equals - 1)};
    const bool twice = std::any_of(settings.begin(), settings.end(),
                                   [&](const Setting& other) { return other.key == key; });
    if (twice && key != "time") setting.fail(fmt::format("{} once", key));
    settings.push_back(setting);
    rest = trimmed(rest.substr(end));
  }
  return settings;
}

bool RecordColumns::take(const Setting& setting) {
  if (setting.key == "time") {
    times_.push_back(time_column(setting));
  } else if (setting.key == "op") {
    operation_ = column_of(setting, setting.value);
  } else if (setting.key == "offset") {
    offset_ = range_column(setting);
  } else if (setting.key == "length") {
    take_length(setting);
  } else if (setting.key == "device") {
    device_ = column_of(setting, setting.value);
  } else if (setting.key == "hex") {
    if (setting.value != "0" && setting.value != "1") setting.fail("hex=0 or hex=1");
    hex_ = setting.value == "1";
  } else {
    return false;
  }
  return true;
}

RecordColumns::Column RecordColumns::column_of(const Setting& setting, std::string_view text) {
  if (text.empty()) setting.fail("a column");
  if (!is_number(text)) return {0, std::string(text), 1};
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 1 || number > Fields::capacity) {
    setting.fail(fmt::format("a column from 1 to {}", Fields::capacity));
  }
  return {number - 1, {}, 1};
}

RecordColumns::Column RecordColumns::time_column(const Setting& setting) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> units{{{"s", second_ns},
                                                                             {"ms", millisecond_ns},
                                                                             {"us", microsecond_ns},
                                                                             {"100ns", 100},
                                                                             {"ns", 1}}};
  const auto [text, name] = at_last_comma(setting.value);
  Column column = column_of(setting, text);
  for (const auto& [known, unit] : units) {
    if (name == known) {
      column.unit = unit;
      return column;
    }
  }
  setting.fail("COLUMN,UNIT with the unit s, ms, us, 100ns or ns");
}

RecordColumns::Column RecordColumns::range_column(const Setting& setting) {
  const auto [text, unit] = at_last_comma(setting.value);
  Column column = column_of(setting, text);
  if (unit == "bytes") {
    column.unit = 1;
  } else if (unit == "sectors") {
    column.unit = sector_size.count;
  } else if (const auto size = size_of(unit)) {
    column.unit = *size;
  } else {
    setting.fail("COLUMN,UNIT with the unit bytes, sectors or a size such as 4096 or 4k");
  }
  return column;
}

void RecordColumns::take_length(const Setting& setting) {
  const auto [text, unit] = at_last_comma(setting.value);
  if (unit != "fixed") {
    length_ = range_column(setting);
    return;
  }
  const auto size = size_of(text);
  if (!size) setting.fail("SIZE,fixed with a size such as 4096 or 4k");
  fixed_length_ = Bytes{*size};
}

template <typename Columns, typename Function>
void RecordColumns::for_each(Columns& columns, Function function) {
  for (auto& column : columns.times_) function(column);
  for (auto* column : {&columns.operation_, &columns.offset_, &columns.length_, &columns.device_}) {
    if (*column) function(**column);
  }
}

void RecordColumns::finish(std::string_view format, bool may_have_names) const {
  const auto require = [format](bool there, std::string_view what) {
    if (there) return;
    throw InputError(fmt::format("--format {}: expected {}, found no such setting", format, what));
  };
  require(operation_.has_value(), "op=COLUMN");
  require(offset_.has_value(), "offset=COLUMN,UNIT");
  require(length_ || fixed_length_, "length=COLUMN,UNIT or length=SIZE,fixed");
  for_each(*this, [&](const Column& column) {
    if (column.name.empty() || may_have_names) return;
    throw InputError(fmt::format(
        "--format {}: expected the number of a column, found the name '{}'", format, column.name));
  });
}

bool RecordColumns::has_names() const {
  bool names = false;
  for_each(*this, [&names](const Column& column) { names = names || !column.name.empty(); });
  return names;
}

void RecordColumns::resolve(const Line& header, const Fields& names) {
  const auto* const begin = names.field.begin();
  const auto* const end = begin + std::min(names.count, Fields::capacity);
  for_each(*this, [&](Column& column) {
    if (column.name.empty()) return;
    const auto* const place = std::find(begin, end, column.name);
    if (std::count(begin, end, column.name) != 1) {
      header.fail(fmt::format("a header with one column '{}'", column.name),
                  fmt::format("'{}'", header.text()));
    }
    column.index = static_cast<std::size_t>(place - begin);
  });
}

std::size_t RecordColumns::last_column() const {
  std::size_t last = 0;
  for_each(*this, [&last](const Column& column) { last = std::max(last, column.index + 1); });
  return last;
}

std::optional<std::size_t> RecordColumns::device() const {
  if (!device_) return std::nullopt;
  return device_->index;
}

std::uint64_t RecordColumns::bytes(const Line& line, const Fields& fields, const Column& column,
                                   std::string_view what) const {
  const std::string_view field = fields[column.index];
  if (!hex_) return line.scaled_number(field, what, column.unit);
  return line.scaled_hexadecimal(field, what, column.unit);
}

void RecordColumns::read(const Line& line, const Fields& fields,
                         std::optional<std::uint64_t> time_unit_ns, Record& record) const {
  record.time_ns = 0;
  for (const Column& column : times_) {
    const std::uint64_t part =
        line.fraction(fields[column.index], "time", time_unit_ns.value_or(column.unit));
    if (__builtin_add_overflow(record.time_ns, part, &record.time_ns)) {
      line.fail("times whose sum is below 2^64 ns", fmt::format("'{}'", line.text()));
    }
  }
  const Bytes offset{bytes(line, fields, *offset_, "offset")};
  const Bytes length =
      fixed_length_ ? *fixed_length_ : Bytes{bytes(line, fields, *length_, "length")};
  line.set_range(record, offset, length);
}

}  // namespace x25sim::trace
