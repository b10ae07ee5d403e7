// Random drives without a clock, and loads for them: small ones in which everything happens often.
// All of a world follows from its seed.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ftl/config.hpp"
#include "ftl/counters.hpp"
#include "nand/geometry.hpp"
#include "tests/dice.hpp"

namespace x25sim::test {

// What a PageFtl is made from.
struct FtlSetup {
  nand::Geometry geometry;
  ftl::Config config;
  std::uint64_t logical_pages = 0;
  std::uint64_t seed = 1;
};

// The blocks that the firmware keeps for itself, rounded down for each pool.
std::uint64_t firmware_blocks(const FtlSetup& setup);

struct HostOperation {
  enum class Kind : std::uint8_t { write, trim, idle };

  Kind kind = Kind::write;
  Lpn first{};
  std::uint64_t count = 1;  // pages, or of idle steps of garbage collection
  ftl::Cause cause = ftl::Cause::host;
};

// Draws what the host asks for: of each world its own mix, in which most things never occur, so
// that no feature hides behind another ("swarm testing", Groce et al., ISSTA 2012).
class HostLoad {
 public:
  HostLoad(std::uint64_t logical_pages, Dice dice);

  HostOperation next();

 private:
  enum Place : std::uint8_t { uniform, hot_cold, sequential, strided, few, place_count };

  std::uint64_t place();
  HostOperation clipped(HostOperation::Kind kind, std::uint64_t first, std::uint64_t count) const;
  HostOperation trim();

  std::uint64_t pages_;
  Dice dice_;
  std::array<std::uint64_t, place_count> weights_{};
  std::uint64_t total_weight_ = 0;
  std::uint64_t partial_share_;  // in percent, as are all shares
  std::uint64_t run_share_, longest_run_;
  std::uint64_t trim_share_, long_trim_share_, whole_trim_share_;
  std::uint64_t idle_share_;
  std::uint64_t hot_share_, hot_first_, hot_pages_;
  std::uint64_t stride_;
  std::array<std::uint64_t, 3> few_{};
  std::uint64_t sequential_at_ = 0;
  std::uint64_t strided_at_ = 0;
};

struct FtlWorld {
  FtlSetup setup;
  bool filled = false;  // every page is written once before the load
  std::uint32_t batches = 0;
  std::uint64_t pages_per_batch = 0;
  HostLoad load;
};

FtlWorld random_ftl_world(std::uint64_t seed);

// For messages: the drive in a line, and the command that runs this world alone.
std::string describe(const FtlSetup& setup);
std::string describe(const HostOperation& operation);
std::string reproduction(std::uint64_t seed);

// While it lives, `line` is printed if the program is stopped, be it by a broken invariant or
// because it has taken 30 s of processor time: an FTL that makes no progress has no end. At most
// one at a time.
class LineOnStop {
 public:
  explicit LineOnStop(const std::string& line);
  ~LineOnStop();
  void change(const std::string& line);
  LineOnStop(const LineOnStop&) = delete;
  LineOnStop& operator=(const LineOnStop&) = delete;
};

}  // namespace x25sim::test
