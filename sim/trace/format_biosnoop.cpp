// Tables of requests that biosnoop (bcc) and iosnoop (perf-tools) print, whose headings tell the
// columns:
//
//   biosnoop  TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)
//   iosnoop   [STARTs] [ENDs] COMM PID TYPE DEV BLOCK BYTES LATms
//
// Sectors and blocks are of 512 bytes, T and TYPE are RWBS strings or their first letter. TIME and
// ENDs are when a request was complete, LAT how long that took since it was issued: a request comes
// at STARTs, else at TIME or ENDs less LAT, and where no time is printed at 0. The tools count
// their time from the first completion: a request that was issued before comes at 0, and is
// counted. Rows are in the order of completion. A name (COMM) may hold blanks. Files hold several
// tables, and prose around them, which is passed over and counted; but a line that follows a
// heading or a row without an empty line between them has to be a row.
//
// bpftrace's biosnoop.bt prints no addresses, and can't be replayed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

#include "sim/trace/block_event.hpp"
#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

enum class Column : std::uint8_t {
  start,
  end,
  name,
  process,
  device,
  kind,
  sector,
  bytes,
  latency,
  other
};

struct NamedColumn {
  std::string_view heading;
  Column column;
};

constexpr std::array named_columns{
    NamedColumn{"TIME(s)", Column::end},     NamedColumn{"STARTs", Column::start},
    NamedColumn{"ENDs", Column::end},        NamedColumn{"COMM", Column::name},
    NamedColumn{"PID", Column::process},     NamedColumn{"DISK", Column::device},
    NamedColumn{"DEV", Column::device},      NamedColumn{"T", Column::kind},
    NamedColumn{"TYPE", Column::kind},       NamedColumn{"SECTOR", Column::sector},
    NamedColumn{"BLOCK", Column::sector},    NamedColumn{"BYTES", Column::bytes},
    NamedColumn{"QUE(ms)", Column::other},   NamedColumn{"PATTERN", Column::other},
    NamedColumn{"LAT(ms)", Column::latency}, NamedColumn{"LATms", Column::latency},
};

// What people and tools put between rows.
bool is_interruption(std::string_view text) {
  return text == "[...]" || text.starts_with("^C") || text == "Ending tracing..." ||
         text.starts_with("Possibly lost ");
}

class BiosnoopFormat final : public LineFormat {
 public:
  explicit BiosnoopFormat(const ReaderOptions& options)
      : second_ns_(options.time_unit_ns.value_or(second_ns)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at_blanks();
    const std::size_t kept = std::min(fields.count, Fields::capacity);
    if (is_heading(fields, kept)) {
      take_heading(line, fields);
      return false;
    }
    if (is_row(fields)) {
      row_ = line.number();
      parse_row(line, fields, record);
      return true;
    }
    const bool behind_row = row_ + 1 == line.number();
    if (behind_row && is_interruption(line.text())) {
      row_ = line.number();
    } else if (behind_row) {
      line.fail(fmt::format("a row of the table's {} columns", columns_.size()),
                fmt::format("'{}'", line.text()));
    }
    notes().add("lines outside of tables passed over", line.number());
    return false;
  }

 private:
  static bool is_heading(const Fields& fields, std::size_t kept) {
    const auto has = [&](std::string_view heading) {
      return std::find(fields.field.begin(), fields.field.begin() + kept, heading) !=
             fields.field.begin() + kept;
    };
    return has("COMM") && has("PID");
  }

  void take_heading(const Line& line, const Fields& fields) {
    columns_.clear();
    for (std::size_t i = 0; i < std::min(fields.count, Fields::capacity); ++i) {
      const auto named =
          std::find_if(named_columns.begin(), named_columns.end(),
                       [&](const NamedColumn& column) { return column.heading == fields[i]; });
      if (fields[i] == "TIME(ms)") {
        line.fail("a table with sectors and bytes (bcc's biosnoop, perf-tools' iosnoop)",
                  "that of bpftrace's biosnoop.bt, which has neither");
      }
      if (named == named_columns.end()) {
        line.fail("columns of biosnoop or iosnoop", fmt::format("'{}'", fields[i]));
      }
      columns_.push_back(named->column);
    }
    for (const Column needed : {Column::name, Column::process, Column::device, Column::kind,
                                Column::sector, Column::bytes}) {
      if (place_of(needed) == columns_.size()) {
        line.fail("columns with device, type, sector and bytes", fmt::format("'{}'", line.text()));
      }
    }
    row_ = line.number();
    notes().add("tables", line.number());
  }

  std::size_t place_of(Column column) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), column) -
                                    columns_.begin());
  }

  // The field in `column`; the blanks of a name make further fields behind it. Requires: there are
  // as many fields as columns, or more.
  std::string_view field_of(const Fields& fields, Column column) const {
    const std::size_t place = place_of(column);
    if (place == columns_.size()) return {};
    const std::size_t further = fields.count - columns_.size();
    return fields[place > place_of(Column::name) ? place + further : place];
  }

  bool is_row(const Fields& fields) const {
    return !columns_.empty() && fields.count >= columns_.size() &&
           fields.count <= Fields::capacity && is_number(field_of(fields, Column::process)) &&
           is_number(field_of(fields, Column::bytes));
  }

  void parse_row(const Line& line, const Fields& fields, Record& record) {
    const auto field = [&](Column column) { return field_of(fields, column); };
    set_times(line, field(Column::start), field(Column::end), field(Column::latency), record);
    const auto kind = request_kind(field(Column::kind));
    if (!kind) {
      line.fail("the kind of a request, such as R or WS", fmt::format("'{}'", field(Column::kind)));
    }
    record.device = devices().index(field(Column::device));
    const Bytes length{line.decimal(field(Column::bytes), "number of bytes")};
    if (length.count > 0) {
      line.set_range(record,
                     Bytes{line.scaled(field(Column::sector), "first sector", sector_size.count)},
                     length);
    } else if (field(Column::sector) != "-1") {  // as bcc prints it for flushes
      line.decimal(field(Column::sector), "first sector");
    }
    set_request(record, *kind, record.offset, length);
  }

  void set_times(const Line& line, std::string_view start, std::string_view end,
                 std::string_view latency, Record& record) {
    const bool backwards = latency.starts_with('-');
    const std::uint64_t latency_ns =
        latency.empty()
            ? 0
            : line.fraction(latency.substr(backwards ? 1 : 0), "latency", millisecond_ns);
    const std::uint64_t end_ns = end.empty() ? 0 : line.fraction(end, "time", second_ns_);
    if (!latency.empty() && !backwards) record.response_ns = latency_ns;
    record.time_ns = issue_time(line, start, end, end_ns, latency_ns, backwards);
  }

  std::uint64_t issue_time(const Line& line, std::string_view start, std::string_view end,
                           std::uint64_t end_ns, std::uint64_t latency_ns, bool backwards) {
    if (!start.empty()) {
      const std::uint64_t start_ns = line.fraction(start, "time", second_ns_);
      if (backwards || (!end.empty() && end_ns < start_ns)) note_backwards(line);
      return start_ns;
    }
    if (backwards) {
      note_backwards(line);
      return end_ns;
    }
    if (end.empty()) {
      notes().add("requests in tables without times: they come at 0", line.number());
      return 0;
    }
    if (latency_ns > end_ns) {
      notes().add("requests that were issued before the time 0: they come at it", line.number());
      return 0;
    }
    return end_ns - latency_ns;
  }

  void note_backwards(const Line& line) {
    notes().add(
        "requests that were complete before they were issued: the clock went backwards, "
        "their latency is not used",
        line.number());
  }

  std::uint64_t second_ns_;
  std::vector<Column> columns_;  // of the table; empty before the first one
  std::int64_t row_ = -1;        // line of the last heading or row
};

}  // namespace

std::unique_ptr<Reader> open_biosnoop(ByteSource source, const ReaderOptions& options) {
  return open_text<BiosnoopFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
