#include "ftl/page_ftl.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "nand/check.hpp"

namespace x25sim::ftl {

PageFtl::PageFtl(const nand::Geometry& geometry, const Config& config, std::uint64_t logical_pages,
                 std::uint64_t seed)
    : geometry_(geometry),
      config_(config),
      layout_(geometry, config),
      words_per_block_((geometry.pages_per_block + 63) / 64),
      map_(logical_pages, index(no_page)),
      logical_of_(geometry.pages(), index(no_logical_page)),
      valid_(std::size_t{geometry.blocks()} * words_per_block_, 0),
      blocks_(geometry.blocks(),
              BlockState{ClosedBlocks::unlisted, ClosedBlocks::end, 0, 0, 0, 0, 0}),
      stripe_(layout_.stripe()) {
  X25_CHECK(config.reserved_blocks_per_pool >= 1);
  X25_CHECK(logical_pages > 0);
  X25_CHECK(logical_pages <= max_logical_pages(geometry, config),
            std::to_string(logical_pages) + " logical pages on " +
                std::to_string(geometry.pages()) + " physical ones");
  const PolicyEntry& policy = victim_policy(config.gc_policy);
  pools_.reserve(layout_.pools());
  for (std::uint32_t number = 0; number < layout_.pools(); ++number) {
    Pool& pool =
        pools_.emplace_back(geometry.pages_per_block, policy.by_valid_pages,
                            policy.make(config, random_stream(seed, "ftl.victim", number)));
    pool.frontier_page = geometry.pages_per_block;
    for (const BlockId block : layout_.blocks_of(number)) free_block(pool, block);
  }
  for (std::uint32_t block = 0; block < geometry.blocks(); ++block) {
    blocks_[block].pool = static_cast<std::uint16_t>(layout_.pool_of(BlockId{block}));
  }
}

void PageFtl::free_block(Pool& pool, BlockId block) {
  blocks_[index(block)].next = ClosedBlocks::end;
  (pool.free_last == ClosedBlocks::end ? pool.free_first : blocks_[pool.free_last].next) =
      index(block);
  pool.free_last = index(block);
  ++pool.free_blocks;
}

// Closes the full frontier and opens the block that has been free for longest.
void PageFtl::open_block(Pool& pool) {
  if (pool.frontier != no_block) {
    blocks_[index(pool.frontier)].closed_at = static_cast<std::uint32_t>(counters_.host_pages());
    pool.closed.add(blocks_.data(), index(pool.frontier));
  }
  X25_CHECK(pool.free_blocks > 0);
  pool.frontier = BlockId{pool.free_first};
  pool.frontier_page = 0;
  pool.free_first = blocks_[pool.free_first].next;
  if (pool.free_first == ClosedBlocks::end) pool.free_last = ClosedBlocks::end;
  --pool.free_blocks;
}

// Chooses the victim that will be clean by the time the block just opened is full: its v valid
// pages and pages_per_block - v host pages fill that block exactly.
void PageFtl::start_collection(Pool& pool) {
  X25_CHECK(pool.victim == no_block);
  X25_CHECK(pool.closed.size() > 0);
  pool.victim = pool.policy->choose({blocks_.data(), pool.closed, geometry_.pages_per_block,
                                     static_cast<std::uint32_t>(counters_.host_pages())});
  const BlockState& victim = blocks_[index(pool.victim)];
  pool.closed.remove(blocks_.data(), index(pool.victim));
  pool.victim_page = 0;
  pool.copies_due = victim.valid_pages;
  pool.writes_due = geometry_.pages_per_block - victim.valid_pages;
  pool.credit = 0;
  // The copies will look up these entries in a random order of addresses.
  const std::uint32_t first = index(geometry_.page_at(pool.victim, 0));
  for (std::uint32_t page = 0; page < geometry_.pages_per_block; ++page) {
    const std::uint32_t logical = logical_of_[first + page];
    if (logical != index(no_logical_page)) __builtin_prefetch(map_.data() + logical, 1, 2);
  }
}

void PageFtl::trim(Lpn first, std::uint64_t count) {
  X25_CHECK(index(first) + count <= map_.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t& physical = map_[index(first) + i];
    if (physical == index(no_page)) continue;
    invalidate(physical);
    physical = index(no_page);
    ++counters_.trimmed_pages;
  }
}

WearSummary PageFtl::wear() const {
  WearSummary wear;
  std::uint64_t blocks = 0;
  std::uint64_t sum = 0;
  std::uint64_t sum_of_squares = 0;
  for (std::uint32_t number = 0; number < layout_.pools(); ++number) {
    for (const BlockId block : layout_.blocks_of(number)) {
      const std::uint32_t count = blocks_[index(block)].erase_count;
      wear.min = blocks == 0 ? count : std::min(wear.min, count);
      wear.max = std::max(wear.max, count);
      ++blocks;
      sum += count;
      sum_of_squares += std::uint64_t{count} * count;
    }
  }
  const auto n = static_cast<double>(blocks);
  wear.mean = static_cast<double>(sum) / n;
  wear.stddev =
      std::sqrt(std::max(0.0, static_cast<double>(sum_of_squares) / n - wear.mean * wear.mean));
  return wear;
}

SpaceSummary PageFtl::space() const {
  SpaceSummary space;
  space.raw_pages = geometry_.pages();
  space.gc_pages = std::uint64_t{layout_.pools()} *
                   (layout_.usable_blocks() - config_.reserved_blocks_per_pool) *
                   geometry_.pages_per_block;
  space.user_pages = map_.size();
  space.valid_pages = valid_pages_;
  for (const Pool& pool : pools_) space.free_blocks += pool.free_blocks;
  return space;
}

std::size_t PageFtl::bytes() const {
  return map_.bytes() + logical_of_.bytes() + valid_.bytes() + blocks_.bytes();
}

void PageFtl::check_pool(const Pool& pool, std::uint32_t number, std::vector<bool>& seen) const {
  const auto claim = [&](std::uint32_t block) {
    X25_CHECK(block < blocks_.size() && !seen[block]);
    X25_CHECK(blocks_[block].pool == number);
    seen[block] = true;
  };
  std::uint32_t free_blocks = 0;
  for (std::uint32_t block = pool.free_first; block != ClosedBlocks::end;
       block = blocks_[block].next) {
    claim(block);
    X25_CHECK(blocks_[block].valid_pages == 0);
    X25_CHECK(blocks_[block].previous == ClosedBlocks::unlisted);
    ++free_blocks;
  }
  X25_CHECK(free_blocks == pool.free_blocks);
  std::uint64_t valid = 0;
  std::uint32_t closed = 0;
  const std::uint32_t lists = pool.closed.by_valid_pages() ? geometry_.pages_per_block + 1 : 1;
  for (std::uint32_t list = 0; list < lists; ++list) {
    for (std::uint32_t block = pool.closed.first(list); block != ClosedBlocks::end;
         block = blocks_[block].next) {
      claim(block);
      X25_CHECK(!pool.closed.by_valid_pages() || blocks_[block].valid_pages == list);
      X25_CHECK(pool.closed.at(blocks_[block].position) == BlockId{block});
      valid += blocks_[block].valid_pages;
      ++closed;
    }
  }
  X25_CHECK(closed == pool.closed.size());
  std::uint32_t others = 0;
  for (const BlockId block : {pool.frontier, pool.victim}) {
    if (block == no_block) continue;
    claim(index(block));
    X25_CHECK(blocks_[index(block)].previous == ClosedBlocks::unlisted);
    valid += blocks_[index(block)].valid_pages;
    ++others;
  }
  X25_CHECK(valid == pool.valid_pages);
  X25_CHECK(valid <= layout_.max_valid_pages());
  X25_CHECK(free_blocks + closed + others == layout_.usable_blocks());
}

void PageFtl::check_invariants() const {
  std::uint64_t mapped = 0;
  for (std::size_t logical = 0; logical < map_.size(); ++logical) {
    if (map_[logical] == index(no_page)) continue;
    ++mapped;
    const Ppn page{map_[logical]};
    X25_CHECK(logical_of_[index(page)] == logical, geometry_.name(page));
    const std::uint32_t offset = geometry_.page_in_block(page);
    X25_CHECK(valid_word(geometry_.block_of(page), offset) & bit(offset), geometry_.name(page));
  }
  std::uint64_t valid_bits = 0;
  for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
    std::uint32_t in_block = 0;
    for (std::uint32_t word = 0; word < words_per_block_; ++word) {
      in_block += static_cast<std::uint32_t>(
          std::popcount(valid_[std::size_t{block} * words_per_block_ + word]));
    }
    X25_CHECK(in_block == blocks_[block].valid_pages, geometry_.name(BlockId{block}));
    valid_bits += in_block;
  }
  X25_CHECK(valid_bits == mapped);
  X25_CHECK(valid_pages_ == mapped);
  std::vector<bool> seen(geometry_.blocks());
  for (std::uint32_t number = 0; number < pools_.size(); ++number) {
    check_pool(pools_[number], number, seen);
  }
}

void PageFtl::check_invariants(const nand::FlashArray& array) const {
  check_invariants();
  std::uint64_t programmed = 0;
  std::uint64_t erases = 0;
  for (std::uint32_t number = 0; number < pools_.size(); ++number) {
    const Pool& pool = pools_[number];
    for (const BlockId block : layout_.blocks_of(number)) {
      X25_CHECK(array.erase_count(block) == blocks_[index(block)].erase_count);
      erases += array.erase_count(block);
      programmed += array.programmed_pages(block);
      if (block == pool.frontier) X25_CHECK(array.programmed_pages(block) == pool.frontier_page);
      if (blocks_[index(block)].previous != ClosedBlocks::unlisted || block == pool.victim) {
        X25_CHECK(array.programmed_pages(block) == geometry_.pages_per_block);
      }
    }
    for (std::uint32_t block = pool.free_first; block != ClosedBlocks::end;
         block = blocks_[block].next) {
      X25_CHECK(array.programmed_pages(BlockId{block}) == 0);
    }
  }
  // Every page programmed since the drive was made is still there or went with an erased block, and
  // only full blocks are erased.
  X25_CHECK(counters_.erases == erases);
  X25_CHECK(counters_.program_total() == programmed + erases * geometry_.pages_per_block);
}

}  // namespace x25sim::ftl
