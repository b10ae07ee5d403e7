// One line on a terminal that says how far a run is.
#pragma once

#include <chrono>

#include "sim/backend/simulation.hpp"

namespace x25sim::app {

class ProgressLine {
 public:
  // Shows nothing unless `enabled`.
  explicit ProgressLine(bool enabled) : enabled_(enabled) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Share done, simulated time, speed, and time left where the end is known.
  void show(const backend::Progress& progress);
  // Removes the line.
  void clear();

 private:
  bool enabled_;
  bool visible_ = false;
  const char* phase_ = nullptr;
  std::chrono::steady_clock::time_point phase_start_;
};

}  // namespace x25sim::app
