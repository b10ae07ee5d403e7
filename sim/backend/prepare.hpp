// Brings a drive into a state before a measurement: without the clock, through the same FTL.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nand/units.hpp"
#include "sim/drive/ssd.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::backend {

struct Preparation {
  enum class Kind : std::uint8_t {
    fresh,    // as secure erased
    filled,   // every LBA written once, in order
    used,     // filled, then `span` bytes of uniform 4 KiB overwrites within the first `span` bytes
    trimmed,  // used over the whole drive, then everything from `span` on trimmed
    steady,   // as used over the whole drive, and on until its write amplification has settled
    jobs,     // the requests of jobs
  };

  std::string name;  // as given: "used:8G"
  Kind kind = Kind::fresh;
  Bytes span;
  std::vector<workload::Job> jobs;
  // Notices of the job file, see workload::JobFile.
  std::vector<std::string> notices;
};

// A drive is overwritten at least and at most so often to become steady.
inline constexpr std::uint64_t steady_drive_writes_min = 2;
inline constexpr std::uint64_t steady_drive_writes_max = 40;

// Reads one argument of --prepare: `fresh`, `filled`, `used`, `used:SPAN`, `trimmed:SPAN`, `steady`
// or the path of a job file. SPAN is a size in fio's suffixes or a percentage of `capacity`. Throws
// InputError.
Preparation parse_preparation(const std::string& text, Bytes capacity);

// Carries out a preparation, the `number`-th of its run, from 0. `progress` is called now and then
// with the share that is done, 0 to 1, or 0 where the end is not known, and returns false to stop.
// Throws InputError where `fresh` does not come first, or where a job's end depends on time.
// Returns false if stopped. `steady` may end with a drive that has not settled.
bool prepare(drive::Ssd& drive, const Preparation& preparation, std::size_t number,
             std::uint64_t seed, const std::function<bool(double)>& progress);

}  // namespace x25sim::backend
