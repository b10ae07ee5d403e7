// How long the requests of one direction are: fio's bs, bsrange and bssplit.
#pragma once

#include <algorithm>
#include <optional>

#include "nand/random.hpp"
#include "nand/units.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::workload {

// A length of at most `room`; none if even the smallest is longer. As in fio, a length from a range
// is its minimum and a uniform part of its maximum, cut to whole units and to the maximum: every
// multiple is equally likely if they divide each other. Only the part that fits is drawn from.
// Sizes of a split that do not fit leave their share to the next that does; the smallest one does.
inline std::optional<Bytes> draw_length(const BlockSizes& sizes, Bytes room, Random& random) {
  if (sizes.min > room) return std::nullopt;
  if (sizes.fixed()) return sizes.min;
  if (sizes.split.empty()) {
    Bytes parts = sizes.max;
    if (room < sizes.max)
      parts = std::min(parts, room - room % sizes.unit + sizes.unit - sizes.min);
    const Bytes length = sizes.min + Bytes{random.below(parts.count)};
    return std::min(length - length % sizes.unit, sizes.max);
  }
  for (;;) {
    Bytes length;
    const std::uint64_t share = random.below(100);
    std::uint64_t passed = 0;
    for (const BlockSizes::Share& size : sizes.split) {
      length = size.size;
      passed += size.percent;
      if (share < passed && length <= room) break;
    }
    if (length <= room) return length;
  }
}

}  // namespace x25sim::workload
