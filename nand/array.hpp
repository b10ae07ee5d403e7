// The state of the flash array and the rules that real flash enforces.
//
// Models: pages of a block are programmed in order and once per erase; only programmed pages are
// read; erase counts. Does not model: charge, disturb, retention, faults. Page contents are not
// kept: which logical page lies where is the FTL's knowledge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nand/geometry.hpp"
#include "nand/state_archive.hpp"

namespace x25sim::nand {

// Both executors of the FTL apply their operations here, at the moment when the flash performs
// them. An illegal operation is a programming error and stops the run with the page's name.
class FlashArray {
 public:
  explicit FlashArray(const Geometry& geometry);

  const Geometry& geometry() const { return geometry_; }

  // Reads a page. Requires: it is programmed.
  void read(Ppn page) const {
    const BlockId block = geometry_.block_of(page);
    if (geometry_.page_in_block(page) >= blocks_[index(block)].programmed) fail_read(page);
  }

  // Programs a page. Requires: it is the next page of its block.
  void program(Ppn page) {
    Block& block = blocks_[index(geometry_.block_of(page))];
    if (geometry_.page_in_block(page) != block.programmed) fail_program(page);
    ++block.programmed;
  }

  // Erases a block: all its pages can be programmed again.
  void erase(BlockId id) {
    Block& block = blocks_[index(id)];
    block.programmed = 0;
    ++block.erase_count;
  }

  // Reads one page on each of two planes at once. Requires: both are programmed, of one die, of
  // different planes, at the same offset in their blocks (ONFI, "Multi-plane read").
  void read_two_planes(Ppn first, Ppn second) const;

  // How many pages of the block have been programmed since it was last erased.
  std::uint32_t programmed_pages(BlockId block) const { return blocks_[index(block)].programmed; }
  bool is_programmed(Ppn page) const {
    return geometry_.page_in_block(page) < programmed_pages(geometry_.block_of(page));
  }
  std::uint32_t erase_count(BlockId block) const { return blocks_[index(block)].erase_count; }

  // Hands over the state of all blocks, or takes it.
  void exchange(StateArchive& archive) { archive.array("flash", std::span<Block>(blocks_)); }

  // Memory held, in bytes.
  std::size_t bytes() const { return blocks_.size() * sizeof(Block); }

 private:
  struct Block {
    std::uint32_t erase_count = 0;
    std::uint32_t programmed = 0;
  };

  [[noreturn]] void fail_read(Ppn page) const;
  [[noreturn]] void fail_program(Ppn page) const;

  Geometry geometry_;
  std::vector<Block> blocks_;
};

// Whether two pages can be read in one two-plane operation.
inline bool can_pair(const Geometry& geometry, Ppn a, Ppn b) {
  const BlockId block_a = geometry.block_of(a);
  const BlockId block_b = geometry.block_of(b);
  return geometry.die_of(block_a) == geometry.die_of(block_b) &&
         geometry.plane_of(block_a) != geometry.plane_of(block_b) &&
         geometry.page_in_block(a) == geometry.page_in_block(b);
}

}  // namespace x25sim::nand
