#include "sim/trace/sector_rule.hpp"

#include <array>
#include <fmt/format.h>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"

namespace x25sim::trace {

PartialSectors partial_sectors(const std::string& name) {
  if (name == "error") return PartialSectors::error;
  if (name == "expand") return PartialSectors::expand;
  if (name == "refuse") return PartialSectors::refuse;
  throw InputError({"--partial-sectors", 0},
                   "expected error, expand or refuse, found " + in_quotes(name));
}

bool SectorRule::apply(Record& record) {
  if (in_whole_sectors(record)) return true;
  switch (rule_) {
    case PartialSectors::expand: expand(record); return true;
    case PartialSectors::refuse: return false;
    case PartialSectors::error: break;
  }
  throw InputError(
      names_.where(record),
      fmt::format("expected a request in whole sectors of {} bytes, found a {} of {} bytes at byte "
                  "{}; --partial-sectors expand or refuse takes it",
                  sector_size.count, name(record.kind), record.length.count, record.offset.count));
}

void SectorRule::expand(Record& record) {
  // Fits: the end of a record does.
  const Bytes last = record.offset + record.length - Bytes{1};
  const Bytes begin = record.offset - record.offset % sector_size;
  const Bytes last_sector = last - last % sector_size;
  std::uint64_t end = 0;
  if (__builtin_add_overflow(last_sector.count, sector_size.count, &end)) {
    throw InputError(names_.where(record),
                     "expected a request whose last sector ends below byte 2^64, found one beyond");
  }
  ++expanded_;
  record.offset = begin;
  record.length = Bytes{end} - begin;
}

}  // namespace x25sim::trace
