// One pool of flash without the clock, as the theory of garbage collection has it: N blocks of b
// pages take part in garbage collection, T = N b, and the free blocks at which it begins lie beside
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "ftl/functional.hpp"
#include "ftl/page_ftl.hpp"
#include "ftl/placement.hpp"
#include "nand/array.hpp"
#include "nand/random.hpp"

namespace x25sim::test {

// Performs the FTL's operations, and counts the valid pages of each victim. Victims are right if
// they are single blocks, each copied all at once.
class CountingSink {
 public:
  explicit CountingSink(nand::FlashArray& array)
      : array_(array), victims_(array.geometry().dies() * array.geometry().pages_per_block + 1) {}

  void read(Ppn page, ftl::Cause cause) {
    if (cause == ftl::Cause::gc) ++copied_;
    array_.read(page);
  }
  void program(Ppn page, ftl::Cause /*cause*/) { array_.program(page); }
  void erase(BlockId block) {
    ++victims_[copied_];
    copied_ = 0;
    array_.erase(block);
  }

  // Number of victims by valid pages since the last clear.
  const std::vector<std::uint64_t>& victims() const { return victims_; }
  void clear_victims() { victims_.assign(victims_.size(), 0); }

 private:
  nand::FlashArray& array_;
  std::vector<std::uint64_t> victims_;
  std::uint32_t copied_ = 0;
};
static_assert(ftl::FlashSink<CountingSink>);

// The policy, with victims copied all at once.
inline ftl::Config blocking(ftl::GcPolicy policy, std::uint32_t choices = 10) {
  ftl::Config config;
  config.gc_policy = policy;
  config.gc_choices = choices;
  config.gc_pacing = ftl::GcPacing::blocking;
  return config;
}

// With two_pools it is one pool for each class of pages, with superblocks one over all of their
// dies.
class OnePool {
 public:
  // `blocks` superblocks take part in garbage collection; their blocks have `pages_per_block`
  // pages.
  OnePool(std::uint32_t blocks, std::uint32_t pages_per_block, std::uint64_t logical_pages,
          const ftl::Config& config)
      : geometry_{.dies_per_package = config.superblock_dies,
                  .blocks_per_die = blocks + free_blocks(config),
                  .pages_per_block = pages_per_block},
        ftl_(geometry_, config, logical_pages, 7),
        array_(geometry_),
        sink_(array_) {}
  OnePool(const OnePool&) = delete;
  OnePool& operator=(const OnePool&) = delete;

  // Free superblocks of all classes of pages at which garbage collection begins.
  static std::uint32_t free_blocks(const ftl::Config& config) {
    const ftl::PoolLayout layout({.dies_per_package = config.superblock_dies}, config);
    return layout.classes() * layout.low_watermark();
  }

  const ftl::PageFtl& ftl() const { return ftl_; }
  const nand::Geometry& geometry() const { return geometry_; }
  const nand::FlashArray& array() const { return array_; }
  const std::vector<std::uint64_t>& victims() const { return sink_.victims(); }
  void clear_victims() { sink_.clear_victims(); }
  std::uint32_t pages() const { return static_cast<std::uint32_t>(ftl_.logical_pages()); }

  void write(std::uint64_t page, ftl::Cause cause = ftl::Cause::host) {
    ftl_.write(Lpn{static_cast<std::uint32_t>(page)}, cause, sink_);
  }
  void trim(std::uint64_t page, std::uint64_t count = 1) {
    ftl_.trim(Lpn{static_cast<std::uint32_t>(page)}, count);
  }
  // Every page once, in order.
  void fill() {
    for (std::uint32_t page = 0; page < pages(); ++page) write(page);
  }

  // The write amplification of `writes` pages that `next` names.
  template <typename Next>
  double write(std::uint64_t writes, Next&& next) {
    const ftl::Counters before = ftl_.counters();
    for (std::uint64_t i = 0; i < writes; ++i) write(next());
    return (ftl_.counters() - before).write_amplification_gc();
  }

  void check_invariants() const { ftl_.check_invariants(array_); }

 private:
  nand::Geometry geometry_;
  ftl::PageFtl ftl_;
  nand::FlashArray array_;
  CountingSink sink_;
};

// The load that the theory of TRIM speaks of: with probability `trim_share` a trim of a random page
// that holds data, else a write of a random page.
class TrimLoad {
 public:
  // All of `pages` hold data.
  TrimLoad(std::uint32_t pages, double trim_share, Random random)
      : trim_share_(trim_share), random_(random), in_use_(pages), place_(pages) {
    for (std::uint32_t page = 0; page < pages; ++page) in_use_[page] = place_[page] = page;
  }

  // The next request, to something that has write(page) and trim(page).
  template <typename Target>
  void next(Target& target) {
    if (random_.unit() < trim_share_ && !in_use_.empty()) {
      const std::uint64_t place = random_.below(in_use_.size());
      const std::uint32_t page = in_use_[place];
      place_[in_use_.back()] = static_cast<std::uint32_t>(place);
      in_use_[place] = in_use_.back();
      in_use_.pop_back();
      place_[page] = none;
      target.trim(page);
    } else {
      const auto page = static_cast<std::uint32_t>(random_.below(place_.size()));
      if (place_[page] == none) {
        place_[page] = static_cast<std::uint32_t>(in_use_.size());
        in_use_.push_back(page);
      }
      target.write(page);
    }
  }

  std::uint64_t in_use() const { return in_use_.size(); }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  double trim_share_;
  Random random_;
  std::vector<std::uint32_t> in_use_;
  std::vector<std::uint32_t> place_;  // in in_use_, by page
};

}  // namespace x25sim::test
