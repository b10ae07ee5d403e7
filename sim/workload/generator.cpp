#include "sim/workload/generator.hpp"

#include <algorithm>
#include <cstddef>

#include "nand/check.hpp"
#include "sim/workload/request_length.hpp"

namespace x25sim::workload {
namespace {

// The job's own seed joined to the run's: 0, the default, leaves the run's as it is.
std::uint64_t joined_seed(const Job& job, std::uint64_t seed) {
  return seed ^ (job.random_seed * 0x9e3779b97f4a7c15);
}

// Whether random requests of `operation` are exactly one block of their alignment.
bool are_single_blocks(const Job& job, Operation operation) {
  const BlockSizes& sizes = sizes_of(job, operation);
  const BlockSizes& lengths = job.sizes_by_order ? job.sizes[1] : sizes;
  return lengths.fixed() && lengths.min == sizes.align;
}

// The smallest size of requests that are not random.
Bytes shortest_in_order(const Job& job, Operation operation) {
  return job.sizes_by_order ? job.sizes[0].min : sizes_of(job, operation).min;
}

}  // namespace

RequestGenerator::RequestGenerator(const Job& job, std::uint64_t seed)
    : job_(job),
      offset_random_(random_stream(joined_seed(job, seed), "workload.offset", job.number)),
      mix_random_(random_stream(joined_seed(job, seed), "workload.mix", job.number)),
      size_random_(random_stream(joined_seed(job, seed), "workload.size", job.number)),
      order_random_(random_stream(joined_seed(job, seed), "workload.order", job.number)),
      loops_left_(job.loops),
      writes_until_flush_(job.durability.flush_every),
      plain_random_(job.random && job.random_every == 1 && !job.sizes_by_order) {
  for (const Operation operation : {Operation::read, Operation::write, Operation::trim}) {
    if (!makes(job, operation)) continue;
    X25_CHECK(sizes_of(job, operation).min.count > 0);
    X25_CHECK(sizes_of(job, operation).min <= job_.size, "job " + job_.name);
    plain_random_ &= are_single_blocks(job, operation) &&
                     job.random_percent[static_cast<std::size_t>(operation)] == 100;
    if (!job.random) continue;
    // As in fio, directions share their map of blocks visited where the blocks are alike.
    const bool own =
        operation == Operation::write && job.direction == Direction::mixed &&
        (job.sizes[0] != job.sizes[1] || job.distribution.zones[0] != job.distribution.zones[1]);
    track_of(operation).blocks = own ? 1 : 0;
    Blocks& blocks = blocks_[own ? 1 : 0];
    if (blocks.places > 0) continue;
    blocks.places = random_places(job, operation);
    const Bytes align = sizes_of(job, operation).align;
    Random scatter = random_stream(joined_seed(job, seed), "workload.scatter", job.number);
    blocks.sampler = make_offset_sampler(
        job.distribution, job.distribution.zones[static_cast<std::size_t>(operation)],
        blocks.places, align, scatter);
    if (blocks.sampler || (job.no_random_map && !job.lfsr)) continue;
    if (!job.no_random_map && !are_single_blocks(job, operation)) {
      blocks.map = std::make_unique<BlockMap>(job.size / align);
    } else {
      blocks.shuffle = std::make_unique<BlockShuffle>(blocks.places);
      blocks.shuffle->restart(offset_random_);
    }
  }
}

std::optional<Request> RequestGenerator::next() {
  if (loops_left_ == 0) return std::nullopt;
  if (flush_is_due_) {
    flush_is_due_ = false;
    return Request{Operation::flush, {}, {}};
  }
  return next_of(choose_operation());
}

std::optional<Request> RequestGenerator::next_of(Operation operation) {
  if (loops_left_ == 0) return std::nullopt;
  auto request = try_next(operation);
  if (!request) {
    Track& track = track_of(operation);
    restart(track);
    // What is left of this loop would not fill a block: a region that is no multiple of the block
    // size ends here, and so does its loop. So does one that left gaps, unless io_size asks for
    // more.
    const Bytes moved =
        job_.direction == Direction::trim_write ? loop_bytes_ + loop_bytes_ : loop_bytes_;
    const bool loop_is_full = moved + sizes_of(job_, operation).max > job_.io_size ||
                              (job_.sequential_step != 0 && job_.io_size == job_.size);
    if (loop_is_full && loop_requests_ > 0 && !job_.time_based) {
      end_loop();
      return next_of(operation);
    }
    request = try_next(operation);
    X25_CHECK(request.has_value(), "job " + job_.name);
  }
  count(*request);
  return request;
}

RequestGenerator::Track& RequestGenerator::track_of(Operation operation) {
  return tracks_[static_cast<std::size_t>(operation)];
}

Operation RequestGenerator::choose_operation() {
  switch (job_.direction) {
    case Direction::read: return Operation::read;
    case Direction::write: return Operation::write;
    case Direction::trim: return Operation::trim;
    case Direction::mixed:
      return mix_random_.below(100) < job_.read_percent ? Operation::read : Operation::write;
    case Direction::trim_write: return write_is_due_ ? Operation::write : Operation::trim;
  }
  return Operation::read;
}

// None at the end of the region, or of its blocks that were not visited.
std::optional<Request> RequestGenerator::try_next(Operation operation) {
  if (write_is_due_) return Request{Operation::write, last_trim_.offset, last_trim_.length};
  Track& track = track_of(operation);
  if (plain_random_) {
    const auto place = random_place(operation, track);
    if (!place) return std::nullopt;
    return Request{operation, job_.offset + place->offset, sizes_of(job_, operation).min};
  }
  const auto place = choose_place(operation, track);
  if (!place) return std::nullopt;
  const BlockSizes& sizes =
      job_.sizes_by_order ? job_.sizes[place->random ? 1 : 0] : sizes_of(job_, operation);
  auto length = draw_length(sizes, job_.size - place->offset, size_random_);
  if (place->marked) {
    // Near the region's end a request is cut to what is left of it.
    const Bytes align = sizes_of(job_, operation).align;
    const Bytes wanted = length.value_or(sizes.min);
    const std::uint64_t blocks = (wanted.count + align.count - 1) / align.count;
    length =
        std::min(wanted, align * blocks_[track.blocks].map->visit(place->offset / align, blocks));
  }
  if (!length) return std::nullopt;
  track.last_start = place->offset;
  track.position = place->offset + *length;
  return Request{operation, job_.offset + place->offset, *length};
}

std::optional<RequestGenerator::Place> RequestGenerator::choose_place(Operation operation,
                                                                      Track& track) {
  if (!job_.random) return sequential_place(operation, track);
  const bool may_be_random = --track.until_random == 0;
  if (may_be_random) {
    track.until_random = job_.random_every;
    const std::uint32_t percent = job_.random_percent[static_cast<std::size_t>(operation)];
    if (percent == 100 || order_random_.below(100) < percent) {
      return random_place(operation, track);
    }
  }
  std::optional<Place> place = Place{track.last_start, false, false};
  if (may_be_random || job_.sequencer == Sequencer::sequential) {
    place = sequential_place(operation, track);
  }
  // Where it does not fit, at the region's end, a random one comes instead.
  const bool fits = place && place->offset + shortest_in_order(job_, operation) <= job_.size;
  return fits ? place : random_place(operation, track);
}

// As fio's positions go, whatever sense they make: a request at the region's begin is not moved by
// the step, and a step back from a region that does not begin at 0 sets out from the region's size
// as if that were a position on the device; here it stays where it fits into the region.
std::optional<RequestGenerator::Place> RequestGenerator::sequential_place(Operation operation,
                                                                          Track& track) const {
  const auto size = static_cast<std::int64_t>(job_.size.count);
  const auto begin = static_cast<std::int64_t>(job_.offset.count);
  const std::int64_t step = job_.sequential_step;
  auto place = static_cast<std::int64_t>(track.position.count);
  if (place >= size) {
    if (!job_.time_based) return std::nullopt;
    place = 0;
  }
  if (place == 0 && begin > 0 && step < 0) place = size - begin;
  if (place != 0 && step != 0) {
    place += step;
    if (place < 0) place = size + step;
    if (step < 0) {
      const Bytes shortest = shortest_in_order(job_, operation);
      place = std::min(place, size - static_cast<std::int64_t>(shortest.count));
    }
    if (place >= size) {
      if (begin > 0) return std::nullopt;
      place = 0;
    }
  }
  return Place{Bytes{static_cast<std::uint64_t>(place)}, false, false};
}

std::optional<RequestGenerator::Place> RequestGenerator::random_place(Operation operation,
                                                                      Track& track) {
  Blocks& blocks = blocks_[track.blocks];
  const Bytes align = sizes_of(job_, operation).align;
  if (blocks.shuffle) {
    if (blocks.shuffle->exhausted()) return std::nullopt;
    return Place{align * blocks.shuffle->next(), true, false};
  }
  if (blocks.sampler) return Place{align * blocks.sampler->next(offset_random_), true, false};
  const std::uint64_t block = offset_random_.below(blocks.places);
  if (!blocks.map) return Place{align * block, true, false};
  const auto free = blocks.map->next_free(block);
  if (!free) return std::nullopt;
  return Place{align * *free, true, true};
}

void RequestGenerator::restart(Track& track) {
  track.position = Bytes{0};
  if (job_.random) restart(blocks_[track.blocks]);
}

void RequestGenerator::restart(Blocks& blocks) {
  if (blocks.shuffle) blocks.shuffle->restart(offset_random_);
  if (blocks.map) blocks.map->clear();
}

void RequestGenerator::end_loop() {
  --loops_left_;
  loop_bytes_ = Bytes{0};
  loop_requests_ = 0;
}

// As in fio, a trim and the write behind it count as one.
void RequestGenerator::count(const Request& request) {
  if (job_.direction == Direction::trim_write) {
    write_is_due_ = request.operation == Operation::trim;
    last_trim_ = request;
    if (write_is_due_) return;
  }
  if (request.operation == Operation::write && job_.durability.flush_every > 0 &&
      --writes_until_flush_ == 0) {
    writes_until_flush_ = job_.durability.flush_every;
    flush_is_due_ = true;
  }
  loop_bytes_ += request.length;
  ++loop_requests_;
  if (job_.time_based) return;
  if (loop_bytes_ >= job_.io_size || loop_requests_ == job_.number_ios) end_loop();
}

}  // namespace x25sim::workload
