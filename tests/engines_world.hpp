// Random drives and loads for tests that compare engines: small drives in which everything happens
// often. All of a world follows from its seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nand/random.hpp"
#include "sim/backend/source.hpp"
#include "sim/drive/config.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::test {

struct World {
  drive::DriveConfig config;
  std::vector<workload::Request> preparation;  // performed without the clock
  std::vector<backend::TimedRequest> requests;
  std::optional<std::uint32_t> queue_depth;  // none: each request at its time
};

// Whether the array times of the pages of a drive differ, so that ties are rare.
enum class Spread : std::uint8_t { some, none };

World random_world(std::uint64_t seed, Spread spread);

// The world in a few lines, for messages.
std::string describe(const World& world);
std::string describe(const workload::Request& request);

// Draws from a stream of random numbers.
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
  bool percent(std::uint64_t chance) { return random_.below(100) < chance; }
  Duration time(std::int64_t first, std::int64_t last) {
    return Duration{static_cast<std::int64_t>(
        from(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)))};
  }

 private:
  Random random_;
};

}  // namespace x25sim::test
