// The closed blocks of a pool, in the orders that victims are chosen by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ftl/superblocks.hpp"
#include "nand/state_archive.hpp"

namespace x25sim::ftl {

// What the FTL knows of a superblock; where superblocks are single blocks, of a block.
struct BlockState {
  static constexpr std::uint32_t unlisted = 0xffffffff;  // `previous` of a block in no list

  std::uint64_t closed_at = 0;  // host pages that the drive had written
  // Neighbours in the list of closed blocks that it is in.
  std::uint32_t previous = unlisted;
  std::uint32_t next = 0;
  std::uint32_t position = 0;  // of a closed block, in ClosedBlocks::at()
  std::uint32_t erase_count = 0;
  std::uint32_t valid_pages = 0;
  std::uint32_t pool = 0;
};
static_assert(sizeof(BlockState) == 32);

// Closed blocks in doubly linked lists threaded through the block table: either one list for each
// number of valid pages, or one list in the order of closing; and all of them in an array, in no
// order, to draw from. Every operation takes constant time. A list hands out the block that came
// into it first, so that ties rotate over all blocks and none is left unused.
class ClosedBlocks {
 public:
  ClosedBlocks(std::uint32_t pages_per_block, bool by_valid_pages)
      : by_valid_pages_(by_valid_pages),
        lists_(by_valid_pages ? pages_per_block + 1 : 1),
        lowest_(lists_.size()) {}

  static constexpr std::uint32_t end = 0xfffffffe;

  // Adds a block that was just closed. Requires: it is unlisted.
  void add(BlockState* blocks, std::uint32_t block) {
    blocks[block].position = static_cast<std::uint32_t>(all_.size());
    all_.push_back(block);
    link(blocks, block);
  }

  // Takes a block out.
  void remove(BlockState* blocks, std::uint32_t block) {
    unlink(blocks, block, list_of(blocks[block].valid_pages));
    const std::uint32_t last = all_.back();
    all_[blocks[block].position] = last;
    blocks[last].position = blocks[block].position;
    all_.pop_back();
  }

  // A listed block has lost a valid page: it had `valid_before`.
  void on_invalidated(BlockState* blocks, std::uint32_t block, std::uint32_t valid_before) {
    if (!by_valid_pages_) return;
    unlink(blocks, block, lists_[valid_before]);
    link(blocks, block);
  }

  // The block with the fewest valid pages; no_superblock if there is none. Requires: lists by valid
  // pages.
  SuperblockId fewest_valid() const {
    while (lowest_ < lists_.size() && lists_[lowest_].first == end) ++lowest_;
    return lowest_ < lists_.size() ? SuperblockId{lists_[lowest_].first} : no_superblock;
  }

  // First block of the list for `valid` pages, or of the only list.
  std::uint32_t first(std::uint32_t valid) const {
    return lists_[by_valid_pages_ ? valid : 0].first;
  }
  bool by_valid_pages() const { return by_valid_pages_; }

  // Hands over the lists, or takes them; where the policy that made them needed another kind of
  // lists, in the order in which blocks were closed.
  void exchange(StateArchive& archive, BlockState* blocks, std::size_t blocks_max) {
    std::uint8_t by_valid_pages = by_valid_pages_ ? 1 : 0;
    archive.value("bylevel", by_valid_pages);
    archive.vector("closed", all_, blocks_max);
    std::vector<List> lists = lists_;
    archive.vector("lists", lists, 0xffffffff);
    if (!archive.loading()) return;
    lowest_ = 0;
    if ((by_valid_pages != 0) == by_valid_pages_ && lists.size() == lists_.size()) {
      lists_ = std::move(lists);
      return;
    }
    std::vector<std::uint32_t> order = all_;
    std::stable_sort(order.begin(), order.end(), [blocks](std::uint32_t a, std::uint32_t b) {
      return blocks[a].closed_at < blocks[b].closed_at;
    });
    for (const std::uint32_t block : order) link(blocks, block);
  }

  std::size_t size() const { return all_.size(); }
  SuperblockId at(std::size_t i) const { return SuperblockId{all_[i]}; }

 private:
  struct List {
    std::uint32_t first = end;
    std::uint32_t last = end;
  };

  List& list_of(std::uint32_t valid) { return lists_[by_valid_pages_ ? valid : 0]; }

  void link(BlockState* blocks, std::uint32_t block) {
    const std::uint32_t valid = blocks[block].valid_pages;
    List& list = list_of(valid);
    blocks[block].previous = list.last;
    blocks[block].next = end;
    (list.last == end ? list.first : blocks[list.last].next) = block;
    list.last = block;
    if (valid < lowest_) lowest_ = valid;
  }

  static void unlink(BlockState* blocks, std::uint32_t block, List& list) {
    BlockState& state = blocks[block];
    (state.previous == end ? list.first : blocks[state.previous].next) = state.next;
    (state.next == end ? list.last : blocks[state.next].previous) = state.previous;
    state.previous = BlockState::unlisted;
  }

  bool by_valid_pages_;
  std::vector<List> lists_;  // by number of valid pages
  // No list below it holds a block. Moves up only when asked, so it may do so in a const query.
  mutable std::size_t lowest_;
  std::vector<std::uint32_t> all_;
};

}  // namespace x25sim::ftl
