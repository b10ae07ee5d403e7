#include "sim/workload/fio_region.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace x25sim::workload {
namespace {

constexpr std::array operations{Operation::read, Operation::write, Operation::trim};

class Region {
 public:
  Region(const JobDraft& draft, std::uint32_t copy, Bytes device_size, Random& random, Job& job)
      : draft_(draft),
        copy_(copy),
        device_size_(device_size),
        smallest_block_(smallest_block(job)),
        random_(random),
        job_(job) {}

  void resolve() {
    job_.offset = offset();
    if (job_.offset >= device_size_) {
      fail_outside(place_of_offset(), fmt::format("offset {}", job_.offset.count));
    }
    const Bytes amount = set_size();
    const Bytes block = largest_block();
    if (job_.size < block) {
      throw InputError(place(),
                       fmt::format("job '{}': expected a region of at least one block of {} bytes, "
                                   "found {} on the device of {} bytes",
                                   job_.name, block.count, range_text(), device_size_.count));
    }
    job_.io_size = Bytes{draft_.io_size.value};
    if (draft_.io_size.percent) {
      job_.io_size = percent_of(amount, static_cast<std::uint32_t>(draft_.io_size.value));
    }
    if (draft_.io_size.value == 0) job_.io_size = amount;
    check_step();
    check_zones();
  }

 private:
  static Bytes smallest_block(const Job& job) {
    return std::ranges::min(job.sizes, {}, &BlockSizes::min).min;
  }

  // The largest that is not avoided where it does not fit.
  Bytes largest_block() const {
    Bytes largest;
    for (const Operation operation : operations) {
      if (!makes(job_, operation)) continue;
      const BlockSizes& sizes = sizes_of(job_, operation);
      largest = std::max({largest, sizes.min, sizes.align});
    }
    if (job_.sizes_by_order) {
      largest = std::max(largest, job_.sizes[0].min);
      if (job_.random) largest = std::max(largest, job_.sizes[1].min);
    }
    return largest;
  }

  // Where the region that does not fit was written: of size and offset, the one set last.
  SourceLocation place() const {
    const Amount& last = draft_.size.order > draft_.offset.order ? draft_.size : draft_.offset;
    if (draft_.file_size) return draft_.file_size_where;
    return last.order > 0 ? last.where : job_.where;
  }

  SourceLocation place_of_offset() const {
    if (copy_ > 0 && draft_.offset_increment.order > 0) return draft_.offset_increment.where;
    return draft_.offset.order > 0 ? draft_.offset.where : job_.where;
  }

  std::string range_text() const {
    return fmt::format("offset {} + size {}", job_.offset.count, job_.size.count);
  }

  [[noreturn]] void fail_outside(const SourceLocation& where, const std::string& found) const {
    throw InputError(where,
                     fmt::format("job '{}': expected a region within the device of {} bytes, "
                                 "found {}",
                                 job_.name, device_size_.count, found));
  }

  Bytes bytes_of(const Amount& amount) const {
    return amount.percent ? percent_of(device_size_, static_cast<std::uint32_t>(amount.value))
                          : Bytes{amount.value};
  }

  Bytes offset() const {
    const Bytes increment = bytes_of(draft_.offset_increment);
    if (copy_ > 0 && increment.count > device_size_.count / copy_) {
      fail_outside(place_of_offset(),
                   fmt::format("an offset_increment of {} for copy {}", increment.count, copy_));
    }
    const Bytes raw = bytes_of(draft_.offset) + increment * copy_;
    const bool aligned = draft_.offset.percent || draft_.offset_increment.percent;
    const Bytes align = draft_.offset_align.count > 0 ? draft_.offset_align : smallest_block_;
    const Bytes excess = raw % align;
    return !aligned || excess.count == 0 ? raw : raw - excess + align;
  }

  // Returns how much is done in the region, if `io_size` does not say otherwise.
  Bytes set_size() {
    const Bytes rest = device_size_ - job_.offset;
    Bytes asked = rest;
    if (draft_.size.percent) {
      const Bytes raw = bytes_of(draft_.size);
      const Bytes cut = std::min(raw, rest);
      asked = cut - cut % smallest_block_;
    } else if (draft_.size.value > 0) {
      asked = Bytes{draft_.size.value};
    }
    job_.size = asked;
    if (draft_.file_size) set_size_of_file();
    if (job_.size > rest) fail_outside(place(), range_text());
    return std::min(asked, job_.size);
  }

  // A range that the device itself lies in means the whole device.
  void set_size_of_file() {
    const auto [low, high] = *draft_.file_size;
    Bytes end = device_size_;
    if (device_size_ < low || device_size_ > high) {
      const std::uint64_t choices = (high - low) / sector_size + 1;
      end = low == high ? low : low + sector_size * random_.below(choices);
    }
    if (end <= job_.offset) {
      throw InputError(draft_.file_size_where,
                       fmt::format("job '{}': expected a filesize above the offset of {}, found {}",
                                   job_.name, job_.offset.count, end.count));
    }
    job_.size = end - job_.offset;
  }

  void check_step() const {
    const auto step = job_.sequential_step;
    const std::uint64_t distance =
        step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
    if (distance < job_.size.count) return;
    throw InputError(job_.where, fmt::format("job '{}': expected an offset modifier below the "
                                             "region's size of {}, found {}",
                                             job_.name, job_.size.count, step));
  }

  void check_zones() const {
    using Kind = OffsetDistribution::Kind;
    const bool absolute = job_.distribution.kind == Kind::zoned_abs;
    if (!job_.random || (!absolute && job_.distribution.kind != Kind::zoned)) return;
    for (const Operation operation : operations) {
      if (!makes(job_, operation)) continue;
      const Bytes align = sizes_of(job_, operation).align;
      const std::uint64_t blocks = random_places(job_, operation);
      Bytes end;
      for (const auto& zone : job_.distribution.zones[static_cast<std::size_t>(operation)]) {
        const std::uint64_t zone_blocks =
            absolute ? zone.size / align : blocks * zone.percent_of_region / 100;
        if (zone.percent_of_requests > 0 && zone_blocks == 0) {
          throw InputError(job_.where,
                           fmt::format("job '{}': expected zones of at least one block of {} bytes "
                                       "each, found one smaller",
                                       job_.name, align.count));
        }
        end += zone.size;
      }
      if (end / align > blocks) {
        throw InputError(job_.where,
                         fmt::format("job '{}': expected zones within the region of {} bytes, "
                                     "found {} bytes together",
                                     job_.name, job_.size.count, end.count));
      }
    }
  }

  const JobDraft& draft_;
  std::uint32_t copy_;
  Bytes device_size_;
  Bytes smallest_block_;
  Random& random_;
  Job& job_;
};

}  // namespace

void resolve_region(const JobDraft& draft, std::uint32_t copy, Bytes device_size, Random& random,
                    Job& job) {
  if (!draft.replay_paths.empty()) {
    job.size = device_size;
    job.io_size = device_size;
    return;
  }
  Region(draft, copy, device_size, random, job).resolve();
}

}  // namespace x25sim::workload
