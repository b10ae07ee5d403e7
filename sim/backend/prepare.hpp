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
    jobs,     // the requests of jobs
  };

  std::string name;  // as given: "used:8G"
  Kind kind = Kind::fresh;
  Bytes span;
  std::vector<workload::Job> jobs;
  // Notices of the job file, see workload::JobFile.
  std::vector<std::string> notices;
};

// Reads one argument of --prepare: `fresh`, `filled`, `used`, `used:SPAN`, `trimmed:SPAN` or the
// path of a job file. SPAN is a size in fio's suffixes or a percentage of `capacity`. Throws
// InputError.
Preparation parse_preparation(const std::string& text, Bytes capacity);

// Carries out a preparation, the `number`-th of its run, from 0. `progress` is called now and then
// with the share that is done, 0 to 1, and returns false to stop. Throws InputError where `fresh`
// does not come first, or where a job's end depends on time. Returns false if stopped.
bool prepare(drive::Ssd& drive, const Preparation& preparation, std::size_t number,
             std::uint64_t seed, const std::function<bool(double)>& progress);

}  // namespace x25sim::backend
