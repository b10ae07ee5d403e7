// What any FTL owes its host, in a page of code. The reference makes no decision: it watches the
// operations that the FTL asks of the flash, holds them to the flash's rules, and knows of every
// physical page which version of which logical page it holds, and of every logical page which
// version the host expects. It shares no code with the FTL. What breaks a rule throws the sentence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nand/ids.hpp"

namespace x25sim::test {

class ReferenceFtl {
 public:
  ReferenceFtl(std::size_t blocks, std::size_t pages_per_block, std::size_t logical_pages)
      : erases(blocks),
        programmed(blocks),
        newest_(logical_pages, none),
        flash_(blocks * pages_per_block),
        pages_per_block_(pages_per_block) {}

  // What the host asks for, told before the FTL is.
  void write(Lpn page) {
    newest_.at(index(page)) = ++versions_;
    from_host_ = Content{page, versions_};
  }
  void trim(Lpn first, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (std::exchange(newest_.at(index(first) + i), none) != none) ++trimmed;
    }
  }

  // What the FTL asks of the flash, and for which cause. A program stores what the host has just
  // written or, of any other cause, what the last read returned.
  void read(Ppn page, std::size_t cause) {
    require(is_programmed(page), "a read of the erased ", page);
    last_read_ = flash_[index(page)];
    ++reads.at(cause);
  }
  void program(Ppn page, std::size_t cause, bool of_host) {
    std::uint32_t& next = programmed.at(index(page) / pages_per_block_);
    require(index(page) % pages_per_block_ == next, "out of order or without an erase: ", page);
    std::optional<Content>& source = of_host ? from_host_ : last_read_;
    require(source.has_value(), "a program of nothing to ", page);
    flash_[index(page)] = *std::exchange(source, {});
    ++next;
    ++programs.at(cause);
  }
  void erase(BlockId block) {
    programmed.at(index(block)) = 0;
    ++erases.at(index(block));
  }

  // Whether the page last written is on the flash.
  bool is_stored() const { return !from_host_.has_value(); }
  bool has_data(Lpn page) const { return newest_.at(index(page)) != none; }
  // Whether `place`, where the FTL says that the page lies, is right: where its newest version is,
  // or nowhere.
  bool is_right(Lpn page, Ppn place) const {
    if (!has_data(page)) return place == no_page;
    return place != no_page && is_programmed(place) &&
           flash_[index(place)] == Content{page, newest_[index(page)]};
  }

  // Its own counts, by cause and by block.
  std::array<std::uint64_t, 8> programs{};
  std::array<std::uint64_t, 8> reads{};
  std::vector<std::uint32_t> erases;
  std::vector<std::uint32_t> programmed;  // pages since the last erase
  std::uint64_t trimmed = 0;              // pages that had data

 private:
  static constexpr std::uint64_t none = 0;

  struct Content {
    Lpn page{};
    std::uint64_t version = none;
    bool operator==(const Content&) const = default;
  };

  bool is_programmed(Ppn page) const {
    return index(page) % pages_per_block_ < programmed.at(index(page) / pages_per_block_);
  }
  static void require(bool condition, const char* what, Ppn page) {
    if (!condition) throw std::logic_error(what + ("page " + std::to_string(index(page))));
  }

  std::vector<std::uint64_t> newest_;  // version that the host expects of each logical page
  std::vector<Content> flash_;
  std::size_t pages_per_block_;
  std::uint64_t versions_ = 0;
  std::optional<Content> from_host_;  // written, and not on the flash yet
  std::optional<Content> last_read_;
};

}  // namespace x25sim::test
