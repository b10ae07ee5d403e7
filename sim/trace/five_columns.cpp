#include "sim/trace/five_columns.hpp"

#include <fmt/format.h>

namespace x25sim::trace {

FiveColumns::FiveColumns(const ReaderOptions& options, std::string_view erasing)
    : unit_ns_(options.time_unit_ns.value_or(1)), erasing_(erasing) {}

bool FiveColumns::parse(const Line& line, Record& record) {
  const Fields fields = line.at_blanks();
  line.expect_fields(fields, 5, "time, device, sector, sectors, operation");
  record.time_ns = line.scaled(fields[0], "time", unit_ns_);
  line.decimal(fields[1], "device number");
  record.device = devices().index(fields[1]);
  line.set_sectors(record, fields[2], fields[3]);
  record.kind = kind_of(line, fields[4]);
  return true;
}

Kind FiveColumns::kind_of(const Line& line, std::string_view field) const {
  if (field == "0") return Kind::write;
  if (field == "1") return Kind::read;
  if (field == "2") return Kind::trim;
  line.fail(fmt::format("operation 0 (write), 1 (read) or 2 ({})", erasing_),
            fmt::format("'{}'", field));
}

}  // namespace x25sim::trace
