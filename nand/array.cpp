#include "nand/array.hpp"

#include "nand/check.hpp"

namespace x25sim::nand {

FlashArray::FlashArray(const Geometry& geometry)
    : geometry_(geometry), blocks_(geometry.blocks()) {}

void FlashArray::read_two_planes(Ppn first, Ppn second) const {
  X25_CHECK(can_pair(geometry_, first, second),
            "two-plane read of " + geometry_.name(first) + " and " + geometry_.name(second));
  read(first);
  read(second);
}

void FlashArray::fail_read(Ppn page) const {
  check_failed("is_programmed(page)", __FILE__, __LINE__,
               "read of " + geometry_.name(page) + ", which is not programmed");
}

void FlashArray::fail_program(Ppn page) const {
  const std::uint32_t next = programmed_pages(geometry_.block_of(page));
  check_failed(
      "pages of a block are programmed in order, once per erase", __FILE__, __LINE__,
      "program of " + geometry_.name(page) + ", where " +
          (next == geometry_.pages_per_block ? "the block is full"
                                             : "page " + std::to_string(next) + " is next"));
}

}  // namespace x25sim::nand
