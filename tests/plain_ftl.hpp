// The FTL of ARCHITECTURE.md once more: plain containers, linear searches, no index that could be
// out of date. It is what the fast FTL is compared with, so it shares no code with it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "nand/geometry.hpp"
#include "nand/ids.hpp"

namespace x25sim::plain {

// A broken rule of the flash or of this model is a programming error; the test that runs into it
// fails with the sentence.
inline void require(bool condition, const std::string& sentence) {
  if (!condition) throw std::logic_error(sentence);
}

enum class Dimension : std::uint8_t { channel, die, plane };

struct FtlConfig {
  std::array<Dimension, 3> stripe_order{Dimension::channel, Dimension::die, Dimension::plane};
  bool plane_pools = false;
  bool paced = true;
  std::uint32_t reserved_blocks = 1;    // per pool
  std::uint32_t firmware_area_ppm = 0;  // of the blocks of a pool
};

// The flash itself: what is programmed, and the rules.
class PlainFlash {
 public:
  explicit PlainFlash(const nand::Geometry& geometry)
      : geometry_(geometry), programmed_(geometry.blocks()), erase_counts_(geometry.blocks()) {}

  void read(Ppn page) const {
    require(is_programmed(page), "read of an erased page: " + geometry_.name(page));
  }

  void program(Ppn page) {
    std::uint32_t& programmed = programmed_[index(geometry_.block_of(page))];
    require(geometry_.page_in_block(page) == programmed, "out of order: " + geometry_.name(page));
    ++programmed;
  }

  void erase(BlockId block) {
    programmed_[index(block)] = 0;
    ++erase_counts_[index(block)];
  }

  bool is_programmed(Ppn page) const {
    return geometry_.page_in_block(page) < programmed_[index(geometry_.block_of(page))];
  }
  std::uint32_t programmed_pages(BlockId block) const { return programmed_[index(block)]; }
  std::uint32_t erase_count(BlockId block) const { return erase_counts_[index(block)]; }

 private:
  nand::Geometry geometry_;
  std::vector<std::uint32_t> programmed_;    // by block: its first pages that are programmed
  std::vector<std::uint32_t> erase_counts_;  // by block
};

enum class StepKind : std::uint8_t { read, program, erase };

// One flash operation that the FTL asks for. The last step of a write is the host's own page.
struct FlashStep {
  StepKind kind = StepKind::read;
  Ppn page{};       // of read and program
  BlockId block{};  // of erase
};

class PlainFtl {
 public:
  using Sink = std::function<void(const FlashStep&)>;

  struct Counts {
    std::uint64_t gc_copies = 0;  // each a read and a program
    std::uint64_t erases = 0;
    std::uint64_t trimmed_pages = 0;
  };

  PlainFtl(const nand::Geometry& geometry, const FtlConfig& config, std::uint64_t logical_pages)
      : geometry_(geometry),
        config_(config),
        map_(logical_pages, no_data),
        blocks_(geometry.blocks()) {
    make_pools();
    make_stripe();
  }

  bool has_data(std::uint64_t logical) const { return map_.at(logical) != no_data; }
  // Requires: has_data().
  Ppn location(std::uint64_t logical) const {
    require(has_data(logical), "a page without data has no place");
    return Ppn{static_cast<std::uint32_t>(map_.at(logical))};
  }
  const Counts& counts() const { return counts_; }

  // The four steps of writing a page.
  void write(std::uint64_t logical, const Sink& sink) {
    invalidate(logical);
    Pool& pool = pools_[next_pool()];
    if (!pool.frontier || blocks_[*pool.frontier].written == pages_per_block()) {
      open_block(pool);
    }
    if (pool.victim) collect(pool, sink);
    place(pool, logical, sink);
  }

  void trim(std::uint64_t logical) {
    if (has_data(logical)) ++counts_.trimmed_pages;
    invalidate(logical);
  }

 private:
  static constexpr std::int64_t no_data = -1;

  enum class State : std::uint8_t { free, frontier, closed, victim, firmware };

  struct Block {
    State state = State::firmware;
    std::size_t pool = 0;
    std::uint32_t written = 0;
    std::vector<std::uint64_t> logical;  // by page
    std::vector<bool> valid;             // by page
    std::uint32_t valid_pages = 0;
    std::uint64_t listed = 0;  // when it came, closed, to its present number of valid pages
  };

  struct Pool {
    std::deque<std::uint32_t> free;  // the longest free first
    std::optional<std::uint32_t> frontier;
    std::optional<std::uint32_t> victim;
    std::uint32_t victim_valid = 0;  // valid pages when it was chosen
    std::uint64_t credit = 0;
    std::uint64_t valid_pages = 0;
  };

  std::uint32_t pages_per_block() const { return geometry_.pages_per_block; }

  void make_pools() {
    const std::uint32_t planes = config_.plane_pools ? geometry_.planes_per_die : 1;
    const std::uint32_t blocks_per_pool = geometry_.blocks_per_die / planes;
    const auto firmware_blocks = static_cast<std::uint32_t>(std::uint64_t{blocks_per_pool} *
                                                            config_.firmware_area_ppm / 1'000'000);
    usable_blocks_ = blocks_per_pool - firmware_blocks;
    pools_.resize(std::size_t{geometry_.dies()} * planes);
    for (std::uint32_t number = 0; number < geometry_.blocks(); ++number) {
      const std::uint32_t in_die = number % geometry_.blocks_per_die;
      const std::size_t pool =
          std::size_t{number / geometry_.blocks_per_die} * planes + in_die % planes;
      if (in_die / planes >= usable_blocks_) continue;
      Block& block = blocks_[number];
      block.state = State::free;
      block.pool = pool;
      block.logical.resize(pages_per_block());
      block.valid.resize(pages_per_block());
      pools_[pool].free.push_back(number);
    }
  }

  // Counts through the three dimensions like an odometer, the fastest first.
  void make_stripe() {
    const std::uint32_t planes = config_.plane_pools ? geometry_.planes_per_die : 1;
    const auto size_of = [&](Dimension dimension) {
      if (dimension == Dimension::channel) return geometry_.channels;
      if (dimension == Dimension::die) return geometry_.dies_per_channel();
      return planes;
    };
    std::array<std::uint32_t, 3> digits{};  // by dimension
    for (std::size_t count = 0; count < pools_.size(); ++count) {
      const std::uint32_t die = digits[0] * geometry_.dies_per_channel() + digits[1];
      stripe_.push_back(std::size_t{die} * planes + digits[2]);
      for (const Dimension dimension : config_.stripe_order) {
        std::uint32_t& digit = digits[static_cast<std::size_t>(dimension)];
        digit = (digit + 1) % size_of(dimension);
        if (digit != 0) break;
      }
    }
  }

  void invalidate(std::uint64_t logical) {
    if (!has_data(logical)) return;
    const Ppn page = location(logical);
    map_[logical] = no_data;
    Block& block = blocks_[index(geometry_.block_of(page))];
    require(block.valid[geometry_.page_in_block(page)], "the map points to an invalid page");
    block.valid[geometry_.page_in_block(page)] = false;
    --block.valid_pages;
    --pools_[block.pool].valid_pages;
    if (block.state == State::closed) block.listed = ++listings_;
  }

  std::size_t next_pool() {
    std::uint64_t all_valid = 0;
    for (const Pool& pool : pools_) all_valid += pool.valid_pages;
    const std::uint64_t usable = std::uint64_t{usable_blocks_} * pages_per_block();
    const std::uint64_t full =
        std::uint64_t{usable_blocks_ - config_.reserved_blocks} * pages_per_block() - 1;
    for (std::size_t tries = 0; tries < pools_.size(); ++tries) {
      const std::size_t number = stripe_[stripe_position_];
      stripe_position_ = (stripe_position_ + 1) % stripe_.size();
      const std::uint64_t valid = pools_[number].valid_pages;
      // 2 x valid > usable + mean valid, times the number of pools.
      const bool short_of_spare = 2 * valid * pools_.size() > usable * pools_.size() + all_valid;
      if (!short_of_spare && valid < full) return number;
    }
    throw std::logic_error("every pool is full");
  }

  void open_block(Pool& pool) {
    if (pool.frontier) {
      Block& block = blocks_[*pool.frontier];
      block.state = State::closed;
      block.listed = ++listings_;
    }
    require(!pool.free.empty(), "no free block");
    pool.frontier = pool.free.front();
    pool.free.pop_front();
    blocks_[*pool.frontier].state = State::frontier;
    if (pool.free.size() < config_.reserved_blocks) choose_victim(pool);
  }

  void choose_victim(Pool& pool) {
    require(!pool.victim, "the last victim is not clean yet");
    const std::size_t pool_number = blocks_[*pool.frontier].pool;
    for (std::uint32_t number = 0; number < blocks_.size(); ++number) {
      const Block& block = blocks_[number];
      if (block.state != State::closed || block.pool != pool_number) continue;
      const Block* best = pool.victim ? &blocks_[*pool.victim] : nullptr;
      if (best == nullptr || block.valid_pages < best->valid_pages ||
          (block.valid_pages == best->valid_pages && block.listed < best->listed)) {
        pool.victim = number;
      }
    }
    require(pool.victim.has_value(), "no closed block");
    Block& victim = blocks_[*pool.victim];
    require(victim.valid_pages < pages_per_block(), "nothing to gain from the victim");
    victim.state = State::victim;
    pool.victim_valid = victim.valid_pages;
    pool.credit = 0;
  }

  void collect(Pool& pool, const Sink& sink) {
    Block& victim = blocks_[*pool.victim];
    const std::uint32_t price = pages_per_block() - pool.victim_valid;
    pool.credit += pool.victim_valid;
    while (victim.valid_pages > 0 && (!config_.paced || pool.credit >= price)) {
      if (config_.paced) pool.credit -= price;
      copy_page(pool, victim, sink);
    }
    if (victim.valid_pages > 0) return;
    sink({StepKind::erase, {}, BlockId{*pool.victim}});
    ++counts_.erases;
    victim.state = State::free;
    victim.written = 0;
    pool.free.push_back(*pool.victim);
    pool.victim.reset();
  }

  void copy_page(Pool& pool, const Block& victim, const Sink& sink) {
    std::uint32_t page = 0;
    while (!victim.valid[page]) ++page;
    const std::uint64_t logical = victim.logical[page];
    require(location(logical) == geometry_.page_at(BlockId{*pool.victim}, page),
            "the map does not point to the victim's page");
    sink({StepKind::read, location(logical), {}});
    invalidate(logical);
    place(pool, logical, sink);
    ++counts_.gc_copies;
  }

  // Programs the next page of the frontier.
  void place(Pool& pool, std::uint64_t logical, const Sink& sink) {
    Block& block = blocks_[*pool.frontier];
    require(block.written < pages_per_block(), "the frontier is full");
    const std::uint32_t page = block.written++;
    block.logical[page] = logical;
    block.valid[page] = true;
    ++block.valid_pages;
    ++pool.valid_pages;
    const Ppn place = geometry_.page_at(BlockId{*pool.frontier}, page);
    map_[logical] = index(place);
    sink({StepKind::program, place, {}});
  }

  nand::Geometry geometry_;
  FtlConfig config_;
  std::vector<std::int64_t> map_;  // by logical page: its place
  std::vector<Block> blocks_;
  std::vector<Pool> pools_;
  std::vector<std::size_t> stripe_;  // pools in striping order
  std::size_t stripe_position_ = 0;
  std::uint32_t usable_blocks_ = 0;  // of a pool
  std::uint64_t listings_ = 0;
  Counts counts_;
};

}  // namespace x25sim::plain
