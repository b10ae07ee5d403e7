#include "sim/trace/page_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "nand/check.hpp"

namespace x25sim::trace {

namespace {

constexpr Bytes page_size{4096};
constexpr std::size_t slots_at_first = 1u << 10;

}  // namespace

// Calls apply(entry, first, last) with the pages [first, last] of each entry of the range.
template <typename Apply>
void PageTable::for_each_entry(Bytes offset, Bytes length, const Apply& apply) {
  const std::uint64_t last = (offset + length - Bytes{1}) / page_size;
  for (std::uint64_t page = offset / page_size; page <= last;) {
    const std::uint64_t begin = page % entry_pages;
    const std::uint64_t end = std::min(entry_pages, begin + (last - page) + 1);
    apply(entry(page / entry_pages), begin, end);
    page += end - begin;
  }
}

// Calls apply(number) with the numbers of the first few entries that a request touches: few
// requests touch more.
template <typename Apply>
void PageTable::for_first_numbers(const Access& access, const Apply& apply) {
  constexpr std::uint64_t few = 4;
  const Bytes last = access.offset + access.length - Bytes{1};
  const std::uint64_t first_number = access.offset / page_size / entry_pages;
  const std::uint64_t end = std::min(last / page_size / entry_pages, first_number + few - 1);
  for (std::uint64_t number = first_number; number <= end; ++number) apply(number);
}

void PageTable::push(const Access& access) {
  if (pushed_ - applied_ == depth) apply(waiting_[applied_++ % depth]);
  waiting_[pushed_ % depth] = access;
  for_first_numbers(
      access, [this](std::uint64_t number) { __builtin_prefetch(&slots_[first_slot_of(number)]); });
  if (pushed_ - applied_ >= depth / 2) {
    prefetch_entries(waiting_[(pushed_ - depth / 2) % depth]);
  }
  ++pushed_;
}

void PageTable::prefetch_entries(const Access& access) const {
  for_first_numbers(access, [this, &access](std::uint64_t number) {
    const Slot& slot = slots_[slot_of(number)];
    if (slot.place == 0) return;
    const auto* const bytes = reinterpret_cast<const char*>(&at(slot.place - 1));
    constexpr std::size_t cache_line = 64;
    const std::size_t size = access.write ? sizeof(Entry) : 1;
    for (std::size_t at = 0; at < size; at += cache_line) __builtin_prefetch(bytes + at, 1);
  });
}

void PageTable::settle() {
  while (applied_ < pushed_) apply(waiting_[applied_++ % depth]);
}

void PageTable::apply(const Access& access) {
  if (access.write) {
    apply_write(access.offset, access.length);
  } else {
    apply_read(access.offset, access.length);
  }
}

void PageTable::apply_read(Bytes offset, Bytes length) {
  if (length > followed_max) return long_read_.add(offset, length);
  for_each_entry(offset, length, [](Entry& entry, std::uint64_t begin, std::uint64_t end) {
    entry.read = static_cast<std::uint16_t>(entry.read | ((1u << end) - (1u << begin)));
  });
}

void PageTable::apply_write(Bytes offset, Bytes length) {
  if (length > followed_max) {
    page_writes_ += (offset + length - Bytes{1}) / page_size - offset / page_size + 1;
    return long_written_.add(offset, length);
  }
  for_each_entry(offset, length, [this](Entry& entry, std::uint64_t begin, std::uint64_t end) {
    entry.written = static_cast<std::uint16_t>(entry.written | ((1u << end) - (1u << begin)));
    for (std::uint64_t page = begin; page < end; ++page) {
      ++page_writes_;
      std::uint64_t& last = entry.last_write[page];
      if (last != 0) {
        ++rewrite_distances_[static_cast<std::size_t>(std::bit_width(page_writes_ - last) - 1)];
      }
      last = page_writes_;
    }
  });
}

PageTable::Entry& PageTable::entry(std::uint64_t number) {
  if (entries_ >= slots_.size() / 2) grow();
  Slot& slot = slots_[slot_of(number)];
  if (slot.place == 0) {
    if (entries_ == pieces_.size() * piece_size) pieces_.emplace_back(piece_size, Entry{});
    X25_CHECK(entries_ < ~std::uint32_t{0});
    at(entries_).number = number;
    slot = {number, static_cast<std::uint32_t>(++entries_)};
  }
  return at(slot.place - 1);
}

// Where the search begins.
std::size_t PageTable::first_slot_of(std::uint64_t number) const {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
  return number * golden_ratio >> hash_shift_;
}

// The slot that holds the entry, or is free for it.
std::size_t PageTable::slot_of(std::uint64_t number) const {
  std::size_t slot = first_slot_of(number);
  while (slots_[slot].place != 0 && slots_[slot].number != number) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void PageTable::grow() {
  const std::size_t size = std::max(slots_at_first, 2 * slots_.size());
  HugeArray<Slot> old(size, Slot{});
  std::swap(old, slots_);
  hash_shift_ = 64 - std::countr_zero(size);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].place != 0) slots_[slot_of(old[i].number)] = old[i];
  }
}

PageTable::Footprint PageTable::footprint() const {
  X25_CHECK(applied_ == pushed_);
  const auto pages = [](std::uint32_t bits) {
    return static_cast<std::uint64_t>(std::popcount(bits));
  };
  const bool all_followed = long_read_.size() == 0 && long_written_.size() == 0;
  Footprint footprint;
  if (all_followed) {
    for (std::uint64_t place = 0; place < entries_; ++place) {
      const Entry& entry = at(place);
      footprint.read += pages(entry.read);
      footprint.written += pages(entry.written);
      footprint.touched += pages(entry.read | std::uint32_t{entry.written});
    }
    return footprint;
  }
  PageSet read = long_read_;
  PageSet written = long_written_;
  for (std::uint64_t place = 0; place < entries_; ++place) {
    const Entry& entry = at(place);
    for (std::uint64_t page = 0; page < entry_pages; ++page) {
      const Bytes offset = page_size * (entry.number * entry_pages + page);
      if ((entry.read >> page & 1) != 0) read.add(offset, page_size);
      if ((entry.written >> page & 1) != 0) written.add(offset, page_size);
    }
  }
  footprint = {read.size(), written.size(), 0};
  read.add(written);
  footprint.touched = read.size();
  return footprint;
}

}  // namespace x25sim::trace
