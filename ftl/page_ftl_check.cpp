// What must hold of an FTL's state at any time.
#include <string>

#include "ftl/page_ftl.hpp"
#include "nand/check.hpp"

namespace x25sim::ftl {

void PageFtl::check_pool(const Pool& pool, std::uint32_t number, std::vector<bool>& seen) const {
  std::uint32_t blocks = 0;
  std::uint64_t valid = 0;
  const auto claim = [&](SuperblockId block) {
    X25_CHECK(index(block) < blocks_.size() && !seen[index(block)]);
    X25_CHECK(state_of(block).pool == number);
    seen[index(block)] = true;
    valid += state_of(block).valid_pages;
    ++blocks;
  };
  for (const FreeBlocks::Entry& entry : pool.free.entries()) {
    claim(entry.block);
    X25_CHECK(state_of(entry.block).valid_pages == 0);
    X25_CHECK(state_of(entry.block).previous == BlockState::unlisted);
  }
  std::uint32_t closed = 0;
  const std::uint32_t lists = pool.closed.by_valid_pages() ? pages_ + 1 : 1;
  for (std::uint32_t list = 0; list < lists; ++list) {
    for (std::uint32_t block = pool.closed.first(list); block != ClosedBlocks::end;
         block = blocks_[block].next) {
      claim(SuperblockId{block});
      X25_CHECK(!pool.closed.by_valid_pages() || blocks_[block].valid_pages == list);
      X25_CHECK(pool.closed.at(blocks_[block].position) == SuperblockId{block});
      ++closed;
    }
  }
  X25_CHECK(closed == pool.closed.size());
  for (const SuperblockId block :
       {pool.frontiers[0].block, pool.frontiers[1].block, pool.wear_frontier.block, pool.victim}) {
    if (block == no_superblock) continue;
    claim(block);
    X25_CHECK(state_of(block).previous == BlockState::unlisted);
  }
  for (const Frontier& frontier : {pool.frontiers[0], pool.frontiers[1], pool.wear_frontier}) {
    X25_CHECK(frontier.page <= pages_);
    X25_CHECK(frontier.block != no_superblock || frontier.page == pages_);
  }
  const std::uint32_t page_class = layout_.class_of(number);
  X25_CHECK(valid == pool.valid_pages);
  X25_CHECK(valid <= layout_.max_valid_pages(page_class));
  X25_CHECK(blocks == layout_.usable_blocks(page_class));
}

void PageFtl::check_invariants() const {
  std::vector<std::uint64_t> mapped(classes_.size());
  for (std::size_t logical = 0; logical < map_.size(); ++logical) {
    const std::uint32_t page = map_[logical];
    if (page == no_page_number) continue;
    const std::uint32_t page_class = class_of(static_cast<std::uint32_t>(logical));
    ++mapped[page_class];
    const std::string name = geometry_.name(layout_.superblocks().physical(page));
    X25_CHECK(logical_of_[page] == logical, name);
    X25_CHECK(valid_word(page / pages_, page % pages_) & bit(page % pages_), name);
    X25_CHECK(layout_.class_of(blocks_[page / pages_].pool) == page_class, name);
  }
  std::uint64_t valid_bits = 0;
  for (std::uint32_t block = 0; block < blocks_.size(); ++block) {
    std::uint32_t in_block = 0;
    for (std::uint32_t word = 0; word < words_per_block_; ++word) {
      in_block += static_cast<std::uint32_t>(
          std::popcount(valid_[std::size_t{block} * words_per_block_ + word]));
    }
    X25_CHECK(in_block == blocks_[block].valid_pages,
              geometry_.name(layout_.superblocks().block(SuperblockId{block}, 0)));
    valid_bits += in_block;
  }
  std::uint64_t mapped_pages = 0;
  for (std::size_t page_class = 0; page_class < classes_.size(); ++page_class) {
    X25_CHECK(classes_[page_class].valid_pages == mapped[page_class]);
    mapped_pages += mapped[page_class];
  }
  X25_CHECK(valid_bits == mapped_pages);
  std::vector<bool> seen(blocks_.size());
  for (std::uint32_t number = 0; number < pools_.size(); ++number) {
    check_pool(pools_[number], number, seen);
  }
}

void PageFtl::check_invariants(const nand::FlashArray& array) const {
  check_invariants();
  const Superblocks& superblocks = layout_.superblocks();
  // Pages of the superblock's blocks that are programmed, and that they are erased alike.
  const auto programmed_pages = [&](SuperblockId block) {
    std::uint32_t programmed = 0;
    for (std::uint32_t way = 0; way < superblocks.blocks_of_each(); ++way) {
      const BlockId part = superblocks.block(block, way);
      X25_CHECK(array.erase_count(part) == state_of(block).erase_count);
      programmed += array.programmed_pages(part);
    }
    return programmed;
  };
  std::uint64_t programmed = 0;
  std::uint64_t erases = 0;
  for (std::uint32_t number = 0; number < pools_.size(); ++number) {
    const Pool& pool = pools_[number];
    for (const SuperblockId block : blocks_used(number)) {
      const std::uint32_t pages = programmed_pages(block);
      programmed += pages;
      erases += std::uint64_t{state_of(block).erase_count} * superblocks.blocks_of_each();
      const bool closed = state_of(block).previous != BlockState::unlisted;
      if (closed || block == pool.victim) X25_CHECK(pages == pages_);
    }
    for (const Frontier& frontier : {pool.frontiers[0], pool.frontiers[1], pool.wear_frontier}) {
      if (frontier.block == no_superblock) continue;
      X25_CHECK(programmed_pages(frontier.block) == frontier.page);
    }
    for (const FreeBlocks::Entry& entry : pool.free.entries()) {
      X25_CHECK(programmed_pages(entry.block) == 0);
    }
  }
  // Every page programmed since the drive was made is still there or went with an erased block, and
  // only full blocks are erased.
  X25_CHECK(counters_.erases == erases);
  X25_CHECK(counters_.program_total() == programmed + erases * geometry_.pages_per_block);
}

}  // namespace x25sim::ftl
