// Joins consecutive requests as a block layer does before it hands them to a drive.
#pragma once

#include <cstdint>

#include "nand/units.hpp"
#include "sim/trace/out_of_range.hpp"
#include "sim/trace/record.hpp"

namespace x25sim::trace {

// Models back merges: a request that begins where the one before it ends is appended to that one.
// Does not model front merges, which real schedulers do now and then, and merges past other
// requests in between.
class MergeRule {
 public:
  // Recorded later than this after the first of the requests that are joined, a request is on its
  // own: a block layer holds requests back no longer than for a moment.
  static constexpr std::uint64_t window_ns = 1'000'000;

  // `most`: bytes of a joined request; 0: nothing is joined.
  explicit MergeRule(Bytes most) : most_(most) {}

  bool active() const { return most_.count > 0; }

  // What is to be issued for a record, or for several that were joined.
  struct Joint {
    Record first;
    Bytes end;  // of the last one, as recorded
    Issue issue;
    std::uint64_t joined = 0;  // records beside the first
  };

  // Appends `record`, for which `issue` would be issued, to `joint` if the rule lets it; whether it
  // did. Both must be one request of the same kind and device; a write that asks for a flush is
  // never joined, as in Linux. The result lies within the drive of `device_size`.
  bool join(Joint& joint, const Record& record, const Issue& issue, Bytes device_size) const;

 private:
  Bytes most_;
};

}  // namespace x25sim::trace
