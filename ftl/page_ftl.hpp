// A page-mapping flash translation layer.
//
// Models: one map entry per logical page; pools of superblocks (of a die or a plane, or of several
// dies) with one or two write frontiers; writes striped over the pools in turn; garbage collection
// by interchangeable policies, all at once, paced with the host's writes, or in idle time; wear
// levelling by the order in which free blocks are used and by moving static data; blocks that wear
// out and are replaced; TRIM. Does not model: map pages on flash, blocks that fail by chance.
//
// It sees no clock: it decides, in the order of the host's writes, which flash operations follow,
// and hands them to a sink. So its state depends on that order alone, whatever executes it.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ftl/config.hpp"
#include "ftl/counters.hpp"
#include "ftl/erase_counts.hpp"
#include "ftl/free_blocks.hpp"
#include "ftl/placement.hpp"
#include "ftl/victim_policy.hpp"
#include "ftl/write_counts.hpp"
#include "nand/array.hpp"
#include "nand/geometry.hpp"
#include "nand/huge_array.hpp"
#include "nand/random.hpp"
#include "nand/state_archive.hpp"

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
  Ppn lookup(Lpn page) const {
    const std::uint32_t number = map_[index(page)];
    return number == no_page_number ? no_page : layout_.superblocks().physical(number);
  }

  // Asks for the map entry of `page` to be brought into the processor's cache.
  void prefetch(Lpn page) const { prefetch_entry(index(page)); }
  // The same for the state that overwriting `page` will touch; its map entry should be there.
  void prefetch_overwrite(Lpn page) const;

  // Writes a whole logical page: first the garbage collection that is due, then the page.
  // `cause` is host, or rmw where the host wrote the page in part.
  template <FlashSink S>
  void write(Lpn page, Cause cause, S& sink);

  // Forgets the data of `count` logical pages from `first` on. Requires: they are on the drive.
  void trim(Lpn first, std::uint64_t count);

  std::uint32_t pools() const { return layout_.pools(); }
  // One step of garbage collection while the drive is idle: copies a page in pool `number`, or
  // erases a victim. Whether there was something to do: there is until the pool has reached the
  // high watermark, or has no victim with an invalid page.
  template <FlashSink S>
  bool collect_idle(std::uint32_t number, S& sink);

  // A block has worn out for which there was no replacement (Config::endurance_cycles). The drive
  // goes on, beyond what it is rated for.
  bool worn_out() const { return worn_out_; }
  // Blocks that can still take the place of worn ones.
  std::uint64_t replacement_blocks() const;

  const Counters& counters() const { return counters_; }
  std::uint32_t erase_count(BlockId block) const {
    return blocks_[index(layout_.superblocks().superblock_of(block))].erase_count;
  }
  WearSummary wear() const;
  SpaceSummary space() const;

  // Checks everything that must hold at any time: the map and its inverse agree, counts of valid
  // pages, free blocks and lists are right, valid + invalid + free = raw. Stops the run otherwise.
  // Takes time proportional to the number of pages.
  void check_invariants() const;
  // The same, and that `array` is in the state that this FTL's operations lead to. Requires: all of
  // them have been performed.
  void check_invariants(const nand::FlashArray& array) const;

  // Hands over the whole state, or takes it. Requires of a state to be loaded: it comes from an FTL
  // of the same geometry, number of logical pages and pools. The policy of garbage collection may
  // have been another.
  void exchange(StateArchive& archive);

  // Memory held by the tables, in bytes.
  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t no_page_number = index(no_page);

  // A superblock that is being written. Without one it counts as full.
  struct Frontier {
    SuperblockId block = no_superblock;
    std::uint32_t page = 0;  // its next page
  };

  struct Pool {
    Pool(std::uint32_t pages, bool by_valid_pages, Random stream)
        : closed(pages, by_valid_pages), random(stream) {}

    ClosedBlocks closed;
    FreeBlocks free;
    Random random;
    std::array<Frontier, 2> frontiers;  // of host and garbage collection; see host_frontier()
    Frontier wear_frontier;             // of static data
    std::uint64_t valid_pages = 0;
    // Garbage collection under way: the victim, the next of its pages to look at, and the pacing:
    // `copies_due` copies spread over `writes_due` host writes.
    SuperblockId victim = no_superblock;
    std::uint32_t victim_page = 0;
    std::uint32_t copies_due = 0;
    std::uint32_t writes_due = 0;
    std::uint32_t credit = 0;
    // Of the blocks in service.
    EraseCounts erase_counts;
    std::vector<SuperblockId> replacements;  // the last one is used first
  };

  // Pools that take the logical pages of one class.
  struct PageClass {
    std::vector<std::uint32_t> stripe;
    std::uint64_t usable_pages = 0;  // of each pool
    std::uint64_t max_valid_pages = 0;
    std::uint64_t valid_pages = 0;  // of all pools
    std::uint64_t position = 0;     // in the stripe
  };

  void prefetch_entry(std::uint32_t logical) const {
    __builtin_prefetch(map_.data() + logical, 1);
    if (config_.write_frontiers == WriteFrontiers::hot_cold) write_counts_.prefetch(logical);
  }
  std::uint32_t class_of(std::uint32_t logical) const {
    return logical < first_class_pages_ ? 0 : 1;
  }
  Pool& choose_pool(PageClass& page_class);
  // The frontier for a page of the host, or of garbage collection.
  Frontier& host_frontier(Pool& pool, std::uint32_t logical);
  Frontier& copy_frontier(Pool& pool, std::uint32_t logical);

  std::uint64_t erased_pages(const Pool& pool) const;
  void close(Pool& pool, Frontier& frontier);
  void open(Pool& pool, Frontier& frontier);
  bool start_collection(Pool& pool, bool only_if_useful);
  template <FlashSink S>
  void collect_for_host(Pool& pool, S& sink);
  template <FlashSink S>
  void collect_share(Pool& pool, S& sink);
  template <FlashSink S>
  void collect_all(Pool& pool, S& sink);
  template <FlashSink S>
  void copy_next(Pool& pool, S& sink);
  template <FlashSink S>
  void finish_victim(Pool& pool, S& sink);
  template <FlashSink S>
  bool level_wear(Pool& pool, SuperblockId worn, S& sink);
  SuperblockId closed_first(const Pool& pool) const;
  template <FlashSink S>
  void append(Pool& pool, Frontier& frontier, std::uint32_t logical, Cause cause, S& sink);
  template <FlashSink S>
  std::uint32_t take(std::uint32_t page, Cause cause, S& sink);
  template <FlashSink S>
  void erase(Pool& pool, SuperblockId block, S& sink);
  bool has_worn_out(SuperblockId block) const {
    return config_.endurance_cycles != 0 && state_of(block).erase_count >= config_.endurance_cycles;
  }
  void release(Pool& pool, SuperblockId block);
  std::uint32_t next_valid(SuperblockId block, std::uint32_t offset) const;
  void invalidate(std::uint32_t page);
  BlockState& state_of(SuperblockId block) { return blocks_[index(block)]; }
  const BlockState& state_of(SuperblockId block) const { return blocks_[index(block)]; }
  std::uint32_t page_number(SuperblockId block, std::uint32_t offset) const {
    return index(block) * pages_ + offset;
  }

  // Validity bits: `words_per_block_` words for each superblock.
  std::uint64_t& valid_word(std::uint32_t block, std::uint32_t offset) {
    return valid_[std::size_t{block} * words_per_block_ + offset / 64];
  }
  const std::uint64_t& valid_word(std::uint32_t block, std::uint32_t offset) const {
    return valid_[std::size_t{block} * words_per_block_ + offset / 64];
  }
  static constexpr std::uint64_t bit(std::uint32_t page) { return std::uint64_t{1} << (page % 64); }

  std::vector<SuperblockId> blocks_used(std::uint32_t pool) const;
  void check_pool(const Pool& pool, std::uint32_t number, std::vector<bool>& seen) const;
  void exchange_pool(StateArchive& archive, Pool& pool);
  void rebuild_inverse(StateArchive& archive);

  nand::Geometry geometry_;
  Config config_;
  PoolLayout layout_;
  std::unique_ptr<const VictimPolicy> policy_;
  std::uint32_t pages_;  // of a superblock
  std::uint32_t words_per_block_;
  std::uint64_t low_watermark_;  // erased pages at which garbage collection begins
  std::uint64_t high_watermark_;
  std::uint64_t first_class_pages_;
  HugeArray<std::uint32_t> map_;         // page number of each logical page
  HugeArray<std::uint32_t> logical_of_;  // logical page last programmed into each page
  HugeArray<std::uint64_t> valid_;
  HugeArray<BlockState> blocks_;
  WriteCounts write_counts_;  // of hot_cold
  std::vector<Pool> pools_;
  std::vector<PageClass> classes_;
  bool worn_out_ = false;
  Counters counters_;
};

inline void PageFtl::prefetch_overwrite(Lpn page) const {
  const std::uint32_t number = map_[index(page)];
  if (number == no_page_number) return;
  const std::uint32_t block = number / pages_;
  __builtin_prefetch(&blocks_[block], 1);
  __builtin_prefetch(&valid_word(block, number % pages_), 1);
}

inline void PageFtl::invalidate(std::uint32_t page) {
  const std::uint32_t block = page / pages_;
  const std::uint32_t offset = page - block * pages_;
  valid_word(block, offset) &= ~bit(offset);
  BlockState& state = blocks_[block];
  Pool& pool = pools_[state.pool];
  --pool.valid_pages;
  --classes_[layout_.class_of(state.pool)].valid_pages;
  const std::uint32_t valid_before = state.valid_pages--;
  if (state.previous != BlockState::unlisted) {
    pool.closed.on_invalidated(blocks_.data(), block, valid_before);
  }
}

// The next pool in striping order that has room to take a page. Pools with less than half the mean
// spare space are passed over, so that cold data which always falls to the same turn cannot choke
// one pool while others have space to spare.
inline PageFtl::Pool& PageFtl::choose_pool(PageClass& page_class) {
  const std::uint64_t pools = page_class.stripe.size();
  for (;;) {
    Pool& pool = pools_[page_class.stripe[page_class.position]];
    if (++page_class.position == pools) page_class.position = 0;
    const bool enough_spare =
        2 * pool.valid_pages * pools <= page_class.usable_pages * pools + page_class.valid_pages;
    // The pool with the fewest valid pages always passes both tests: the search ends.
    if (enough_spare && pool.valid_pages < page_class.max_valid_pages) return pool;
  }
}

inline PageFtl::Frontier& PageFtl::host_frontier(Pool& pool, std::uint32_t logical) {
  const bool cold =
      config_.write_frontiers == WriteFrontiers::hot_cold && !write_counts_.is_hot(logical);
  return pool.frontiers[cold ? 1 : 0];
}

inline PageFtl::Frontier& PageFtl::copy_frontier(Pool& pool, std::uint32_t logical) {
  return config_.write_frontiers == WriteFrontiers::two ? pool.frontiers[1]
                                                        : host_frontier(pool, logical);
}

// Pages of the pool that host and garbage collection can still program.
inline std::uint64_t PageFtl::erased_pages(const Pool& pool) const {
  std::uint64_t pages = std::uint64_t{pool.free.size()} * pages_;
  for (const Frontier& frontier : pool.frontiers) pages += pages_ - frontier.page;
  return pages;
}

template <FlashSink S>
void PageFtl::append(Pool& pool, Frontier& frontier, std::uint32_t logical, Cause cause, S& sink) {
  if (frontier.page == pages_) open(pool, frontier);
  const std::uint32_t offset = frontier.page++;
  const std::uint32_t block = index(frontier.block);
  const std::uint32_t page = page_number(frontier.block, offset);
  map_[logical] = page;
  logical_of_[page] = logical;
  valid_word(block, offset) |= bit(offset);
  ++blocks_[block].valid_pages;
  ++pool.valid_pages;
  ++classes_[class_of(logical)].valid_pages;
  ++counters_.programs[static_cast<std::size_t>(cause)];
  sink.program(layout_.superblocks().physical(page), cause);
}

// Reads a valid page to be programmed elsewhere; the logical page that it holds.
template <FlashSink S>
std::uint32_t PageFtl::take(std::uint32_t page, Cause cause, S& sink) {
  ++counters_.reads[static_cast<std::size_t>(cause)];
  sink.read(layout_.superblocks().physical(page), cause);
  invalidate(page);
  return logical_of_[page];
}

template <FlashSink S>
void PageFtl::erase(Pool& pool, SuperblockId block, S& sink) {
  const std::uint32_t blocks = layout_.superblocks().blocks_of_each();
  pool.erase_counts.erase(state_of(block).erase_count++);
  counters_.erases += blocks;
  for (std::uint32_t way = 0; way < blocks; ++way) {
    sink.erase(layout_.superblocks().block(block, way));
  }
}

// Copies the victim's next valid page. Requires: there is one.
template <FlashSink S>
void PageFtl::copy_next(Pool& pool, S& sink) {
  pool.victim_page = next_valid(pool.victim, pool.victim_page);
  const std::uint32_t logical = take(page_number(pool.victim, pool.victim_page), Cause::gc, sink);
  append(pool, copy_frontier(pool, logical), logical, Cause::gc, sink);
}

template <FlashSink S>
void PageFtl::finish_victim(Pool& pool, S& sink) {
  const SuperblockId victim = std::exchange(pool.victim, no_superblock);
  erase(pool, victim, sink);
  ++counters_.gc_runs;
  const bool levels = config_.wear_leveling == WearLeveling::static_ && !has_worn_out(victim);
  if (levels && level_wear(pool, victim, sink)) return;
  release(pool, victim);
}

// Moves the data of the block that was closed first to the wear frontier if the block just erased,
// `worn`, has been erased `wear_threshold` times more often. Whether `worn` was used for them. Data
// that change are never in the block closed first for long: so those moved are static, and stay
// apart from data that change.
template <FlashSink S>
bool PageFtl::level_wear(Pool& pool, SuperblockId worn, S& sink) {
  const std::uint64_t count = state_of(worn).erase_count;
  if (count < std::uint64_t{pool.erase_counts.least()} + config_.wear_threshold) return false;
  const SuperblockId source = closed_first(pool);
  if (source == no_superblock) return false;
  if (count < std::uint64_t{state_of(source).erase_count} + config_.wear_threshold) return false;
  pool.closed.remove(blocks_.data(), index(source));
  ++counters_.wear_runs;
  bool used = false;
  for (std::uint32_t offset = 0; state_of(source).valid_pages > 0; ++offset) {
    offset = next_valid(source, offset);
    if (pool.wear_frontier.page == pages_) {
      pool.wear_frontier = {worn, 0};
      used = true;
    }
    const std::uint32_t logical = take(page_number(source, offset), Cause::wear, sink);
    append(pool, pool.wear_frontier, logical, Cause::wear, sink);
    // Closed at once, as a full block may be cleaned like any other.
    if (pool.wear_frontier.page == pages_) close(pool, pool.wear_frontier);
  }
  erase(pool, source, sink);
  release(pool, source);
  return used;
}

// Paced: the victim's copies keep step with the host's pages.
template <FlashSink S>
void PageFtl::collect_share(Pool& pool, S& sink) {
  pool.credit += pool.copies_due;
  while (pool.credit >= pool.writes_due && state_of(pool.victim).valid_pages > 0) {
    copy_next(pool, sink);
    pool.credit -= pool.writes_due;
  }
  if (state_of(pool.victim).valid_pages == 0) finish_victim(pool, sink);
}

template <FlashSink S>
void PageFtl::collect_all(Pool& pool, S& sink) {
  while (state_of(pool.victim).valid_pages > 0) copy_next(pool, sink);
  finish_victim(pool, sink);
}

// The garbage collection that is due before the next page of the host.
template <FlashSink S>
void PageFtl::collect_for_host(Pool& pool, S& sink) {
  if (config_.gc_pacing == GcPacing::paced) {
    while (pool.victim == no_superblock && erased_pages(pool) <= low_watermark_) {
      start_collection(pool, false);
      // A victim without invalid pages gives nothing back: another one is needed.
      if (pool.writes_due == 0) collect_all(pool, sink);
    }
    if (pool.victim != no_superblock) collect_share(pool, sink);
    return;
  }
  if (erased_pages(pool) > low_watermark_) return;
  // What idle time is for is not done while the host waits.
  const std::uint64_t goal = config_.gc_pacing == GcPacing::idle ? low_watermark_ : high_watermark_;
  do {
    const bool enough = erased_pages(pool) > low_watermark_;
    if (pool.victim == no_superblock && !start_collection(pool, enough)) return;
    collect_all(pool, sink);
  } while (erased_pages(pool) <= goal);
}

template <FlashSink S>
bool PageFtl::collect_idle(std::uint32_t number, S& sink) {
  Pool& pool = pools_[number];
  if (pool.victim == no_superblock &&
      (erased_pages(pool) > high_watermark_ || !start_collection(pool, true))) {
    return false;
  }
  if (state_of(pool.victim).valid_pages > 0) {
    copy_next(pool, sink);
  } else {
    finish_victim(pool, sink);
  }
  return true;
}

template <FlashSink S>
void PageFtl::write(Lpn page, Cause cause, S& sink) {
  const std::uint32_t logical = index(page);
  if (map_[logical] != no_page_number) {
    invalidate(map_[logical]);
    map_[logical] = no_page_number;
  }
  if (config_.write_frontiers == WriteFrontiers::hot_cold) write_counts_.on_write(logical);
  Pool& pool = choose_pool(classes_[class_of(logical)]);
  Frontier& frontier = host_frontier(pool, logical);
  if (frontier.page == pages_) open(pool, frontier);
  collect_for_host(pool, sink);
  append(pool, frontier, logical, cause, sink);
}

}  // namespace x25sim::ftl
