#include "sim/workload/fio_region.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace x25sim::workload {
namespace {

Bytes largest_block_in_use(const Job& job) {
  const auto& [read, write, trim] = job.block_size;
  switch (job.direction) {
    case Direction::read: return read;
    case Direction::write: return write;
    case Direction::trim: return trim;
    case Direction::mixed: return std::max(read, write);
    case Direction::trim_write: return trim;
  }
  return read;
}

// The line to blame for a region: of size and offset, the one set last, or else the section's.
SourceLocation place_of(const JobDraft& draft) {
  const SourceLocation& last =
      draft.size.where.line > draft.offset.where.line ? draft.size.where : draft.offset.where;
  return last.line > 0 ? last : draft.job.where;
}

std::string range_text(Bytes offset, Bytes size) {
  return fmt::format("offset {} + size {}", offset.count, size.count);
}

Bytes resolved_offset(const JobDraft& draft, Bytes smallest_block, Bytes device_size) {
  if (!draft.offset.percent) return Bytes{draft.offset.value};
  const Bytes raw = percent_of(device_size, static_cast<std::uint32_t>(draft.offset.value));
  const Bytes excess = raw % smallest_block;
  return excess.count == 0 ? raw : raw - excess + smallest_block;
}

// Requires: offset < device_size.
Bytes resolved_size(const JobDraft& draft, Bytes offset, Bytes smallest_block, Bytes device_size) {
  const Bytes rest = device_size - offset;
  if (draft.size.value == 0) return rest;
  if (!draft.size.percent) return Bytes{draft.size.value};
  const Bytes raw = percent_of(device_size, static_cast<std::uint32_t>(draft.size.value));
  const Bytes cut = std::min(raw, rest);
  return cut - cut % smallest_block;
}

}  // namespace

void resolve_region(JobDraft& draft, Bytes device_size) {
  Job& job = draft.job;
  const Bytes smallest_block = std::ranges::min(job.block_size);
  job.offset = resolved_offset(draft, smallest_block, device_size);
  if (job.offset >= device_size) {
    throw InputError(draft.offset.where.line > 0 ? draft.offset.where : job.where,
                     fmt::format("job '{}': expected a region within the device of {} bytes, found "
                                 "offset {}",
                                 job.name, device_size.count, job.offset.count));
  }
  job.size = resolved_size(draft, job.offset, smallest_block, device_size);
  if (job.size > device_size - job.offset) {
    throw InputError(place_of(draft),
                     fmt::format("job '{}': expected a region within the device of {} bytes, found "
                                 "{}",
                                 job.name, device_size.count, range_text(job.offset, job.size)));
  }
  const Bytes block = largest_block_in_use(job);
  if (job.size < block) {
    throw InputError(
        place_of(draft),
        fmt::format("job '{}': expected a region of at least one block of {} bytes, "
                    "found {} on the device of {} bytes",
                    job.name, block.count, range_text(job.offset, job.size), device_size.count));
  }
  job.io_size = Bytes{draft.io_size.value};
  if (draft.io_size.percent) {
    job.io_size = percent_of(job.size, static_cast<std::uint32_t>(draft.io_size.value));
  }
  if (draft.io_size.value == 0) job.io_size = job.size;
}

}  // namespace x25sim::workload
