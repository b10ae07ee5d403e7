// Random drives and loads for tests that compare engines: small drives in which everything happens
// often. All of a world follows from its seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/backend/source.hpp"
#include "sim/drive/config.hpp"
#include "sim/workload/request.hpp"
#include "tests/dice.hpp"

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

}  // namespace x25sim::test
