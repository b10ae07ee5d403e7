#include "sim/workload/generator.hpp"

#include <cstddef>

#include "nand/check.hpp"

namespace x25sim::workload {
namespace {

// The job's own seed joined to the run's: 0, the default, leaves the run's as it is.
std::uint64_t joined_seed(const Job& job, std::uint64_t seed) {
  return seed ^ (job.random_seed * 0x9e3779b97f4a7c15);
}

Operation first_operation(Direction direction) {
  switch (direction) {
    case Direction::read: return Operation::read;
    case Direction::write: return Operation::write;
    case Direction::trim: return Operation::trim;
    case Direction::mixed: return Operation::read;
    case Direction::trim_write: return Operation::trim;
  }
  return Operation::read;
}

Bytes block_of(const Job& job, Operation operation) {
  return job.block_size[static_cast<std::size_t>(operation)];
}

}  // namespace

RequestGenerator::RequestGenerator(const Job& job, std::uint64_t seed)
    : job_(job),
      offset_random_(random_stream(joined_seed(job, seed), "workload.offset", job.number)),
      mix_random_(random_stream(joined_seed(job, seed), "workload.mix", job.number)),
      loops_left_(job.loops) {
  const auto add_walk = [this](Bytes block) {
    X25_CHECK(block.count > 0);
    X25_CHECK(block <= job_.size, "job " + job_.name);
    const std::uint64_t blocks = job_.size / block;
    walks_.push_back({block, blocks, Bytes{0}, BlockShuffle{blocks}});
    restart(walks_.back());
  };
  const Bytes block = block_of(job, first_operation(job.direction));
  const Bytes write_block = block_of(job, Operation::write);
  add_walk(block);
  // As in fio, sequential directions have positions of their own, and random ones share their map
  // of blocks visited where the blocks are alike.
  if (job.direction == Direction::mixed && (!job.random || write_block != block)) {
    add_walk(write_block);
  }
}

std::optional<Request> RequestGenerator::next() {
  if (loops_left_ == 0) return std::nullopt;
  const Operation operation = choose_operation();
  const Bytes length = block_of(job_, operation);
  Walk& walk = walk_of(operation);
  if (at_end(walk, length)) {
    restart(walk);
    // What is left of this loop would not fill a block: a region that is no multiple of the block
    // size ends here, and so does its loop.
    const bool loop_is_full = loop_bytes_ + length > job_.io_size && loop_requests_ > 0;
    if (loop_is_full && !job_.time_based) end_loop();
    if (loops_left_ == 0) return std::nullopt;
  }
  const Bytes offset = job_.offset + take(walk, length);
  count(length);
  return Request{operation, offset, length};
}

Operation RequestGenerator::choose_operation() {
  if (job_.direction != Direction::mixed) return first_operation(job_.direction);
  return mix_random_.below(100) < job_.read_percent ? Operation::read : Operation::write;
}

RequestGenerator::Walk& RequestGenerator::walk_of(Operation operation) {
  return operation == Operation::write ? walks_.back() : walks_.front();
}

bool RequestGenerator::at_end(const Walk& walk, Bytes length) const {
  if (!job_.random) return walk.position + length > job_.size;
  return !job_.no_random_map && walk.shuffle.exhausted();
}

void RequestGenerator::restart(Walk& walk) {
  walk.position = Bytes{0};
  if (job_.random && !job_.no_random_map) walk.shuffle.restart(offset_random_);
}

// The offset of the next block from the region's begin.
Bytes RequestGenerator::take(Walk& walk, Bytes length) {
  if (!job_.random) {
    const Bytes offset = walk.position;
    walk.position += length;
    return offset;
  }
  if (job_.no_random_map) return walk.block * offset_random_.below(walk.blocks);
  return walk.block * walk.shuffle.next();
}

void RequestGenerator::end_loop() {
  --loops_left_;
  loop_bytes_ = Bytes{0};
  loop_requests_ = 0;
}

void RequestGenerator::count(Bytes length) {
  loop_bytes_ += length;
  ++loop_requests_;
  if (job_.time_based) return;
  if (loop_bytes_ >= job_.io_size || loop_requests_ == job_.number_ios) end_loop();
}

}  // namespace x25sim::workload
