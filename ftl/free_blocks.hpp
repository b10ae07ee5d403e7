// The free superblocks of a pool, in the order in which they are written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ftl/superblocks.hpp"

namespace x25sim::ftl {

// A heap: the block with the lowest rank comes out first, of equals the one that came in first.
class FreeBlocks {
 public:
  struct Entry {
    std::uint64_t arrival;
    std::uint32_t rank;
    SuperblockId block;
  };
  static_assert(sizeof(Entry) == 16);

  void push(SuperblockId block, std::uint32_t rank) {
    heap_.push_back({arrivals_++, rank, block});
    std::push_heap(heap_.begin(), heap_.end(), comes_later);
  }

  // Requires: size() > 0.
  SuperblockId pop() {
    std::pop_heap(heap_.begin(), heap_.end(), comes_later);
    const SuperblockId block = heap_.back().block;
    heap_.pop_back();
    return block;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(heap_.size()); }

  // The entries in the order of the heap, and how many there have been, for saving.
  std::vector<Entry>& entries() { return heap_; }
  const std::vector<Entry>& entries() const { return heap_; }
  std::uint64_t& arrivals() { return arrivals_; }

 private:
  static bool comes_later(const Entry& a, const Entry& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.arrival > b.arrival;
  }

  std::vector<Entry> heap_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace x25sim::ftl
