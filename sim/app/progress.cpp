#include "sim/app/progress.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <string>

namespace x25sim::app {

void ProgressLine::show(const backend::Progress& progress) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (phase_ != progress.phase) {
    phase_ = progress.phase;
    phase_start_ = now;
  }
  const double elapsed = std::chrono::duration<double>(now - phase_start_).count();
  std::string line = fmt::format("{}", progress.phase);
  if (progress.done > 0) line += fmt::format(" {:3.0f} %", progress.done * 100);
  if (progress.simulated > Duration{}) {
    line += fmt::format(", {:.1f} s simulated", seconds(progress.simulated));
  }
  if (elapsed > 0) {
    line += fmt::format(", {:.1f} M flash operations/s",
                        static_cast<double>(progress.flash_operations) / elapsed * 1e-6);
  }
  if (progress.done > 0) {
    line += fmt::format(", {:.0f} s left", elapsed * (1 - progress.done) / progress.done);
  }
  // Back to the line's begin, and erase what the last one left.
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  std::fflush(stderr);
  visible_ = true;
}

void ProgressLine::clear() {
  if (visible_) std::fprintf(stderr, "\r\x1b[K");
  visible_ = false;
}

}  // namespace x25sim::app
