// A synthetic workload: one job of a fio job file, with every option resolved.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nand/errors.hpp"
#include "nand/units.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::workload {

enum class Direction : std::uint8_t { read, write, trim, mixed };  // mixed: reads and writes

struct Job {
  std::string name;
  SourceLocation where;      // of its section in the job file
  std::uint32_t group = 0;   // jobs of a group run at the same time, groups one after another
  std::uint32_t number = 0;  // 0, 1, ... over all jobs of the run, counting the copies of numjobs
  // fio's groupid, for reports: `stonewall` and `new_group` start a new one.
  std::uint32_t report_group = 0;
  // The options as the job file gives them, globals first, for reports.
  std::vector<std::pair<std::string, std::string>> options;

  Direction direction = Direction::read;
  bool random = false;
  std::array<Bytes, 3> block_size{Bytes{4096}, Bytes{4096}, Bytes{4096}};  // read, write, trim
  std::uint32_t iodepth = 1;
  Bytes offset;   // start of the region
  Bytes size;     // length of the region; every request lies in [offset, offset + size)
  Bytes io_size;  // bytes to transfer in one loop, `size` by default
  std::optional<std::uint64_t> number_ios;  // stop after so many requests
  std::optional<Duration> runtime;          // stop issuing after so much simulated time
  bool time_based = false;                  // go on until `runtime`, whatever `io_size` says
  Duration ramp_time{};                     // run so long before measuring
  std::uint32_t read_percent = 50;          // of a mixed job, share of reads
  std::uint64_t random_seed = 0;            // fio's randseed
  bool no_random_map = false;  // random offsets may repeat before every block was visited once
  std::uint32_t loops = 1;
};

// Whether the job writes anything.
inline bool writes(const Job& job) {
  return job.direction == Direction::write ||
         (job.direction == Direction::mixed && job.read_percent < 100);
}

}  // namespace x25sim::workload
