// Which logical pages are hot: those that the host has written often of late.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nand/huge_array.hpp"

namespace x25sim::ftl {

// The detector of WriteFrontiers::hot_cold. Each page written adds 1 to the page's count, up to 15,
// and halves the count of one other page, in a circle over all logical pages: once in every
// drive write each count is halved. A page is hot while its count is at least `hot_writes`. A page
// that is written r times in a drive write has counts that go from about r to 2r, so with the
// default of 4 a page is hot that is written about three times as often as the mean.
//
// The counters with decay are those of Hsieh, Kuo and Chang, "Efficient identification of hot data
// for flash memory storage systems", ACM TOS 2, 2006, with a counter for each page in place of
// their hash table, and their decay spread over the writes.
class WriteCounts {
 public:
  static constexpr std::uint8_t count_max = 15;

  WriteCounts() = default;
  // `hot_writes` from 1 to 15.
  WriteCounts(std::size_t logical_pages, std::uint32_t hot_writes)
      : counts_(logical_pages, 0), hot_writes_(hot_writes) {}

  void on_write(std::size_t page) {
    if (counts_[page] < count_max) ++counts_[page];
    counts_[hand_] = static_cast<std::uint8_t>(counts_[hand_] / 2);
    if (++hand_ == counts_.size()) hand_ = 0;
  }
  void prefetch(std::size_t page) const { __builtin_prefetch(counts_.data() + page, 1); }
  bool is_hot(std::size_t page) const { return counts_[page] >= hot_writes_; }

  // Memory held, in bytes.
  std::size_t bytes() const { return counts_.bytes(); }

  // For saving.
  HugeArray<std::uint8_t>& counts() { return counts_; }
  std::uint64_t& hand() { return hand_; }

 private:
  HugeArray<std::uint8_t> counts_;
  std::uint64_t hand_ = 0;
  std::uint32_t hot_writes_ = 1;
};

}  // namespace x25sim::ftl
