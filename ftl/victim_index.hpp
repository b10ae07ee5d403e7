// The closed blocks of a pool, ordered by how many valid pages they hold.
#pragma once

#include <cstdint>
#include <vector>

#include "nand/ids.hpp"

namespace x25sim::ftl {

// What the FTL knows of a block.
struct BlockState {
  // Neighbours in the list of closed blocks with the same number of valid pages, or in the list of
  // free blocks (then only `next`).
  std::uint32_t previous;
  std::uint32_t next;
  std::uint32_t erase_count;
  std::uint16_t valid_pages;
  std::uint16_t pool;
};
static_assert(sizeof(BlockState) == 16);

// Closed blocks by number of valid pages: one doubly linked list per number, threaded through the
// block table. Every operation takes constant time; a list hands out the block that came into it
// first, so that ties rotate over all blocks and none is left unused.
class VictimIndex {
 public:
  explicit VictimIndex(std::uint32_t pages_per_block)
      : lists_(pages_per_block + 1), lowest_(pages_per_block + 1) {}

  static constexpr std::uint32_t unlisted = 0xffffffff;  // BlockState::previous of other blocks

  // Adds a closed block. Requires: it is unlisted.
  void add(BlockState* blocks, std::uint32_t block) {
    const std::uint32_t valid = blocks[block].valid_pages;
    List& list = lists_[valid];
    blocks[block].previous = list.last;
    blocks[block].next = end;
    (list.last == end ? list.first : blocks[list.last].next) = block;
    list.last = block;
    if (valid < lowest_) lowest_ = valid;
  }

  // Takes a block out; `valid` is the number of valid pages under which it is listed.
  void remove(BlockState* blocks, std::uint32_t block, std::uint32_t valid) {
    List& list = lists_[valid];
    BlockState& state = blocks[block];
    (state.previous == end ? list.first : blocks[state.previous].next) = state.next;
    (state.next == end ? list.last : blocks[state.next].previous) = state.previous;
    state.previous = unlisted;
  }

  // The block with the fewest valid pages: the greedy victim. no_block if there is none.
  BlockId greedy() {
    while (lowest_ < lists_.size() && lists_[lowest_].first == end) ++lowest_;
    return lowest_ < lists_.size() ? BlockId{lists_[lowest_].first} : no_block;
  }

  // First block of the list for `valid` pages and the end marker, for walking in checks.
  std::uint32_t first(std::uint32_t valid) const { return lists_[valid].first; }
  static constexpr std::uint32_t end = 0xfffffffe;

 private:
  struct List {
    std::uint32_t first = end;
    std::uint32_t last = end;
  };

  std::vector<List> lists_;  // by number of valid pages
  std::size_t lowest_;       // no list below it holds a block
};

}  // namespace x25sim::ftl
