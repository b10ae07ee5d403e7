// How much of each device's address space a trace uses.
#pragma once

#include <cstdint>
#include <vector>

#include "nand/units.hpp"
#include "sim/trace/record.hpp"
#include "sim/trace/trace_files.hpp"

namespace x25sim::trace {

class Extents {
 public:
  void add(const Record& record) {
    if (record.device >= ends_.size()) ends_.resize(record.device + std::size_t{1});
    if (!has_data(record)) return;
    const Bytes end = record.offset + record.length;
    if (ends_[record.device] < end) ends_[record.device] = end;
  }

  // Devices that records were added of, up to the highest number.
  std::size_t devices() const { return ends_.size(); }
  // Behind the highest byte that the device's records touch; 0 if none does.
  Bytes end_of(std::uint32_t device) const {
    return device < ends_.size() ? ends_[device] : Bytes{};
  }

 private:
  std::vector<Bytes> ends_;
};

// Reads the whole trace for its extents, the first time they are asked for.
class Survey {
 public:
  explicit Survey(const TraceFiles& files) : files_(files) {}

  // Throws InputError if the trace can't be read once more, which `purpose` needs.
  const Extents& extents(const std::string& purpose) {
    if (!done_) {
      files_.require_rereadable(purpose);
      const auto reader = files_.open();
      while (const auto record = reader->next()) extents_.add(*record);
      done_ = true;
    }
    return extents_;
  }

 private:
  TraceFiles files_;
  Extents extents_;
  bool done_ = false;
};

}  // namespace x25sim::trace
