#include "sim/drive/read_ahead.hpp"

#include <algorithm>

#include "nand/check.hpp"

namespace x25sim::drive {

ReadAhead::ReadAhead(std::uint32_t streams, std::uint32_t pages)
    : pages_ahead_(pages),
      streams_(pages == 0 ? 0 : streams),
      slots_(std::size_t{streams} * pages),
      index_(streams * pages) {}

ReadAhead::Range ReadAhead::on_read(std::uint64_t first_sector, std::uint64_t end_sector,
                                    std::uint32_t end_page) {
  if (streams_.empty()) return {};
  ++reads_;
  Stream* oldest = streams_.data();
  for (Stream& stream : streams_) {
    if (stream.next_sector == first_sector) {
      stream.next_sector = end_sector;
      stream.used = reads_;
      const std::uint32_t first = std::max(end_page, stream.read_to);
      stream.read_to = std::max(first, end_page + pages_ahead_);
      return {first, stream.read_to};
    }
    if (stream.used < oldest->used) oldest = &stream;
  }
  *oldest = {end_sector, end_page, reads_};
  return {};
}

ReadAhead::Claim ReadAhead::claim(Lpn page, std::uint16_t owner, std::uint32_t position) {
  const std::uint32_t number = index_.find(page);
  if (number == PageIndex::none) return Claim::absent;
  index_.erase(page);
  Slot& slot = slots_[number];
  if (slot.state == State::present) {
    slot.state = State::unused;
    return Claim::present;
  }
  slot.state = State::claimed;
  slot.waiter = {owner, position};
  return Claim::arriving;
}

std::optional<std::uint16_t> ReadAhead::allocate(Lpn page) {
  Slot& slot = slots_[next_slot_];
  if (slot.state != State::unused && slot.state != State::present) {
    // The stream that on_read() has just found continued goes on from here with its next read.
    for (Stream& stream : streams_) {
      if (stream.used == reads_) stream.read_to = index(page);
    }
    return {};
  }
  if (slot.state == State::present) index_.erase(slot.page);
  slot = {page, State::arriving, {}};
  index_.set(page, next_slot_);
  const auto number = static_cast<std::uint16_t>(next_slot_);
  next_slot_ = next_slot_ + 1 == slots_.size() ? 0 : next_slot_ + 1;
  return number;
}

std::optional<ReadAhead::Waiter> ReadAhead::arrived(std::uint16_t number) {
  Slot& slot = slots_[number];
  switch (slot.state) {
    case State::arriving: slot.state = State::present; return {};
    case State::stale: slot.state = State::unused; return {};
    case State::claimed: slot.state = State::unused; return slot.waiter;
    case State::unused:
    case State::present: break;
  }
  X25_CHECK(false, "a page arrived that was not read");
  return {};
}

void ReadAhead::discard(std::uint32_t number) {
  Slot& slot = slots_[number];
  slot.state = slot.state == State::present ? State::unused : State::stale;
}

void ReadAhead::invalidate(Lpn page) {
  const std::uint32_t number = index_.find(page);
  if (number == PageIndex::none) return;
  index_.erase(page);
  discard(number);
}

void ReadAhead::invalidate_all() {
  for (Slot& slot : slots_) {
    if (slot.state == State::arriving || slot.state == State::present) invalidate(slot.page);
  }
}

}  // namespace x25sim::drive
