// The table of disk requests that Windows Performance Analyzer exports on a machine whose language
// writes decimal commas: fields between semicolons, behind a header that names the columns, of
// which these are used:
//
//   IO Type; Init Time (s); Size (B); Min Offset; Disk, and, where it is, IO Time (µs)
//
// The type is Read, Write or Flush. Numbers have a comma before the fraction and a point between
// thousands (1.795,900), offsets are hexadecimal. A flush has the size 0 and the offset
// 0xFFFFFFFFFFFFFFFF, which is none. Exports with decimal points have commas between fields; they
// are for --format csv.
#include <algorithm>
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class WpaFormat final : public LineFormat {
 public:
  explicit WpaFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(second_ns)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at_quoted(';');
    if (columns_ == 0) {
      read_header(line, fields);
      return false;
    }
    line.expect_fields(fields, columns_, "as in the header");
    record.kind = parse_kind(line, fields[type_]);
    record.time_ns = line.fraction(plain(line, fields[time_], "Init Time"), "Init Time", unit_ns_);
    const Bytes length{line.decimal(plain(line, fields[size_], "Size"), "Size in bytes")};
    if (record.kind != Kind::flush) {
      line.set_range(record, Bytes{line.hexadecimal(fields[offset_], "Min Offset")}, length);
    }
    if (response_ < columns_) {
      record.response_ns =
          line.fraction(plain(line, fields[response_], "IO Time"), "IO Time", microsecond_ns);
    }
    line.decimal(fields[disk_], "Disk");
    record.device = devices().index(fields[disk_]);
    return true;
  }

 private:
  void read_header(const Line& line, const Fields& fields) {
    const auto column = [&](std::string_view name) {
      for (std::size_t i = 0; i < std::min(fields.count, Fields::capacity); ++i) {
        if (fields[i] == name) return i;
      }
      line.fail(fmt::format("a header with the column '{}'", name),
                fmt::format("'{}'", line.text()));
    };
    type_ = column("IO Type");
    time_ = column("Init Time (s)");
    size_ = column("Size (B)");
    offset_ = column("Min Offset");
    disk_ = column("Disk");
    if (fields.count > Fields::capacity) {
      line.fail(fmt::format("at most {} columns", Fields::capacity),
                fmt::format("{}", fields.count));
    }
    columns_ = fields.count;
    const auto* const begin = fields.field.begin();
    response_ =
        static_cast<std::size_t>(std::find(begin, begin + columns_, "IO Time (\xc2\xb5s)") - begin);
  }

  static Kind parse_kind(const Line& line, std::string_view field) {
    if (field == "Read") return Kind::read;
    if (field == "Write") return Kind::write;
    if (field == "Flush") return Kind::flush;
    line.fail("IO Type Read, Write or Flush", fmt::format("'{}'", field));
  }

  // The number without the points between thousands, and with a point before the fraction; valid
  // until the next call.
  std::string_view plain(const Line& line, std::string_view field, std::string_view what) {
    const std::string_view whole = field.substr(0, field.find(','));
    const bool grouped = whole.find('.') != whole.npos;
    plain_.clear();
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const bool point_here = grouped && (whole.size() - i) % 4 == 0;
      if (point_here != (whole[i] == '.') || (point_here && i == 0)) {
        line.fail(fmt::format("{} with a decimal comma and points between thousands", what),
                  fmt::format("'{}'", field));
      }
      if (!point_here) plain_ += whole[i];
    }
    if (whole.size() < field.size()) plain_.append(".").append(field.substr(whole.size() + 1));
    return plain_;
  }

  std::uint64_t unit_ns_;
  std::size_t columns_ = 0;  // 0 before the header
  std::size_t type_ = 0, time_ = 0, size_ = 0, offset_ = 0, disk_ = 0;
  std::size_t response_ = 0;  // columns_ without such a column
  std::string plain_;
};

}  // namespace

std::unique_ptr<Reader> open_wpa(ByteSource source, const ReaderOptions& options) {
  return open_text<WpaFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
