// What a write costs that does not cover whole pages.
#pragma once

#include <cstdint>

#include "nand/units.hpp"

namespace x25sim::model {

// A request of s bytes at offset o on a drive whose mapping knows pages of P bytes. Counted for
// this project; the drive's last page, where its capacity cuts that short, is whole up to there.
struct Alignment {
  // Pages that the request touches: floor((o + s - 1) / P) - floor(o / P) + 1. Each is programmed.
  std::uint64_t pages;
  // Those of them that it covers in part: the first if o is no multiple of P and the last if o + s
  // is none, which may be the same page. Each that has data is read before it is programmed.
  std::uint64_t partial_pages;
  // Bytes programmed over bytes written: pages P / s.
  double program_amplification;
};

// Requires: length > 0, page > 0, and offset + length is below 2^64.
Alignment alignment(Bytes offset, Bytes length, Bytes page);

}  // namespace x25sim::model
