// The requests of a job, one after another.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "nand/random.hpp"
#include "sim/workload/block_shuffle.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::workload {

// Produces the requests of `job` in the order in which they are issued. The offsets need not equal
// fio's, their distributions do: without `norandommap`, a random job visits every block of its
// region once before any block comes again, in an order that is new each time; in a sequential job
// reads and writes each have a position of their own; a job whose io_size exceeds its region starts
// again at the region's begin. `seed` is the run's seed; equal (seed, job) give equal requests.
//
// Only whole blocks are issued: what the region has beyond the last whole block is not visited, and
// the last request of a loop may exceed io_size by less than a block. A loop that stops inside the
// region is continued there by the next one. Where a random job has different block sizes for
// reads and writes, each direction visits every block of its own size once.
class RequestGenerator {
 public:
  // Requires: a block size of at most job.size for every direction that the job has.
  RequestGenerator(const Job& job, std::uint64_t seed);

  // The next request; none when the job has issued all it should (never, where it is time based).
  std::optional<Request> next();

 private:
  // A walk through the region, shared by the directions that visit the same blocks.
  struct Walk {
    Bytes block;
    std::uint64_t blocks;
    Bytes position;        // of sequential jobs, from the region's begin
    BlockShuffle shuffle;  // of random jobs that visit every block once
  };

  Operation choose_operation();
  Walk& walk_of(Operation operation);
  bool at_end(const Walk& walk, Bytes length) const;
  void restart(Walk& walk);
  Bytes take(Walk& walk, Bytes length);
  void end_loop();
  void count(Bytes length);

  Job job_;
  Random offset_random_;
  Random mix_random_;
  std::vector<Walk> walks_;  // one, or one each for reads and writes
  std::uint32_t loops_left_;
  Bytes loop_bytes_;  // issued in this loop
  std::uint64_t loop_requests_ = 0;
};

}  // namespace x25sim::workload
