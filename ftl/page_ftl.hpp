// A page-mapping flash translation layer.
//
// Models: one map entry per logical page; pools of blocks (a die or a plane each) with one write
// frontier that takes host pages and garbage-collected pages alike; writes striped over the pools
// in turn; garbage collection by interchangeable policies, all at once or paced with the host's
// writes; TRIM; a share of the blocks kept for the firmware. Does not model: map pages on flash,
// bad blocks, wear levelling beyond the rotation of free blocks.
//
// It sees no clock: it decides, in the order of the host's writes, which flash operations follow,
// and hands them to a sink. So its state depends on that order alone, whatever executes it.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ftl/config.hpp"
#include "ftl/counters.hpp"
#include "ftl/placement.hpp"
#include "ftl/victim_policy.hpp"
#include "nand/array.hpp"
#include "nand/geometry.hpp"
#include "nand/huge_array.hpp"

namespace x25sim::ftl {

// Takes the FTL's flash operations. Operations on one die must be performed in the order in which
// they are handed over.
template <typename S>
concept FlashSink = requires(S sink, Ppn page, BlockId block, Cause cause) {
  { sink.read(page, cause) } -> std::same_as<void>;
  { sink.program(page, cause) } -> std::same_as<void>;
  { sink.erase(block) } -> std::same_as<void>;
};

class PageFtl {
 public:
  // Requires: 0 < logical_pages <= max_logical_pages(geometry, config).
  // `seed`: of the random choices of policies that make some.
  PageFtl(const nand::Geometry& geometry, const Config& config, std::uint64_t logical_pages,
          std::uint64_t seed = 1);

  std::uint64_t logical_pages() const { return map_.size(); }

  // Where a logical page's data lie; no_page if it was never written, or was trimmed.
  Ppn lookup(Lpn page) const { return Ppn{map_[index(page)]}; }

  // Asks for the map entry of `page` to be brought into the processor's cache.
  void prefetch(Lpn page) const { __builtin_prefetch(map_.data() + index(page), 1); }
  // The same for the state that overwriting `page` will touch; its map entry should be there.
  void prefetch_overwrite(Lpn page) const;

  // Writes a whole logical page: first the garbage collection that is due, then the page.
  // `cause` is host, or rmw where the host wrote the page in part.
  template <FlashSink S>
  void write(Lpn page, Cause cause, S& sink);

  // Forgets the data of `count` logical pages from `first` on. Requires: they are on the drive.
  void trim(Lpn first, std::uint64_t count);

  const Counters& counters() const { return counters_; }
  std::uint32_t erase_count(BlockId block) const { return blocks_[index(block)].erase_count; }
  WearSummary wear() const;
  SpaceSummary space() const;

  // Checks everything that must hold at any time: the map and its inverse agree, counts of valid
  // pages, free blocks and lists are right, valid + invalid + free = raw. Stops the run otherwise.
  // Takes time proportional to the number of pages.
  void check_invariants() const;
  // The same, and that `array` is in the state that this FTL's operations lead to. Requires: all of
  // them have been performed.
  void check_invariants(const nand::FlashArray& array) const;

  // Memory held by the tables, in bytes.
  std::size_t bytes() const;

 private:
  struct Pool {
    Pool(std::uint32_t pages_per_block, bool by_valid_pages, std::unique_ptr<VictimPolicy> chooser)
        : closed(pages_per_block, by_valid_pages), policy(std::move(chooser)) {}

    ClosedBlocks closed;
    std::unique_ptr<VictimPolicy> policy;
    BlockId frontier = no_block;                   // the block that is written now
    std::uint32_t frontier_page = 0;               // its next page
    std::uint32_t free_first = ClosedBlocks::end;  // free blocks, first freed first used
    std::uint32_t free_last = ClosedBlocks::end;
    std::uint32_t free_blocks = 0;
    std::uint64_t valid_pages = 0;
    // Garbage collection under way: the victim, the next of its pages to look at, and the pacing:
    // `copies_due` copies spread over `writes_due` host writes.
    BlockId victim = no_block;
    std::uint32_t victim_page = 0;
    std::uint32_t copies_due = 0;
    std::uint32_t writes_due = 0;
    std::uint32_t credit = 0;
  };

  Pool& choose_pool();
  void open_block(Pool& pool);
  void start_collection(Pool& pool);
  template <FlashSink S>
  void collect(Pool& pool, bool whole_victim, S& sink);
  template <FlashSink S>
  bool copy_next(Pool& pool, S& sink);
  template <FlashSink S>
  void erase_victim(Pool& pool, S& sink);
  template <FlashSink S>
  void append(Pool& pool, std::uint32_t logical, Cause cause, S& sink);
  void invalidate(std::uint32_t page);
  void free_block(Pool& pool, BlockId block);

  // Validity bits: `words_per_block_` words for each block.
  std::uint64_t& valid_word(BlockId block, std::uint32_t page) {
    return valid_[std::size_t{index(block)} * words_per_block_ + page / 64];
  }
  const std::uint64_t& valid_word(BlockId block, std::uint32_t page) const {
    return valid_[std::size_t{index(block)} * words_per_block_ + page / 64];
  }
  static constexpr std::uint64_t bit(std::uint32_t page) { return std::uint64_t{1} << (page % 64); }

  void check_pool(const Pool& pool, std::uint32_t number, std::vector<bool>& seen) const;

  nand::Geometry geometry_;
  Config config_;
  PoolLayout layout_;
  std::uint32_t words_per_block_;
  HugeArray<std::uint32_t> map_;         // physical page of each logical page
  HugeArray<std::uint32_t> logical_of_;  // logical page last programmed into each physical page
  HugeArray<std::uint64_t> valid_;
  HugeArray<BlockState> blocks_;
  std::vector<Pool> pools_;
  std::vector<std::uint32_t> stripe_;
  std::size_t stripe_position_ = 0;
  std::uint64_t valid_pages_ = 0;
  Counters counters_;
};

inline void PageFtl::prefetch_overwrite(Lpn page) const {
  const std::uint32_t physical = map_[index(page)];
  if (physical == index(no_page)) return;
  const std::uint32_t block = physical / geometry_.pages_per_block;
  __builtin_prefetch(&blocks_[block], 1);
  __builtin_prefetch(&valid_word(BlockId{block}, physical % geometry_.pages_per_block), 1);
}

inline void PageFtl::invalidate(std::uint32_t page) {
  const BlockId block = geometry_.block_of(Ppn{page});
  const std::uint32_t offset = page - index(block) * geometry_.pages_per_block;
  valid_word(block, offset) &= ~bit(offset);
  BlockState& state = blocks_[index(block)];
  Pool& pool = pools_[state.pool];
  --pool.valid_pages;
  --valid_pages_;
  const std::uint32_t valid_before = state.valid_pages--;
  if (state.previous != ClosedBlocks::unlisted) {
    pool.closed.on_invalidated(blocks_.data(), index(block), valid_before);
  }
}

// The next pool in striping order that has room to take a page. Pools with less than half the mean
// spare space are passed over, so that cold data which always falls to the same turn cannot choke
// one pool while others have space to spare.
inline PageFtl::Pool& PageFtl::choose_pool() {
  const std::uint64_t usable = std::uint64_t{layout_.usable_blocks()} * geometry_.pages_per_block;
  for (;;) {
    Pool& pool = pools_[stripe_[stripe_position_]];
    if (++stripe_position_ == stripe_.size()) stripe_position_ = 0;
    const bool enough_spare =
        2 * pool.valid_pages * pools_.size() <= usable * pools_.size() + valid_pages_;
    // The pool with the fewest valid pages always passes both tests: the search ends.
    if (enough_spare && pool.valid_pages < layout_.max_valid_pages()) return pool;
  }
}

template <FlashSink S>
void PageFtl::append(Pool& pool, std::uint32_t logical, Cause cause, S& sink) {
  const std::uint32_t offset = pool.frontier_page++;
  const Ppn page = geometry_.page_at(pool.frontier, offset);
  map_[logical] = index(page);
  logical_of_[index(page)] = logical;
  valid_word(pool.frontier, offset) |= bit(offset);
  ++blocks_[index(pool.frontier)].valid_pages;
  ++pool.valid_pages;
  ++valid_pages_;
  ++counters_.programs[static_cast<std::size_t>(cause)];
  sink.program(page, cause);
}

template <FlashSink S>
void PageFtl::erase_victim(Pool& pool, S& sink) {
  const BlockId victim = pool.victim;
  pool.victim = no_block;
  ++blocks_[index(victim)].erase_count;
  ++counters_.erases;
  ++counters_.gc_runs;
  free_block(pool, victim);
  sink.erase(victim);
}

// Copies the victim's next valid page to the frontier; false if it holds none any more.
template <FlashSink S>
bool PageFtl::copy_next(Pool& pool, S& sink) {
  if (blocks_[index(pool.victim)].valid_pages == 0) return false;
  const std::uint64_t* words = &valid_[std::size_t{index(pool.victim)} * words_per_block_];
  std::uint32_t word = pool.victim_page / 64;
  std::uint64_t bits = words[word] & (~std::uint64_t{0} << (pool.victim_page % 64));
  while (bits == 0) bits = words[++word];
  const std::uint32_t offset = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  pool.victim_page = offset;
  const Ppn source = geometry_.page_at(pool.victim, offset);
  const std::uint32_t logical = logical_of_[index(source)];
  ++counters_.reads[static_cast<std::size_t>(Cause::gc)];
  sink.read(source, Cause::gc);
  invalidate(index(source));
  append(pool, logical, Cause::gc, sink);
  return true;
}

template <FlashSink S>
void PageFtl::collect(Pool& pool, bool whole_victim, S& sink) {
  pool.credit += pool.copies_due;
  while (whole_victim || pool.credit >= pool.writes_due) {
    if (!copy_next(pool, sink)) break;
    pool.credit -= whole_victim ? 0 : pool.writes_due;
  }
  if (blocks_[index(pool.victim)].valid_pages == 0) erase_victim(pool, sink);
}

template <FlashSink S>
void PageFtl::write(Lpn page, Cause cause, S& sink) {
  const std::uint32_t logical = index(page);
  if (map_[logical] != index(no_page)) {
    invalidate(map_[logical]);
    map_[logical] = index(no_page);
  }
  Pool& pool = choose_pool();
  // More than once only where a policy chooses a victim without invalid pages: cleaning it fills
  // the block just opened.
  while (pool.frontier_page == geometry_.pages_per_block) {
    open_block(pool);
    if (pool.free_blocks < config_.reserved_blocks_per_pool) start_collection(pool);
    if (pool.victim != no_block && pool.writes_due == 0) collect(pool, true, sink);
  }
  if (pool.victim != no_block) collect(pool, config_.gc_pacing == GcPacing::blocking, sink);
  append(pool, logical, cause, sink);
}

}  // namespace x25sim::ftl
