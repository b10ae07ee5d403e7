#include "sim/trace/device_rule.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "nand/errors.hpp"

namespace x25sim::trace {

namespace {

using Policy = DeviceChoice::Policy;

constexpr const char* separate_devices = "the layout of several devices (--devices separate)";

// The length of a region whose highest byte is before `end`; none beyond 64 bits.
std::optional<Bytes> region_length(Bytes end) {
  constexpr Bytes unit = DeviceRule::region_alignment;
  const Bytes rest = end % unit;
  if (rest.count == 0) return end;
  std::uint64_t length = 0;
  if (__builtin_add_overflow(end.count, unit.count - rest.count, &length)) return std::nullopt;
  return Bytes{length};
}

}  // namespace

DeviceChoice device_choice(const std::string& text) {
  if (text == "separate") return {Policy::separate, {}};
  if (text == "pool") return {Policy::pool, {}};
  if (text == "refuse") return {Policy::refuse, {}};
  return {Policy::named, text};
}

// Whether the record's device is one that is replayed.
bool DeviceRule::takes(const Record& record, const DeviceNames& devices) {
  if (choice_.policy == Policy::named && devices.name(record.device) != choice_.name) return false;
  if (!first_) first_ = record.device;
  if (record.device == *first_) return true;
  if (choice_.policy == Policy::refuse) {
    throw InputError(names_.where(record),
                     fmt::format("expected records of one device, found one of device '{}' behind "
                                 "those of '{}'; --devices has other rules than 'refuse'",
                                 devices.name(record.device), devices.name(*first_)));
  }
  several_ = true;
  return true;
}

bool DeviceRule::apply(Record& record, const DeviceNames& devices) {
  if (!takes(record, devices)) return false;
  if (record.device >= records_.size()) records_.resize(record.device + std::size_t{1});
  ++records_[record.device];
  seen_.add(record);
  if (!has_data(record) || choice_.policy != Policy::separate || record.device == 0) return true;
  if (offsets_.empty()) lay_out();
  if (record.device >= offsets_.size() || record.offset + record.length > lengths_[record.device]) {
    throw InputError(names_.where(record), "the trace has changed while it was read");
  }
  record.offset += offsets_[record.device];
  return true;
}

// Puts the regions one behind the other.
void DeviceRule::lay_out() {
  const Extents& extents = survey_.extents(separate_devices);
  Bytes next;
  for (std::uint32_t device = 0; device < extents.devices(); ++device) {
    offsets_.push_back(next);
    const auto length = region_length(extents.end_of(device));
    std::uint64_t end = 0;
    if (!length || __builtin_add_overflow(next.count, length->count, &end)) {
      throw InputError({names_.all(), 0},
                       "expected devices whose regions, one behind the other, end below byte 2^64, "
                       "found larger ones; see --devices");
    }
    lengths_.push_back(*length);
    next = Bytes{end};
  }
}

Bytes DeviceRule::extent() {
  const Extents& extents = survey_.extents("--out-of-range scale");
  if (choice_.policy == Policy::named) return first_ ? extents.end_of(*first_) : Bytes{};
  const bool separate = choice_.policy == Policy::separate && extents.devices() > 1;
  if (separate && offsets_.empty()) lay_out();
  Bytes most;
  for (std::uint32_t device = 0; device < extents.devices(); ++device) {
    const Bytes end = extents.end_of(device);
    if (end.count > 0) most = std::max(most, separate ? offsets_[device] + end : end);
  }
  return most;
}

std::vector<DeviceRegion> DeviceRule::regions(const DeviceNames& devices) const {
  std::vector<DeviceRegion> regions;
  for (std::uint32_t device = 0; device < records_.size(); ++device) {
    if (records_[device] == 0) continue;
    DeviceRegion& region = regions.emplace_back();
    region.name = devices.name(device);
    region.records = records_[device];
    const bool laid_out = device < offsets_.size();
    const Bytes end = seen_.end_of(device);
    if (laid_out) region.offset = offsets_[device];
    region.length = laid_out ? lengths_[device] : region_length(end).value_or(end);
  }
  return regions;
}

}  // namespace x25sim::trace
