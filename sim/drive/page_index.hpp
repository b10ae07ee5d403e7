// Finds the buffer slot of a logical page.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "nand/ids.hpp"

namespace x25sim::drive {

// A hash table from logical pages to slot numbers: linear probing, no more than half full, entries
// moved back on removal so that it needs no markers for deleted ones.
class PageIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  // For at most `capacity` pages.
  explicit PageIndex(std::uint32_t capacity)
      : cells_(std::bit_ceil(2 * capacity + 2), Cell{no_logical_page, none}) {}

  // The slot of `page`, or none.
  std::uint32_t find(Lpn page) const {
    for (std::size_t i = home(page);; i = next(i)) {
      if (cells_[i].page == page) return cells_[i].slot;
      if (cells_[i].page == no_logical_page) return none;
    }
  }

  // Sets the slot of `page`, whether or not it had one.
  void set(Lpn page, std::uint32_t slot) {
    std::size_t i = home(page);
    while (cells_[i].page != page && cells_[i].page != no_logical_page) i = next(i);
    cells_[i] = {page, slot};
  }

  // Removes `page` if it is there.
  void erase(Lpn page) {
    std::size_t hole = home(page);
    while (cells_[hole].page != page) {
      if (cells_[hole].page == no_logical_page) return;
      hole = next(hole);
    }
    for (std::size_t i = next(hole); cells_[i].page != no_logical_page; i = next(i)) {
      // An entry may fill the hole if its home does not lie between the hole and it.
      const std::size_t mask = cells_.size() - 1;
      if (((i - home(cells_[i].page)) & mask) >= ((i - hole) & mask)) {
        cells_[hole] = cells_[i];
        hole = i;
      }
    }
    cells_[hole].page = no_logical_page;
  }

 private:
  struct Cell {
    Lpn page;
    std::uint32_t slot;
  };

  std::size_t home(Lpn page) const {
    return (std::uint64_t{index(page)} * 0x9e3779b97f4a7c15 >> 32) & (cells_.size() - 1);
  }
  std::size_t next(std::size_t i) const { return (i + 1) & (cells_.size() - 1); }

  std::vector<Cell> cells_;
};

}  // namespace x25sim::drive
