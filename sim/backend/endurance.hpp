// How long a drive lasts: jobs without the clock, pass after pass, until blocks wear out that
// nothing can replace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nand/units.hpp"
#include "sim/drive/counters.hpp"
#include "sim/drive/ssd.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::backend {

struct EnduranceResult {
  std::vector<std::string> jobs;  // their names
  drive::DriveReport life;        // since the drive was made, its preparation included
  Bytes prepared_write;           // of that, what the preparation wrote for the host
  Bytes capacity;
  Bytes raw;                         // all flash
  std::uint32_t rated_cycles = 0;    // erases after which a block was taken out of service
  std::uint64_t passes = 0;          // of the jobs, complete ones
  std::uint64_t reserve_blocks = 0;  // that could replace worn ones on the new drive
  std::uint64_t reserve_blocks_left = 0;
  bool worn_out = false;     // a block wore out for which there was no replacement
  bool interrupted = false;  // before that
};

// Throws InputError if none of the jobs writes, or one's end depends on time.
void check_endurance_jobs(const std::vector<workload::Job>& jobs);

// Applies the jobs' requests until the drive has worn out, each pass with random offsets of its
// own. Returns the number of complete passes. `progress` is called now and then with the erases of
// the most worn block as a share of the rated ones, 0 to 1, and returns false to stop. Requires:
// the jobs have passed the check, and the drive's endurance is limited.
std::uint64_t wear_out(drive::Ssd& drive, const std::vector<workload::Job>& jobs,
                       std::uint64_t seed, const std::function<bool(double)>& progress);

}  // namespace x25sim::backend
