#include "sim/drive/write_buffer.hpp"

#include "nand/check.hpp"

namespace x25sim::drive {

WriteBuffer::WriteBuffer(std::uint32_t slots, std::uint32_t sectors_per_page)
    : whole_page_(~std::uint64_t{0} >> (64 - sectors_per_page)),
      entries_(slots),
      waiting_(slots),
      index_(slots) {
  X25_CHECK(sectors_per_page >= 1);
  X25_CHECK(sectors_per_page <= 64);
  free_.reserve(slots);
  for (std::uint32_t slot = slots; slot-- > 0;) free_.push_back(slot);
}

void WriteBuffer::reserve(std::uint32_t slots) {
  X25_CHECK(slots <= available());
  reserved_ += slots;
}

bool WriteBuffer::insert(Lpn page, std::uint64_t mask) {
  X25_CHECK(reserved_ > 0);
  X25_CHECK(mask != 0);
  --reserved_;
  const std::uint32_t old = index_.find(page);
  if (old != none && !entries_[old].programming) {
    Entry& entry = entries_[old];
    entry.written |= mask;
    if (entry.written == whole_page_) entry.complete = true;
    return true;
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  // Where the page's previous version is still being programmed, its other sectors are at hand.
  entries_[slot] = {page, mask == whole_page_ || old != none, false, mask};
  index_.set(page, slot);
  waiting_.push(slot);
  return false;
}

std::uint32_t WriteBuffer::take_run(std::uint32_t max_pages, std::vector<std::uint32_t>& run) {
  std::uint32_t count = 0;
  while (count < max_pages && !waiting_.empty()) {
    const std::uint32_t next = waiting_.front();
    if (count > 0 && index(page(next)) != index(page(run.back())) + 1) break;
    run.push_back(waiting_.pop());
    ++count;
  }
  return count;
}

void WriteBuffer::begin_program(std::uint32_t slot) {
  X25_CHECK(entries_[slot].complete);
  entries_[slot].programming = true;
}

void WriteBuffer::release(std::uint32_t slot) {
  X25_CHECK(entries_[slot].programming);
  if (index_.find(entries_[slot].page) == slot) index_.erase(entries_[slot].page);
  entries_[slot] = {};
  free_.push_back(slot);
}

}  // namespace x25sim::drive
