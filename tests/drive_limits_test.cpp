// Rates, busy fractions and limits of whole drives move with their configuration as the closed
// forms say: nothing that the program prints is itself one of those forms.
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "sim/backend/simulation.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/model/workload_bounds.hpp"
#include "sim/model/write_amplification.hpp"

using namespace x25sim;

namespace {

using drive::Bound;
using workload::Direction;

struct Outcome {
  double rate = 0;  // B/s
  drive::BusyFractions busy;
  model::LoadBounds bounds{};
};

workload::Job job_of(Direction direction, bool random, std::uint64_t block, std::uint32_t depth,
                     std::uint64_t region, std::uint64_t amount) {
  workload::Job job;
  job.direction = direction;
  job.random = random;
  job.no_random_map = true;
  job.sizes.fill(workload::fixed_size(Bytes{block}));
  job.iodepth = depth;
  job.size = Bytes{region};
  job.io_size = Bytes{amount};
  return job;
}

// Runs `job` on the X25-M G2 80 GB with other values of some keys, on the part of it that the job
// touches: for reads that part is filled first.
Outcome run(const std::vector<std::string>& overrides, const workload::Job& job) {
  const drive::DriveConfig config = config::load_drive("x25-m-g2-80", overrides).config;
  backend::Simulation simulation(config);
  const bool write = job.direction == Direction::write;
  if (!write) {
    const auto fill = job_of(Direction::write, false, 1 << 20, 1, job.size.count, job.size.count);
    simulation.prepare({{"", backend::Preparation::Kind::jobs, {}, {fill}, {}}}, 1);
  }
  const backend::RunResult result = simulation.run({job}, 1);
  const auto& statistics = result.jobs[0].statistics;
  const std::size_t direction = write ? 1 : 0;
  Outcome outcome;
  outcome.rate = static_cast<double>(statistics.direction[direction].bytes.count) /
                 seconds(statistics.runtime);
  outcome.busy = result.drives[0].busy;
  outcome.bounds =
      model::load_bounds(config, {write, job.random, job.sizes[direction].max, job.iodepth, 1, 0});
  simulation.drive().check_invariants();
  return outcome;
}

void check_bound(const Outcome& outcome, Bound bound, double tolerance) {
  CHECK(outcome.bounds.limiting() == bound);
  CHECK(drive::bound_by(outcome.busy) == bound);
  CHECK(outcome.rate == doctest::Approx(outcome.bounds.lowest()).epsilon(tolerance));
}

const workload::Job sequential_write =
    job_of(Direction::write, false, 128 << 10, 4, 400 << 20, 400 << 20);
const workload::Job sequential_read =
    job_of(Direction::read, false, 128 << 10, 32, 400 << 20, 800 << 20);
const workload::Job random_read = job_of(Direction::read, true, 4096, 32, 400 << 20, 800 << 20);
const workload::Job random_write = job_of(Direction::write, true, 4096, 8, 400 << 20, 200 << 20);

}  // namespace

TEST_CASE("sequential writes follow the program time, the slots and the channels") {
  const Outcome base = run({}, sequential_write);
  check_bound(base, Bound::program_slots, 0.005);
  CHECK(base.rate == doctest::Approx(20 * 4096 / 1008.025e-6).epsilon(0.005));
  CHECK(base.busy.program_slots == doctest::Approx(1).epsilon(0.01));
  CHECK(base.busy.channels == doctest::Approx(2 * 108.025 / 1008.025).epsilon(0.01));

  const Outcome slow = run({"nand.program_time=1800us"}, sequential_write);
  check_bound(slow, Bound::program_slots, 0.005);
  CHECK(slow.rate / base.rate == doctest::Approx(1008.025 / 1908.025).epsilon(0.005));
  CHECK(slow.busy.channels == doctest::Approx(2 * 108.025 / 1908.025).epsilon(0.01));
  CHECK(slow.busy.link / base.busy.link == doctest::Approx(slow.rate / base.rate).epsilon(0.01));

  const Outcome half =
      run({"controller.populated_channels=5", "drive.sectors=78150744"}, sequential_write);
  check_bound(half, Bound::program_slots, 0.005);
  CHECK(half.rate / base.rate == doctest::Approx(0.5).epsilon(0.01));
  CHECK(half.busy.channels == doctest::Approx(base.busy.channels).epsilon(0.01));

  const Outcome one_slot = run({"controller.program_slots_per_channel=1"}, sequential_write);
  check_bound(one_slot, Bound::program_slots, 0.005);
  CHECK(one_slot.rate / base.rate == doctest::Approx(0.5).epsilon(0.01));

  const Outcome capped = run({"controller.program_slots=5"}, sequential_write);
  check_bound(capped, Bound::program_slots, 0.005);
  CHECK(capped.rate / base.rate == doctest::Approx(0.25).epsilon(0.01));
}

TEST_CASE("sequential reads follow the link, then the channel bus") {
  const Outcome base = run({}, sequential_read);
  check_bound(base, Bound::link, 0.01);
  CHECK(base.rate > 240e6);
  CHECK(base.rate < 285e6);

  const Outcome slow_link = run({"link.rate=1.5Gb/s"}, sequential_read);
  check_bound(slow_link, Bound::link, 0.01);
  CHECK(slow_link.rate < 0.56 * base.rate);
  CHECK(slow_link.busy.channels / base.busy.channels ==
        doctest::Approx(slow_link.rate / base.rate).epsilon(0.02));

  const Outcome half =
      run({"controller.populated_channels=5", "drive.sectors=78150744"}, sequential_read);
  check_bound(half, Bound::channels, 0.01);
  CHECK(half.rate == doctest::Approx(5 * 4096 / 108.025e-6).epsilon(0.01));

  const Outcome slow_bus = run({"nand.bus_cycle=50ns"}, sequential_read);
  check_bound(slow_bus, Bound::channels, 0.01);
}

TEST_CASE("random reads follow the firmware's front stage, random writes its back stage") {
  const Outcome read = run({}, random_read);
  check_bound(read, Bound::firmware, 0.01);
  CHECK(read.rate / 4096 == doctest::Approx(50'000).epsilon(0.01));
  const Outcome slow_front = run({"firmware.front_per_command=40us"}, random_read);
  check_bound(slow_front, Bound::firmware, 0.01);
  CHECK(slow_front.rate / read.rate == doctest::Approx(0.5).epsilon(0.01));

  const Outcome write = run({}, random_write);
  check_bound(write, Bound::firmware, 0.01);
  CHECK(write.rate / 4096 == doctest::Approx(1 / 110e-6).epsilon(0.01));
  const Outcome slow_back = run({"firmware.back_per_run=220us"}, random_write);
  check_bound(slow_back, Bound::firmware, 0.01);
  CHECK(slow_back.rate / write.rate == doctest::Approx(0.5).epsilon(0.01));
}

TEST_CASE("reads one at a time follow the unloaded latency") {
  const auto job = job_of(Direction::read, true, 4096, 1, 400 << 20, 40 << 20);
  const Outcome base = run({}, job);
  check_bound(base, Bound::queue_depth, 0.005);
  const Outcome slow = run({"nand.read_time=72us"}, job);
  check_bound(slow, Bound::queue_depth, 0.005);
  CHECK(4096 / slow.rate - 4096 / base.rate == doctest::Approx(36e-6).epsilon(0.01));
}

TEST_CASE("timed random writes amplify as the closed form says at the T and U reported") {
  const drive::DriveConfig config =
      config::load_drive("x25-m-g2-80", {"controller.populated_channels=2",
                                         "nand.blocks_per_die=1024", "drive.sectors=3900000"})
          .config;
  backend::Simulation simulation(config);
  const std::uint64_t span = config.capacity().count / 4096 * 4096;
  simulation.prepare({{"", backend::Preparation::Kind::used, Bytes{span}, {}, {}}}, 1);
  const backend::RunResult result =
      simulation.run({job_of(Direction::write, true, 4096, 32, span, span)}, 1);
  const drive::DriveReport& report = result.drives[0];
  const double expected = model::greedy_write_amplification(report.space.spare_factor_effective(),
                                                            config.geometry.pages_per_block);
  CHECK(report.counters.ftl.write_amplification_gc() == doctest::Approx(expected).epsilon(0.01));
  simulation.drive().check_invariants();
}
