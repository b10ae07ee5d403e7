// When the records of a trace are issued.
#pragma once

#include <cstdint>
#include <optional>

#include "nand/units.hpp"
#include "sim/trace/record.hpp"
#include "sim/trace/trace_files.hpp"

namespace x25sim::trace {

// The first record is issued at 0; the others at their recorded distances from it times a factor.
// Where the trace is replayed several times over, a pass begins the trace's span behind the
// beginning of the one before it: its first record coincides with that one's last.
class TimeRule {
 public:
  // `scale` > 0: 0.5 is twice as fast.
  TimeRule(double scale, FileNames names) : scale_(scale), names_(std::move(names)) {}

  // From now on, a record that is issued later than `limit` is an error.
  void limit(Duration limit) { limit_ = limit; }

  // When `record` is issued. Requires: times do not go backwards within a pass. Throws InputError
  // with its line if it is beyond the limit; without one, later times than Duration holds are cut.
  Duration at(const Record& record);

  // The trace begins again.
  void begin_pass();

 private:
  double scale_;
  FileNames names_;
  std::optional<Duration> limit_;
  std::optional<std::uint64_t> first_ns_;  // of the present pass
  Duration begin_{};                       // of the present pass
  Duration last_{};                        // that was returned
};

}  // namespace x25sim::trace
