// A synthetic workload: one job of a fio job file, with every option resolved.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nand/errors.hpp"
#include "nand/units.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::workload {

// Of `trim_write`, every block is trimmed and then written; `mixed` are reads and writes.
enum class Direction : std::uint8_t { read, write, trim, mixed, trim_write };

// How long the requests of one direction are.
struct BlockSizes {
  struct Share {
    Bytes size;
    std::uint32_t percent = 0;

    bool operator==(const Share&) const = default;
  };

  Bytes min{4096};  // fio's bsrange; alike for a single size
  Bytes max{4096};
  std::vector<Share> split;  // fio's bssplit, shares adding up to 100; empty: from min to max
  Bytes align{4096};         // fio's blockalign: random offsets are multiples of it
  Bytes unit{4096};          // sizes from min to max are multiples of it, or max

  bool fixed() const { return min == max; }
  bool operator==(const BlockSizes&) const = default;
};

// Sizes of one length and alignment.
inline BlockSizes fixed_size(Bytes size) { return {size, size, {}, size, size}; }

// Which offsets random requests prefer, fio's random_distribution.
struct OffsetDistribution {
  enum class Kind : std::uint8_t { uniform, zipf, pareto, normal, zoned, zoned_abs };
  struct Zone {
    std::uint32_t percent_of_requests = 0;
    std::uint32_t percent_of_region = 0;  // of `zoned`
    Bytes size;                           // of `zoned_abs`

    bool operator==(const Zone&) const = default;
  };

  Kind kind = Kind::uniform;
  double parameter = 0;          // theta of zipf, h of pareto, deviation in percent of normal
  std::optional<double> center;  // 0 to 1, place of the hottest block of zipf, pareto and normal
  std::array<std::vector<Zone>, 3> zones;  // of reads, writes and trims; none: uniform
};

// fio's rw_sequencer: what follows a random request until the next one, see Job::random_every.
enum class Sequencer : std::uint8_t { sequential, identical };

// What comes between a job and its queue depth: fio's rate options, for each direction.
struct Rate {
  std::array<std::uint64_t, 3> bytes_per_s{};      // 0: no limit
  std::array<std::uint64_t, 3> requests_per_s{};   // 0: no limit
  std::array<std::uint64_t, 3> min_bytes_per_s{};  // rate_min: slower than this ends the run
  std::array<std::uint64_t, 3> min_requests_per_s{};
  Duration cycle = std::chrono::seconds{1};  // over which the minima are averaged
  bool poisson = false;                      // arrivals of a Poisson process
  bool ignore_think_time = false;            // catch up after thinking
};

struct ThinkTime {
  Duration time{};           // fio's thinktime; 0: none
  Duration spin{};           // of it, spent with the processor busy: no difference to the device
  std::uint64_t blocks = 1;  // think after so many requests
  bool by_issue = false;     // count them when issued, not when complete
  Duration io_time{};        // thinktime_iotime: think after so long a time of I/O instead; 0: off
};

// How a job fills and empties its queue.
struct Batches {
  std::uint32_t submit = 1;        // iodepth_batch
  std::uint32_t complete_min = 1;  // iodepth_batch_complete_min
  std::uint32_t complete_max = 0;  // iodepth_batch_complete_max; 0: as complete_min
  std::uint32_t low = 0;           // iodepth_low: a full queue drains so far; 0: not at all
};

// fio's latency_target: the largest depth that keeps latencies below `target` is looked for.
struct LatencyTarget {
  Duration target{};  // 0: off
  Duration window{};
  double percentile = 100;
  bool run_on = false;  // latency_run: go on at the depth that was found
};

// When a job asks the device to make its writes durable.
struct Durability {
  std::uint64_t flush_every = 0;  // fsync, fdatasync: after so many writes; 0: never
  bool data_only = false;         // they were asked for by fdatasync: the same to a drive
  bool each_write = false;        // sync: a write is complete when it is durable
  // end_fsync, fsync_on_close: once at the job's end, where fio does so at that of each of its
  // loops.
  bool at_end = false;
};

// A recorded log that the job repeats in place of requests of its own, fio's read_iolog.
struct ReplayLog {
  std::string path;                        // empty: none
  SourceLocation where;                    // of the option
  bool no_stall = false;                   // leave recorded times aside
  std::uint32_t time_scale_percent = 100;  // of the speed: 50 takes twice as long
  std::uint64_t scale = 1;                 // offsets are divided by it
  Bytes align{0};                          // and rounded down to a multiple; 0: not
  std::vector<Operation> skip;             // replay_skip
};

// Files that a job's requests and figures are written to, in fio's formats; names without the
// endings that fio adds. Empty: none.
struct JobLogs {
  std::string iolog, bandwidth, latency, iops;
  Duration average{};       // log_avg_msec: one entry for so long a time; 0: one for each request
  bool maximum = false;     // log_max_value: the largest of each interval, not its mean
  bool offsets = false;     // log_offset: a column with the offset
  bool per_job = true;      // per_job_logs: one file for each job
  bool unix_epoch = false;  // log_unix_epoch

  bool any() const {
    return !iolog.empty() || !bandwidth.empty() || !latency.empty() || !iops.empty();
  }
};

// Whether the directions of a job are reported as one, fio's unified_rw_reporting: `mixed` in their
// place, `both` beside them.
enum class UnifiedReporting : std::uint8_t { none, mixed, both };

struct Job {
  std::string name;
  SourceLocation where;      // of its section in the job file
  std::uint32_t group = 0;   // jobs of a group run at the same time, groups one after another
  std::uint32_t number = 0;  // 0, 1, ... over all jobs of the run, counting the copies of numjobs
  // fio's groupid, for reports: `stonewall` and `new_group` start a new one.
  std::uint32_t report_group = 0;
  bool group_reporting = false;  // reported together with the other jobs of its report group
  UnifiedReporting unified_rw_reporting = UnifiedReporting::none;
  // The options as the job file gives them, globals first, for reports.
  std::vector<std::pair<std::string, std::string>> options;

  // Which requests.
  Direction direction = Direction::read;
  bool random = false;
  std::array<BlockSizes, 3> sizes;  // of reads, writes and trims
  // bs_is_seq_rand: sequential requests have the sizes of reads, random ones those of writes.
  bool sizes_by_order = false;
  // Of random jobs, the share of random requests in percent (percentage_random), and one of how
  // many can be random at all (rw=randread:8); the others are as `sequencer` says.
  std::array<std::uint32_t, 3> random_percent{100, 100, 100};
  std::uint32_t random_every = 1;
  Sequencer sequencer = Sequencer::sequential;
  // Of sequential requests, bytes between the end of one and the next (rw=write:8k); may be < 0.
  std::int64_t sequential_step = 0;
  OffsetDistribution distribution;
  Bytes offset;   // start of the region
  Bytes size;     // length of the region; every request lies in [offset, offset + size)
  Bytes io_size;  // bytes to transfer in one loop, `size` by default
  std::optional<std::uint64_t> number_ios;  // stop after so many requests
  std::uint32_t read_percent = 50;          // of a mixed job, share of reads
  std::uint64_t random_seed = 0;            // fio's randseed
  bool no_random_map = false;  // random offsets may repeat before every block was visited once
  bool lfsr = false;           // fio's random_generator=lfsr: they do not, even so
  std::uint32_t loops = 1;
  Durability durability;
  ReplayLog replay;

  // When.
  std::uint32_t iodepth = 1;
  Batches batches;
  Duration start_delay{};
  std::optional<Duration> runtime;  // stop issuing after so much simulated time
  bool time_based = false;          // go on until `runtime`, whatever `io_size` says
  Duration ramp_time{};             // run so long before measuring
  Rate rate;
  ThinkTime think_time;
  LatencyTarget latency_target;

  // What is reported.
  JobLogs logs;
};

// Whether the job writes anything.
inline bool writes(const Job& job) {
  return job.direction == Direction::write || job.direction == Direction::trim_write ||
         (job.direction == Direction::mixed && job.read_percent < 100);
}

// Whether the job makes requests of `operation`.
inline bool makes(const Job& job, Operation operation) {
  switch (job.direction) {
    case Direction::read: return operation == Operation::read;
    case Direction::write: return operation == Operation::write;
    case Direction::trim: return operation == Operation::trim;
    case Direction::mixed: return operation == Operation::read || operation == Operation::write;
    case Direction::trim_write:
      return operation == Operation::trim || operation == Operation::write;
  }
  return false;
}

// The block sizes of its requests of `operation`, which is no flush.
inline const BlockSizes& sizes_of(const Job& job, Operation operation) {
  return job.sizes[static_cast<std::size_t>(operation)];
}

// At how many offsets, one alignment apart, a random request of `operation` can begin and still end
// within the region. Requires: a region of at least the smallest size.
inline std::uint64_t random_places(const Job& job, Operation operation) {
  const BlockSizes& sizes = sizes_of(job, operation);
  const Bytes shortest = job.sizes_by_order ? job.sizes[1].min : sizes.min;
  const Bytes kept_free = shortest > sizes.align ? shortest - sizes.align : Bytes{};
  return (job.size - kept_free) / sizes.align;
}

}  // namespace x25sim::workload
