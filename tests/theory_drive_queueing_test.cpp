// Queues in the timed drive against the laws and closed forms of queueing. A suffix like (T21) in a
// test's name is the number of the check in the theory's notes, whose tolerances are used here.
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "sim/config/drive_file.hpp"
#include "sim/model/bounds.hpp"
#include "sim/model/queueing.hpp"
#include "tests/near.hpp"
#include "tests/tiny_drive.hpp"

using namespace x25sim;
using namespace std::chrono_literals;
using test::within;

namespace {

// So many dies on channels of their own, and nothing that takes time but these and what the caller
// adds: data cross a channel in 4 us and the link in under 1 us.
drive::DriveConfig dies_alone(std::uint32_t dies, Duration read_time) {
  drive::DriveConfig config = test::tiny_drive();
  config.geometry = {.channels = dies, .blocks_per_die = 16, .pages_per_block = 8};
  config.sectors = std::uint64_t{dies} * 100 * 8;  // the same number of pages on each die
  config.timing.read_time = read_time;
  config.timing.bus_cycle = 1ns;
  config.timing.command_address_cycles = 0;
  config.controller.channels = dies;
  config.controller.two_plane_reads = false;
  config.controller.read_ahead = Bytes{0};
  config.firmware = {.front_per_command = 0ns, .back_per_run = 0ns, .trim_per_range = 0ns};
  config.link = {.rate = 100'000'000'000, .data_fis_gap = 0ns};
  config.host = {.command_overhead = 0ns};
  return config;
}

// Random reads of single pages of a filled drive.
backend::RunResult read_at_random(const drive::DriveConfig& config, std::uint32_t queue_depth,
                                  std::uint32_t requests) {
  return test::run_job(
      config,
      "rw=randread\nnorandommap\nbs=4k\nio_size=100g\niodepth=" + std::to_string(queue_depth) +
          "\nnumber_ios=" + std::to_string(requests) + "\n",
      {"filled"});
}

// Requests per second.
double throughput(const backend::RunResult& result) {
  const measure::JobStatistics& statistics = result.jobs[0].statistics;
  return static_cast<double>(statistics.direction[0].requests) / seconds(statistics.runtime);
}

// K = X R for a job of queue depth K: as long as requests are issued K are in flight, then they end
// one by one within the longest latency. So the sum of the latencies is K times the time but for at
// most (K - 1) longest latencies, exactly.
void check_littles_law(const backend::RunResult& result, std::uint32_t queue_depth) {
  const measure::JobStatistics& statistics = result.jobs[0].statistics;
  double sum = 0;  // of latencies, in ns
  double longest = 0;
  std::uint64_t requests = 0;
  for (const measure::DirectionStatistics& direction : statistics.direction) {
    sum += direction.total.mean_ns() * static_cast<double>(direction.requests);
    longest = std::max(longest, static_cast<double>(direction.total.max().count()));
    requests += direction.requests;
  }
  const double in_flight = queue_depth * static_cast<double>(statistics.runtime.count());
  const double rounding = 1e-12 * sum;
  CHECK(requests > 0);
  CHECK(sum <= in_flight + rounding);
  CHECK(in_flight - sum <= (queue_depth - 1) * longest + rounding);
}

}  // namespace

TEST_CASE("requests in flight are throughput times latency on the X25-M (T20)") {
  const drive::DriveConfig config =
      config::load_drive("x25-m-g2-80", {"nand.blocks_per_die=104", "drive.sectors=1953768"})
          .config;
  const std::vector<std::string> loads = {
      "rw=randread\nbs=4k\nio_size=40m\n",  "rw=read\nbs=128k\nio_size=100m\n",
      "rw=randwrite\nbs=4k\nio_size=40m\n", "rw=write\nbs=128k\nio_size=100m\n",
      "rw=randrw\nbs=4k\nio_size=40m\n",    "rw=randtrim\nbs=64k\nio_size=40m\n",
  };
  for (const std::string& load : loads) {
    for (const std::uint32_t depth : {1u, 7u, 32u, 100u}) {
      CAPTURE(load);
      CAPTURE(depth);
      const std::string options =
          load + "norandommap\nsize=100m\niodepth=" + std::to_string(depth) + "\n";
      check_littles_law(test::run_job(config, options, {"filled"}), depth);
    }
  }
}

TEST_CASE("requests in flight are throughput times latency where the edges hardly count (T20)") {
  const drive::DriveConfig config = dies_alone(10, 50us);
  for (const std::uint32_t depth : {1u, 4u, 32u, 200u}) {
    CAPTURE(depth);
    const backend::RunResult result = read_at_random(config, depth, 100'000);
    check_littles_law(result, depth);
    const double latency = result.jobs[0].statistics.direction[0].total.mean_ns() * 1e-9;
    CHECK(throughput(result) * latency == within(depth, 0.005));
  }
}

namespace {

struct LockStepRow {
  std::uint32_t dies;
  // Busy dies at these depths: exact, or where the state is too large Monte Carlo.
  std::array<double, 7> expected;
};
constexpr std::array<std::uint32_t, 7> depths{1, 2, 3, 4, 8, 16, 32};

constexpr LockStepRow lock_step_table[] = {
    {5, {1.0000, 1.8000, 2.4095, 2.8630, 3.8024, 4.3817, 4.6896}},
    {10, {1.0000, 1.9000, 2.7011, 3.4077, 5.4461, 7.3610, 8.6042}},
    {16, {1.0000, 1.9375, 2.8128, 3.6268, 6.3149, 9.6219, 12.4139}},
    {20, {1.0000, 1.9500, 2.8501, 3.7009, 6.6337, 10.6261, 14.4789}},
    {40, {1.0000, 1.9750, 2.9250, 3.8501, 7.3042, 13.0928, 21.0212}},
};

void check_lock_step(const LockStepRow& row, std::uint32_t requests) {
  constexpr Duration read_time = 10ms;
  const drive::DriveConfig config = dies_alone(row.dies, read_time);
  for (std::size_t i = 0; i < depths.size(); ++i) {
    CAPTURE(row.dies);
    CAPTURE(depths[i]);
    const backend::RunResult result = read_at_random(config, depths[i], requests);
    // In units of the time of a read; each die is busy for that long with each request.
    CHECK(throughput(result) * seconds(read_time) == within(row.expected[i], 0.005));
    CHECK(result.drives[0].busy.dies * row.dies == within(row.expected[i], 0.005));
  }
}

}  // namespace

TEST_CASE("random reads of dies that all take the same time keep as many busy as lock step (T21)") {
  check_lock_step(lock_step_table[1], 100'000);
}

TEST_CASE("random reads keep as many dies busy as lock step at every number of dies (T21)" *
          doctest::test_suite("long")) {
  for (const LockStepRow& row : lock_step_table) check_lock_step(row, 400'000);
}

TEST_CASE("dies that share a channel without delay are as busy as dies on channels alone (T21)") {
  drive::DriveConfig config = dies_alone(10, 10ms);
  config.geometry.channels = 2;
  config.geometry.dies_per_package = 5;
  CHECK(throughput(read_at_random(config, 32, 200'000)) * 10e-3 == within(8.6042, 0.005));
}

TEST_CASE("throughput of equal times lies between exponential times and the bound (T22)") {
  // Front stage, dies with their channels, and link, one behind the other. A die keeps its data
  // until they have crossed its channel, so that both are one station.
  for (const std::uint32_t dies : {10u, 20u}) {
    for (const Duration transfer : {Duration{25us}, Duration{100us}}) {
      drive::DriveConfig config = dies_alone(dies, 50us);
      config.timing.bus_cycle = Duration{transfer.count() / 4096};
      config.firmware.front_per_command = 5us;
      config.link = {.rate = 3'000'000'000, .data_fis_gap = 0ns};
      const model::ReadLatency latency = model::unloaded_read_latency(config);
      const model::ClosedNetwork network{
          .stations = {{seconds(latency.front), 1},
                       {seconds(latency.array_read + latency.transfer) / dies, dies},
                       {seconds(latency.command + latency.data), 1}},
          .think_time = 0};
      for (const std::uint32_t depth : {1u, 2u, 4u, 8u, 16u, 32u}) {
        CAPTURE(dies);
        CAPTURE(transfer.count());
        CAPTURE(depth);
        constexpr std::uint32_t requests = 50'000;
        const double found = throughput(read_at_random(config, depth, requests));
        // At the begin and the end of the run fewer than `depth` are in flight.
        const double edges = static_cast<double>(depth) / requests;
        // What is left of a nanosecond on the link is carried on: up to 1 in 60,000 ns.
        constexpr double rounding = 2e-5;
        const double exponential = model::mean_value_analysis(network, depth).throughput;
        CHECK(found >= exponential * (1 - edges - rounding));
        CHECK(found <= model::asymptotic_bounds(network, depth).upper * (1 + rounding));
        if (depth >= 2 && depth <= 8) CHECK(found > exponential * 1.01);
      }
    }
  }
}
