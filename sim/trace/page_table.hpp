// What a trace does to each 4 KiB page: which are read and written, and how soon written again.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nand/huge_array.hpp"
#include "nand/units.hpp"
#include "sim/trace/counts.hpp"

namespace x25sim::trace {

// Values by the power of two that is not above them: [0] counts zeros and ones, [n] what lies in
// [2^n, 2^(n+1)).
using PowerHistogram = std::array<std::uint64_t, 64>;

// Memory grows with the parts of the address space that are used (about 150 bytes for each 64 KiB
// of which something was touched), never with the number of requests.
class PageTable {
 public:
  // Longer requests count for the footprint alone: a trace may claim to write exabytes.
  static constexpr Bytes followed_max{std::uint64_t{256} << 20};

  PageTable() { grow(); }

  // The pages that [offset, offset + length) touches. Requires: length > 0. Takes effect a few
  // calls later, when what it needs has come into the processor's cache.
  void read(Bytes offset, Bytes length) { push({offset, length, false}); }
  void write(Bytes offset, Bytes length) { push({offset, length, true}); }
  // Brings all of them into effect, before anything is asked.
  void settle();

  struct Footprint {
    std::uint64_t read = 0, written = 0;  // different pages
    std::uint64_t touched = 0;            // read or written
  };
  // Takes time in proportion to it.
  Footprint footprint() const;

  std::uint64_t page_writes() const { return page_writes_; }
  // Of each write to a page that had been written: the page writes since then, itself included.
  const PowerHistogram& rewrite_distances() const { return rewrite_distances_; }

 private:
  static constexpr std::uint64_t entry_pages = 16;

  struct Entry {
    std::uint64_t number = 0;                             // of its first page, in entries
    std::uint16_t read = 0, written = 0;                  // bit per page
    std::array<std::uint64_t, entry_pages> last_write{};  // number of the page write, from 1
  };

  // A slot of the hash table: the entry's place plus one; 0: empty.
  struct Slot {
    std::uint64_t number = 0;
    std::uint32_t place = 0;
  };

  struct Access {
    Bytes offset, length;
    bool write = false;
  };

  void push(const Access& access);
  void prefetch_entries(const Access& access) const;
  void apply(const Access& access);
  void apply_read(Bytes offset, Bytes length);
  void apply_write(Bytes offset, Bytes length);

  Entry& at(std::uint64_t place) { return pieces_[place / piece_size][place % piece_size]; }
  const Entry& at(std::uint64_t place) const {
    return pieces_[place / piece_size][place % piece_size];
  }
  Entry& entry(std::uint64_t number);
  std::size_t first_slot_of(std::uint64_t number) const;
  std::size_t slot_of(std::uint64_t number) const;
  void grow();

  template <typename Apply>
  static void for_first_numbers(const Access& access, const Apply& apply);
  template <typename Apply>
  void for_each_entry(Bytes offset, Bytes length, const Apply& apply);

  static constexpr std::uint64_t depth = 32;
  std::array<Access, depth> waiting_{};
  std::uint64_t pushed_ = 0, applied_ = 0;
  // Entries never move; in pieces, as their number is not known.
  static constexpr std::uint64_t piece_size = 1u << 16;
  std::vector<HugeArray<Entry>> pieces_;
  std::uint64_t entries_ = 0;
  HugeArray<Slot> slots_;
  int hash_shift_ = 64;
  PageSet long_read_, long_written_;
  std::uint64_t page_writes_ = 0;
  PowerHistogram rewrite_distances_{};
};

}  // namespace x25sim::trace
