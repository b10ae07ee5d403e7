// The requests of a job, one after another.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "nand/random.hpp"
#include "sim/workload/block_map.hpp"
#include "sim/workload/block_shuffle.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/offset_sampler.hpp"
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
// reads and writes, each direction visits every block of its own size once. Where its sizes vary,
// the map of blocks visited is kept as in fio: in blocks of the smallest size, of which a request
// that would run into one that was visited is cut short.
//
// Durability::flush_every adds flushes, which count neither for io_size nor number_ios: a flush
// after so many writes comes when the next request is due, so that none follows the last write.
// (fio 3.33 repeats it in mixed jobs after every read until the next write, and leaves it out of
// trimwrite; its manual knows neither.) Whoever runs the job sees to at_end, as only he knows when
// it ends.
class RequestGenerator {
 public:
  // Requires: what resolve_region() sees to.
  RequestGenerator(const Job& job, std::uint64_t seed);

  // The next request; none when the job has issued all it should (never, where it is time based).
  std::optional<Request> next();

  // The same, of a direction of a mixed job that its share of reads has no say in.
  std::optional<Request> next_of(Operation operation);

 private:
  // What random requests of a direction choose from.
  struct Blocks {
    std::uint64_t places = 0;                // offsets at which they may begin
    std::unique_ptr<BlockShuffle> shuffle;   // where every block is visited once
    std::unique_ptr<BlockMap> map;           // the same with requests of several blocks
    std::unique_ptr<OffsetSampler> sampler;  // where some blocks are hotter
  };

  struct Track {
    Bytes position;                  // of the end of its last request, from the region's begin
    Bytes last_start;                // and of its begin; 0 before the first
    std::uint32_t until_random = 1;  // requests until one may be random
    std::size_t blocks = 0;          // index of the blocks it chooses from
  };

  struct Place {
    Bytes offset;  // from the region's begin
    bool random = false;
    bool marked = false;  // in the map of blocks visited
  };

  Track& track_of(Operation operation);
  Operation choose_operation();
  std::optional<Request> try_next(Operation operation);
  std::optional<Place> choose_place(Operation operation, Track& track);
  std::optional<Place> sequential_place(Operation operation, Track& track) const;
  std::optional<Place> random_place(Operation operation, Track& track);
  void restart(Track& track);
  void restart(Blocks& blocks);
  void count(const Request& request);
  void end_loop();

  Job job_;
  Random offset_random_;
  Random mix_random_;
  Random size_random_;
  Random order_random_;
  std::array<Track, 3> tracks_;
  std::array<Blocks, 2> blocks_;  // the second only where writes do not share those of reads
  std::uint32_t loops_left_;
  Bytes loop_bytes_;  // issued in this loop
  std::uint64_t loop_requests_ = 0;
  std::uint64_t writes_until_flush_;
  bool plain_random_;          // each request a random block, which is quicker to say
  bool write_is_due_ = false;  // of the block that was trimmed last
  bool flush_is_due_ = false;
  Request last_trim_;
};

}  // namespace x25sim::workload
