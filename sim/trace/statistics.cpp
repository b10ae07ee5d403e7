#include "sim/trace/statistics.hpp"

#include <algorithm>
#include <bit>

#include "sim/trace/extents.hpp"

namespace x25sim::trace {

namespace {

constexpr Bytes nowhere{~std::uint64_t{0}};

std::size_t power_of(std::uint64_t value) {
  return static_cast<std::size_t>(std::bit_width(value | 1) - 1);
}

std::optional<double> share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Requires: ns is a difference of two times. What is beyond 292 years counts as those.
Duration duration_of(std::uint64_t ns) {
  constexpr auto longest = static_cast<std::uint64_t>(Duration::max().count());
  return Duration{static_cast<Duration::rep>(std::min(ns, longest))};
}

}  // namespace

void SizeTable::add(Bytes length) {
  ++count_;
  ++by_power_[power_of(length.count)];
  if (last_count_ == nullptr || last_size_ != length.count) {
    const auto known = sizes_.find(length.count);
    if (known == sizes_.end() && sizes_.size() == sizes_max) return;
    // The map's values stay where they are.
    last_count_ = known == sizes_.end() ? &sizes_[length.count] : &known->second;
    last_size_ = length.count;
  }
  ++*last_count_;
}

std::vector<std::pair<Bytes, std::uint64_t>> SizeTable::most_common(std::size_t most) const {
  std::vector<std::pair<Bytes, std::uint64_t>> sizes;
  for (const auto& [size, count] : sizes_) sizes.emplace_back(Bytes{size}, count);
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (sizes.size() > most) sizes.resize(most);
  return sizes;
}

void RecordedDepth::add(std::uint64_t time_ns, std::uint64_t response_ns) {
  if (implausible_) return;
  arrivals_.emplace(time_ns, response_ns);
  if (arrivals_.size() > reordered_max) arrive();
}

void RecordedDepth::finish() {
  while (!arrivals_.empty()) arrive();
}

// The first of those that wait; one that should have arrived before others does so with the last.
void RecordedDepth::arrive() {
  const std::uint64_t time_ns = std::max(latest_ns_, arrivals_.top().first);
  const std::uint64_t response_ns = arrivals_.top().second;
  arrivals_.pop();
  latest_ns_ = time_ns;
  while (!completions_.empty() && completions_.top() <= time_ns) completions_.pop();
  std::uint64_t completion = 0;
  if (completions_.size() == depth_max ||
      __builtin_add_overflow(time_ns, response_ns, &completion)) {
    implausible_ = true;
    completions_ = {};
    arrivals_ = {};
    return;
  }
  completions_.push(completion);
  const std::uint64_t depth = completions_.size();
  ++count_;
  sum_ += depth;
  max_ = std::max(max_, depth);
  ++by_power_[power_of(depth)];
}

std::optional<double> RecordedDepth::mean() const {
  if (implausible_) return std::nullopt;
  return share(sum_, count_);
}

void Statistics::add(const Record& record) {
  counter_.add(record);
  if (last_) add_time(record);
  if (record.device >= devices_.size()) {
    devices_.resize(record.device + std::size_t{1});
    last_end_.resize(devices_.size(), nowhere);
  }
  ++devices_[record.device].records;
  if (has_data(record)) {
    add_data(record);
  } else if (record.kind != Kind::flush && record.length.count == 0) {
    note(no_length, record);
  }
  last_ = record;
}

void Statistics::add_time(const Record& record) {
  if (record.time_ns < last_->time_ns) {
    note(backward, record);
    return;
  }
  interarrival_.add(duration_of(record.time_ns - last_->time_ns));
  if (record.time_ns > last_->time_ns) return;
  note(equal_time, record);
  const bool same = record.kind == last_->kind && record.offset == last_->offset &&
                    record.length == last_->length && record.device == last_->device;
  if (same && has_data(record)) note(duplicate, record);
}

void Statistics::add_data(const Record& record) {
  const auto kind = static_cast<std::size_t>(record.kind);
  const Bytes end = record.offset + record.length;
  DeviceStatistics& device = devices_[record.device];
  device.max_end = std::max(device.max_end, end);
  if (record.kind == Kind::read) {
    ++device.reads;
    device.bytes_read += record.length;
    pages_.read(record.offset, record.length);
  } else if (record.kind == Kind::write) {
    ++device.writes;
    device.bytes_written += record.length;
    pages_.write(record.offset, record.length);
  }
  sizes_[kind].add(record.length);
  ++with_data_;
  ++with_data_of_[kind];
  if (record.offset == last_end_[record.device]) ++sequential_of_[kind];
  last_end_[record.device] = end;
  ++trailing_zeros_[static_cast<std::size_t>(
      std::countr_zero(record.offset.count | record.length.count))];
  const std::uint64_t in_page = record.offset.count % 4096;
  ++page_phases_[in_page % 512 == 0 ? in_page / 512 : 8];
  if ((record.offset.count | record.length.count) % 512 != 0) note(part_of_sector, record);
  if (record.response_ns != Record::unknown_response) {
    response_.add(duration_of(record.response_ns));
    depth_.add(record.time_ns, record.response_ns);
  }
}

void Statistics::note(Oddity oddity, const Record& record) {
  Occurrences& occurrences = oddities_[oddity];
  if (occurrences.count < occurrences.lines.size()) {
    occurrences.lines[occurrences.count] = record.line;
  }
  ++occurrences.count;
}

Counts Statistics::counts() const {
  Counts counts = counter_.counts();
  counts.unique_4k_pages_written = pages_.footprint().written;
  return counts;
}

std::optional<double> Statistics::overwrite_share() const {
  const std::uint64_t writes = pages_.page_writes();
  return share(writes - pages_.footprint().written, writes);
}

std::optional<double> Statistics::sequential_share(Kind kind) const {
  const auto i = static_cast<std::size_t>(kind);
  return share(sequential_of_[i], with_data_of_[i]);
}

std::uint64_t Statistics::aligned(std::size_t i) const {
  std::uint64_t count = 0;
  const auto least = static_cast<std::size_t>(std::countr_zero(alignments[i]));
  for (std::size_t zeros = least; zeros < trailing_zeros_.size(); ++zeros) {
    count += trailing_zeros_[zeros];
  }
  return count;
}

std::vector<Notes::Note> Statistics::oddities() const {
  constexpr std::array<const char*, oddity_count> texts{
      "time before that of the record before", "same time as the record before",
      "request without length", "request not in whole sectors of 512 bytes",
      "duplicate of the record before, its time included"};
  std::vector<Notes::Note> notes;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Occurrences& occurrences = oddities_[i];
    if (occurrences.count == 0) continue;
    Notes::Note& added = notes.emplace_back();
    added.text = texts[i];
    added.count = occurrences.count;
    const auto kept = std::min<std::uint64_t>(occurrences.count, occurrences.lines.size());
    for (std::uint64_t line = 0; line < kept; ++line) {
      added.lines.push_back(occurrences.lines[line]);
    }
  }
  return notes;
}

}  // namespace x25sim::trace
