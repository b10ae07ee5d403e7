// The SATA link: how long frames occupy it.
//
// Models: line rate, 8b/10b coding, frame sizes of Serial ATA revision 2.6 (section 10.3, "FIS
// types"), one direction at a time, a pause after data frames. Does not model: primitives one by
// one, link errors, power states.
#pragma once

#include <cstdint>

#include "nand/units.hpp"
#include "sim/drive/config.hpp"

namespace x25sim::drive {

// Contents of the frames (FIS) of native command queuing, in bytes.
inline constexpr std::uint64_t register_fis = 20;  // either direction
inline constexpr std::uint64_t set_device_bits_fis = 8;
inline constexpr std::uint64_t dma_setup_fis = 28;
inline constexpr std::uint64_t dma_activate_fis = 4;
inline constexpr std::uint64_t data_fis_header = 4;
inline constexpr Bytes data_fis_max{8192};

// Adds up the frames of one occupation of the link.
class Frames {
 public:
  explicit Frames(const LinkConfig& config) : config_(config) {}

  void add(std::uint64_t content) { bytes_ += content + config_.frame_overhead.count; }
  // Data in as many data FIS as they need, each with its pause.
  void add_data(Bytes payload) {
    const std::uint64_t count = (payload.count + data_fis_max.count - 1) / data_fis_max.count;
    bytes_ += payload.count + count * (data_fis_header + config_.frame_overhead.count);
    pause_ += config_.data_fis_gap * static_cast<Duration::rep>(count);
  }

  std::uint64_t bytes() const { return bytes_; }
  Duration pause() const { return pause_; }

 private:
  const LinkConfig& config_;
  std::uint64_t bytes_ = 0;
  Duration pause_{};
};

// Turns bytes into time without ever losing a fraction of a nanosecond: what a frame leaves over is
// added to the next.
class LineClock {
 public:
  explicit LineClock(std::uint64_t bits_per_second) : rate_(bits_per_second) {}

  Duration occupy(const Frames& frames) {
    // 10 bits carry a byte. 2^63 / 10^10 = 922 MB at once at most; a frame has 8 KiB.
    const std::uint64_t scaled = carry_ + frames.bytes() * 10 * 1'000'000'000;
    carry_ = scaled % rate_;
    return Duration{static_cast<Duration::rep>(scaled / rate_)} + frames.pause();
  }

 private:
  std::uint64_t rate_;
  std::uint64_t carry_ = 0;  // in bits x 10^9
};

}  // namespace x25sim::drive
