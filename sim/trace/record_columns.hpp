// Where the parts of a record are in a line, as the user tells with --format csv:... and
// --format simplessd:...
//
// The text is a list of settings KEY=VALUE between blanks. These say where a record's parts are:
//
//   time=COLUMN,UNIT     UNIT is s, ms, us, 100ns or ns; decimal, with or without a fraction. Given
//                        several times, the times are added. Without it all records are at time 0.
//   op=COLUMN            the operation
//   offset=COLUMN,UNIT   UNIT is bytes, sectors (of 512 bytes), or a size such as 4096 or 4k;
//                        decimal, or hexadecimal after 0x
//   length=COLUMN,UNIT   likewise
//   length=SIZE,fixed    of every record
//   device=COLUMN        any text; without it there is one device
//   hex=1                offset and length are hexadecimal with or without 0x
//
// op, offset and length are necessary. COLUMN is a number, from 1 to 32. SIZE has fio's suffixes (k
// is 1024). Every setting but time is given once. The formats add settings of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/line.hpp"

namespace x25sim::trace {

// The format's name, for errors, and a setting in its arguments.
struct Setting {
  std::string_view format;
  std::string_view key;
  std::string_view value;

  // Throws InputError for this setting.
  [[noreturn]] void fail(std::string_view expected) const;
};

// The settings of `arguments`. A setting whose key is `last` takes all of the text behind it.
// Throws InputError for a word without "=" and for a key other than time that is there twice.
std::vector<Setting> parse_settings(std::string_view format, std::string_view arguments,
                                    std::string_view last);

class RecordColumns {
 public:
  // Takes one of the settings above; false for another key. Throws InputError for a bad value.
  bool take(const Setting& setting);
  // Is called when all settings have been taken. Throws InputError if a necessary one is missing,
  // or if one has a name for a column although the format has none.
  void finish(std::string_view format, bool may_have_names) const;

  // Whether columns are known by names, which are to be resolved before read() is called.
  bool has_names() const;
  // Finds the columns that have names. Throws InputError for the header's line if one is missing or
  // there twice.
  void resolve(const Line& header, const Fields& names);
  // The largest column that is used, from 1.
  std::size_t last_column() const;

  // The operation's column, from 0.
  std::size_t operation() const { return operation_->index; }
  // The device's column, from 0; none: there is one device.
  std::optional<std::size_t> device() const;
  // Fills in the record's time and range. `time_unit_ns` is in place of the units of all times.
  // Requires: there are last_column() fields.
  void read(const Line& line, const Fields& fields, std::optional<std::uint64_t> time_unit_ns,
            Record& record) const;

 private:
  struct Column {
    std::size_t index = 0;   // from 0
    std::string name;        // empty: known by number
    std::uint64_t unit = 1;  // in ns or bytes
  };

  static Column column_of(const Setting& setting, std::string_view text);
  static Column time_column(const Setting& setting);
  static Column range_column(const Setting& setting);
  void take_length(const Setting& setting);
  std::uint64_t bytes(const Line& line, const Fields& fields, const Column& column,
                      std::string_view what) const;
  template <typename Columns, typename Function>
  static void for_each(Columns& columns, Function function);

  std::vector<Column> times_;
  std::optional<Column> operation_, offset_, length_, device_;
  std::optional<Bytes> fixed_length_;
  bool hex_ = false;
};

}  // namespace x25sim::trace
