// What each part of a drive allows at most under a given load: the closed forms that a simulated
// figure and its busy fractions stand beside.
#pragma once

#include <cstdint>

#include "nand/units.hpp"
#include "sim/drive/config.hpp"
#include "sim/drive/counters.hpp"

namespace x25sim::model {

// A load of equal requests, aligned to pages.
struct Load {
  bool write = false;
  bool random = false;
  Bytes block;                    // of one request, a multiple of the page size
  std::uint32_t queue_depth = 1;  // requests in flight
  // Of writes: programs per host page, and erases per program.
  double write_amplification = 1;
  double erases_per_program = 0;
};

// User bytes per second that each part allows if nothing else is in the way; infinity for a part
// that the load does not use.
struct LoadBounds {
  // Programs in flight.
  double program_slots;
  double channels;
  double link;
  double firmware;
  // Requests in flight over the latency of an unloaded one. Sequential reads are taken to be read
  // ahead, and writes to end in the write buffer.
  double queue_depth;
  // Dies, each busy with the array and the transfers of every page; of writes, with those of the
  // copies and with erases as well.
  double dies;

  // The part with the lowest bound, and that bound.
  drive::Bound limiting() const;
  double lowest() const;
};

LoadBounds load_bounds(const drive::DriveConfig& config, const Load& load);

}  // namespace x25sim::model
