// What a replay does with requests that are not in whole sectors, which a drive can't take.
#pragma once

#include <cstdint>
#include <string>

#include "sim/trace/record.hpp"
#include "sim/trace/trace_files.hpp"

namespace x25sim::trace {

enum class PartialSectors : std::uint8_t {
  error,
  expand,  // outward to whole sectors of 512 bytes
  refuse,  // the record is not replayed
};

// Throws InputError that lists the known names.
PartialSectors partial_sectors(const std::string& name);

class SectorRule {
 public:
  SectorRule(PartialSectors rule, FileNames names) : rule_(rule), names_(std::move(names)) {}

  // Brings `record`, a request with data, to whole sectors; false if it is refused. Throws
  // InputError with its line if that is an error, and if it can't be expanded within 64 bits.
  bool apply(Record& record);

  std::uint64_t expanded() const { return expanded_; }

 private:
  void expand(Record& record);

  PartialSectors rule_;
  FileNames names_;
  std::uint64_t expanded_ = 0;
};

}  // namespace x25sim::trace
