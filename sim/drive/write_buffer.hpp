// The write buffer: host data between their acknowledgement and their program.
//
// Models: slots of one page; a page is held until its program is complete; sectors that the host
// wrote are tracked, so that neighbours merge before a partly written page has to be completed from
// flash. Does not model: the data themselves, power loss.
#pragma once

#include <cstdint>
#include <vector>

#include "ftl/counters.hpp"
#include "nand/ids.hpp"
#include "sim/drive/page_index.hpp"
#include "sim/drive/ring.hpp"

namespace x25sim::drive {

class WriteBuffer {
 public:
  static constexpr std::uint32_t none = PageIndex::none;

  // `slots` pages of `sectors_per_page` sectors (at most 64).
  WriteBuffer(std::uint32_t slots, std::uint32_t sectors_per_page);

  // Slots that are neither in use nor reserved.
  std::uint32_t available() const { return static_cast<std::uint32_t>(free_.size()) - reserved_; }
  bool empty() const { return free_.size() == entries_.size() && reserved_ == 0; }

  // Keeps `slots` free for data that are on their way. Requires: available() >= slots.
  void reserve(std::uint32_t slots);

  // Stores the sectors `mask` of `page` into one reserved slot, or into the slot that the page has,
  // if that one has not been handed to flash; the reserved slot is then given back. Returns whether
  // they merged.
  bool insert(Lpn page, std::uint64_t mask);

  // The newest data of `page`: its slot, or none.
  std::uint32_t find(Lpn page) const { return index_.find(page); }

  // Whether the slot holds all sectors of `mask`.
  bool covers(std::uint32_t slot, std::uint64_t mask) const {
    return entries_[slot].complete || (mask & ~entries_[slot].written) == 0;
  }

  // Takes the oldest waiting page and those waiting right behind it that continue it, up to
  // `max_pages`, for the firmware to work on; returns how many slots were appended to `run`.
  std::uint32_t take_run(std::uint32_t max_pages, std::vector<std::uint32_t>& run);
  bool has_waiting() const { return !waiting_.empty(); }

  Lpn page(std::uint32_t slot) const { return entries_[slot].page; }
  // Whether every sector of the page is there, from the host or from flash.
  bool is_complete(std::uint32_t slot) const { return entries_[slot].complete; }
  // The sectors that the host did not write have arrived, or read as zeros.
  void complete(std::uint32_t slot) { entries_[slot].complete = true; }
  // What the page's program counts as.
  ftl::Cause cause(std::uint32_t slot) const {
    return entries_[slot].written == whole_page_ ? ftl::Cause::host : ftl::Cause::rmw;
  }

  // The page is handed to flash: later writes of it take another slot.
  void begin_program(std::uint32_t slot);
  // Its program is complete.
  void release(std::uint32_t slot);

 private:
  struct Entry {
    Lpn page = no_logical_page;
    bool complete = false;
    bool programming = false;
    std::uint64_t written = 0;  // sectors that the host wrote
  };

  std::uint64_t whole_page_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  Ring<std::uint32_t> waiting_;  // slots whose pages the firmware has not taken yet
  PageIndex index_;
  std::uint32_t reserved_ = 0;
};

}  // namespace x25sim::drive
