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
      policy_(victim_policy(config.gc_policy).make(config)),
      pages_(layout_.superblocks().pages_of_each()),
      words_per_block_((pages_ + 63) / 64),
      low_watermark_(std::uint64_t{layout_.low_watermark()} * pages_),
      high_watermark_(low_watermark_ + std::uint64_t{config.gc_high_watermark} * pages_),
      first_class_pages_(layout_.pages_of_first_class(logical_pages)),
      map_(logical_pages, no_page_number),
      logical_of_(geometry.pages(), index(no_logical_page)),
      valid_(std::size_t{layout_.superblocks().count()} * words_per_block_, 0),
      blocks_(layout_.superblocks().count(), BlockState{}) {
  X25_CHECK(config.reserved_blocks_per_pool >= 1);
  X25_CHECK(logical_pages > 0);
  X25_CHECK(logical_pages <= max_logical_pages(geometry, config),
            std::to_string(logical_pages) + " logical pages on " +
                std::to_string(geometry.pages()) + " physical ones");
  if (config.write_frontiers == WriteFrontiers::hot_cold) {
    write_counts_ = WriteCounts(map_.size(), config.hot_writes);
  }
  for (std::uint32_t number = 0; number < layout_.classes(); ++number) {
    PageClass& page_class = classes_.emplace_back();
    page_class.stripe = layout_.stripe(number);
    page_class.usable_pages = std::uint64_t{layout_.usable_blocks(number)} * pages_;
    page_class.max_valid_pages = layout_.max_valid_pages(number);
  }
  for (std::uint32_t block = 0; block < blocks_.size(); ++block) {
    blocks_[block].pool = layout_.pool_of(SuperblockId{block});
  }
  const bool by_valid_pages = victim_policy(config.gc_policy).by_valid_pages;
  pools_.reserve(layout_.pools());
  for (std::uint32_t number = 0; number < layout_.pools(); ++number) {
    Pool& pool =
        pools_.emplace_back(pages_, by_valid_pages, random_stream(seed, "ftl.victim", number));
    for (Frontier& frontier : pool.frontiers) frontier.page = pages_;
    pool.wear_frontier.page = pages_;
    for (const SuperblockId block : layout_.blocks_of(number)) {
      pool.erase_counts.add(0);
      release(pool, block);
    }
    pool.replacements = layout_.replacements_of(number);
    std::reverse(pool.replacements.begin(), pool.replacements.end());
  }
}

// Puts an erased superblock among the free ones, or its replacement if it has worn out.
void PageFtl::release(Pool& pool, SuperblockId block) {
  if (has_worn_out(block)) {
    if (pool.replacements.empty()) {
      worn_out_ = true;
    } else {
      pool.erase_counts.remove(state_of(block).erase_count);
      block = pool.replacements.back();
      pool.replacements.pop_back();
      pool.erase_counts.add(state_of(block).erase_count);
      counters_.retired_blocks += layout_.superblocks().blocks_of_each();
    }
  }
  const bool by_wear = config_.wear_leveling != WearLeveling::none;
  pool.free.push(block, by_wear ? state_of(block).erase_count : 0);
}

void PageFtl::close(Pool& pool, Frontier& frontier) {
  state_of(frontier.block).closed_at = counters_.host_pages();
  pool.closed.add(blocks_.data(), index(frontier.block));
  frontier.block = no_superblock;
}

// Opens the next free superblock in place of a full one.
void PageFtl::open(Pool& pool, Frontier& frontier) {
  if (frontier.block != no_superblock) close(pool, frontier);
  X25_CHECK(pool.free.size() > 0);
  frontier = {pool.free.pop(), 0};
}

// Chooses a victim. Its v valid pages and as many host pages as it has invalid ones take exactly
// the space that it gives back, so a paced collection has the one keep step with the other.
// Returns false, and chooses none, if only one with an invalid page is of use and the policy's
// choice is not.
bool PageFtl::start_collection(Pool& pool, bool only_if_useful) {
  X25_CHECK(pool.victim == no_superblock);
  for (Frontier& frontier : pool.frontiers) {
    if (frontier.block != no_superblock && frontier.page == pages_) close(pool, frontier);
  }
  if (only_if_useful && pool.closed.size() == 0) return false;
  X25_CHECK(pool.closed.size() > 0);
  const VictimView view(blocks_.data(), pool.closed, pages_, counters_.host_pages());
  const SuperblockId victim = policy_->choose(view, pool.random);
  const std::uint32_t valid = state_of(victim).valid_pages;
  if (only_if_useful && valid == pages_) return false;
  pool.closed.remove(blocks_.data(), index(victim));
  pool.victim = victim;
  pool.victim_page = 0;
  pool.copies_due = valid;
  pool.writes_due = pages_ - valid;
  pool.credit = 0;
  // The copies will look up these entries in a random order of addresses.
  const std::uint32_t first = page_number(victim, 0);
  for (std::uint32_t offset = 0; offset < pages_; ++offset) {
    const std::uint32_t logical = logical_of_[first + offset];
    if (logical != index(no_logical_page)) prefetch_entry(logical);
  }
  return true;
}

// The first valid page of the superblock from `offset` on. Requires: there is one.
std::uint32_t PageFtl::next_valid(SuperblockId block, std::uint32_t offset) const {
  const std::uint64_t* words = &valid_[std::size_t{index(block)} * words_per_block_];
  std::uint32_t word = offset / 64;
  std::uint64_t bits = words[word] & (~std::uint64_t{0} << (offset % 64));
  while (bits == 0) bits = words[++word];
  return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
}

// The block that was closed first; no_superblock if none is closed. Looks at every block, but is
// only asked when the spread of erase counts has reached the threshold.
SuperblockId PageFtl::closed_first(const Pool& pool) const {
  SuperblockId first = no_superblock;
  for (std::size_t i = 0; i < pool.closed.size(); ++i) {
    const SuperblockId block = pool.closed.at(i);
    const bool earlier =
        first == no_superblock || state_of(block).closed_at < state_of(first).closed_at;
    if (earlier) first = block;
  }
  return first;
}

void PageFtl::trim(Lpn first, std::uint64_t count) {
  X25_CHECK(index(first) + count <= map_.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t& number = map_[index(first) + i];
    if (number == no_page_number) continue;
    invalidate(number);
    number = no_page_number;
    ++counters_.trimmed_pages;
  }
}

// Superblocks of the pool that hold or have held data: those in service, and those worn out.
std::vector<SuperblockId> PageFtl::blocks_used(std::uint32_t pool) const {
  std::vector<SuperblockId> blocks = layout_.blocks_of(pool);
  const std::vector<SuperblockId> replacements = layout_.replacements_of(pool);
  blocks.insert(blocks.end(), replacements.begin(),
                replacements.end() - static_cast<std::ptrdiff_t>(pools_[pool].replacements.size()));
  return blocks;
}

WearSummary PageFtl::wear() const {
  WearSummary wear;
  std::uint64_t sum = 0;
  double sum_of_squares = 0;
  for (std::uint32_t number = 0; number < layout_.pools(); ++number) {
    for (const SuperblockId block : blocks_used(number)) {
      const std::uint32_t count = state_of(block).erase_count;
      wear.min = wear.blocks == 0 ? count : std::min(wear.min, count);
      wear.max = std::max(wear.max, count);
      ++wear.blocks;
      sum += count;
      sum_of_squares += static_cast<double>(count) * count;
    }
  }
  const auto n = static_cast<double>(wear.blocks);
  wear.mean = static_cast<double>(sum) / n;
  wear.stddev = std::sqrt(std::max(0.0, sum_of_squares / n - wear.mean * wear.mean));
  return wear;
}

std::uint64_t PageFtl::replacement_blocks() const {
  std::uint64_t blocks = 0;
  for (const Pool& pool : pools_) blocks += pool.replacements.size();
  return blocks * layout_.superblocks().blocks_of_each();
}

SpaceSummary PageFtl::space() const {
  SpaceSummary space;
  space.raw_pages = geometry_.pages();
  space.gc_pages = layout_.gc_pages();
  space.user_pages = map_.size();
  for (const PageClass& page_class : classes_) space.valid_pages += page_class.valid_pages;
  for (const Pool& pool : pools_) {
    space.free_blocks += std::uint64_t{pool.free.size()} * layout_.superblocks().blocks_of_each();
  }
  return space;
}

std::size_t PageFtl::bytes() const {
  return map_.bytes() + logical_of_.bytes() + valid_.bytes() + blocks_.bytes() +
         write_counts_.bytes();
}

}  // namespace x25sim::ftl
