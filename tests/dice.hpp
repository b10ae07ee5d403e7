// Draws from a stream of random numbers, for worlds that follow from a seed.
#pragma once

#include <cstdint>

#include "nand/random.hpp"
#include "nand/units.hpp"

namespace x25sim::test {

class Dice {
 public:
  explicit Dice(Random random) : random_(random) {}

  // A uniform integer from `first` to `last`, both included.
  std::uint64_t from(std::uint64_t first, std::uint64_t last) {
    return first + random_.below(last - first + 1);
  }
  std::uint32_t from32(std::uint32_t first, std::uint32_t last) {
    return static_cast<std::uint32_t>(from(first, last));
  }
  std::uint8_t from8(std::uint8_t first, std::uint8_t last) {
    return static_cast<std::uint8_t>(from(first, last));
  }
  // From 1 to `last`, small ones more often.
  std::uint64_t up_to(std::uint64_t last) { return from(1, from(1, last)); }
  bool percent(std::uint64_t chance) { return random_.below(100) < chance; }
  Duration time(std::int64_t first, std::int64_t last) {
    return Duration{static_cast<std::int64_t>(
        from(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)))};
  }

 private:
  Random random_;
};

}  // namespace x25sim::test
