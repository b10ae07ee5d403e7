// How long resources were in use.
#pragma once

#include <cstdint>

#include "nand/units.hpp"

namespace x25sim::drive {

// Integral over time of how many resources of a kind are in use.
class BusyTime {
 public:
  void begin(Time now) {
    settle(now);
    ++in_use_;
  }
  void end(Time now) {
    settle(now);
    --in_use_;
  }
  std::uint32_t in_use() const { return in_use_; }

  // Resource time used up to `now`.
  Duration total(Time now) const { return total_ + (now - since_) * in_use_; }

 private:
  void settle(Time now) {
    total_ += (now - since_) * in_use_;
    since_ = now;
  }

  Duration total_{};
  Time since_{};
  std::uint32_t in_use_ = 0;
};

}  // namespace x25sim::drive
