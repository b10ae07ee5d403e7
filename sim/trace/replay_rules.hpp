// How a recorded trace becomes the requests of a replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nand/units.hpp"
#include "sim/trace/clock_rule.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/device_rule.hpp"
#include "sim/trace/notes.hpp"
#include "sim/trace/out_of_range.hpp"
#include "sim/trace/sector_rule.hpp"

namespace x25sim::trace {

// The user's choices, in the order in which they are applied to a record.
struct ReplayRules {
  BackwardTimes backward_times = {};
  DeviceChoice devices = {};
  PartialSectors partial_sectors = PartialSectors::error;
  OutOfRange out_of_range = OutOfRange::error;
  Bytes merge = {};          // the largest request that records are joined to; 0: none are joined
  double time_scale = 1;     // > 0
  std::uint32_t repeat = 1;  // how many times the trace is replayed, one behind the other
};

// What a replay has done.
struct ReplaySummary {
  Counts counts;
  std::vector<DeviceRegion> devices;
  Notes notes;                // of the reader
  std::string action;         // which event of a request was taken; empty: the format has one
  std::uint32_t passes = 1;   // that were asked for
  std::uint32_t pass = 1;     // the last one that was begun, from 1
  std::string reached;        // file and line of the record that was read last; empty: none was
  std::uint64_t waiting = 0;  // records that were read, but not yet issued when it was interrupted
};

}  // namespace x25sim::trace
