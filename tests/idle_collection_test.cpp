// Garbage collection while the drive is idle, in time: what it saves, when it runs and when it
// stops.
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <utility>
#include <vector>

#include "nand/random.hpp"
#include "sim/drive/span_observer.hpp"
#include "tests/tiny_drive.hpp"

using namespace x25sim;
using namespace std::chrono_literals;

namespace {

using ftl::Cause;
using ftl::GcPacing;
using trace::Record;
using workload::Operation;

constexpr std::uint32_t high_watermark = 4;  // blocks of 16 pages in each of two pools
constexpr std::uint64_t pages = 1600;        // the user's

// Two dies of 64 blocks of 16 pages, of which 2016 pages take part in garbage collection.
drive::DriveConfig drive_with(GcPacing pacing, std::uint32_t watermark = high_watermark) {
  drive::DriveConfig config = test::tiny_drive();
  config.sectors = pages * 8;
  config.geometry.blocks_per_die = 64;
  config.geometry.pages_per_block = 16;
  config.ftl.gc_pacing = pacing;
  config.ftl.gc_high_watermark = watermark;
  config.firmware.gc_idle_delay = 5ms;
  return config;
}

// The longest that an operation of the drives above occupies a die, with its transfer.
constexpr Duration longest_operation = 2ms;

// Time in which a drive of any watermark can collect all that it needs.
constexpr Duration long_pause = 2s;

// Bursts of single pages at random, one page in a microsecond; after a read and a long pause.
std::vector<Record> bursts(int count, int pages_each, Duration gap) {
  Random random = random_stream(1, "test", 0);
  std::vector<Record> records{test::record_at(0us, Operation::read, 0)};
  for (int burst = 0; burst < count; ++burst) {
    for (int i = 0; i < pages_each; ++i) {
      records.push_back(test::record_at(long_pause + burst * gap + i * 1us, Operation::write,
                                        random.below(pages)));
    }
  }
  return records;
}

struct Outcome {
  measure::LatencyHistogram writes;
  measure::LatencyHistogram pauses;
  ftl::Counters ftl;

  Duration p99() const { return writes.percentile(99); }
};

Outcome outcome_of(const backend::RunResult& result) {
  return {
      result.jobs[0].statistics.direction[static_cast<std::size_t>(Operation::write)].completion,
      result.drives[0].gc_pauses, result.drives[0].counters.ftl};
}

// The same requests on a used drive.
Outcome run(const drive::DriveConfig& config, const std::vector<Record>& records) {
  backend::Simulation simulation(config);
  simulation.prepare({backend::parse_preparation("used", config.capacity())}, 1);
  const backend::RunResult result = test::replay(simulation, records);
  simulation.drive().check_invariants();
  return outcome_of(result);
}

// Counts what dies do.
class DieWatch final : public drive::SpanObserver {
 public:
  void on_span(const drive::Span& span) override {
    if (span.resource != drive::Resource::die) return;
    ++operations_;
  }
  std::uint64_t operations() const { return operations_; }

 private:
  std::uint64_t operations_ = 0;
};

}  // namespace

TEST_CASE("with time between bursts, idle collection spares them the pauses of the other pacings") {
  // Twenty pages for each pool: more than a block, less than the high watermark.
  const std::vector<Record> records = bursts(150, 40, 400ms);
  const Outcome idle = run(drive_with(GcPacing::idle), records);
  CHECK(idle.pauses.count() == 0);
  CHECK(idle.ftl.programs_of(Cause::gc) > 0);
  CHECK(idle.ftl.gc_runs > 100);
  // With the same watermark, and with the least that blocking collection can do.
  for (const std::uint32_t watermark : {high_watermark, 0u}) {
    CAPTURE(watermark);
    const Outcome blocking = run(drive_with(GcPacing::blocking, watermark), records);
    CHECK(blocking.pauses.count() > 0);
    CHECK(idle.p99() < blocking.p99());
    CHECK(idle.writes.max() < blocking.writes.max());
    CHECK(idle.writes.mean_ns() < blocking.writes.mean_ns());
  }
  const Outcome paced = run(drive_with(GcPacing::paced), records);
  CHECK(idle.p99() < paced.p99());
}

TEST_CASE("under sustained writes paced collection has lower latencies than blocking collection") {
  const auto sustained = [](GcPacing pacing) {
    return outcome_of(test::run_job(drive_with(pacing, 0),
                                    "rw=randwrite\nbs=4k\niodepth=4\nnorandommap\nio_size=24m\n",
                                    {"used"}));
  };
  const Outcome paced = sustained(GcPacing::paced);
  const Outcome blocking = sustained(GcPacing::blocking);
  CHECK(paced.p99() < blocking.p99());
  CHECK(paced.writes.max() < blocking.writes.max());
  CHECK(paced.pauses.max() < blocking.pauses.max());
}

TEST_CASE("bursts beyond the high watermark make idle collection block for the rest") {
  // A hundred pages for each pool, where 64 and the rest of an open block were erased.
  const std::vector<Record> records = bursts(40, 200, long_pause);
  const Outcome idle = run(drive_with(GcPacing::idle), records);
  const Outcome blocking = run(drive_with(GcPacing::blocking, 0), records);
  CHECK(idle.pauses.count() > 0);
  CHECK(idle.pauses.count() < blocking.pauses.count());
  // A victim at a time, as with blocking collection that has no high watermark.
  CHECK(idle.pauses.max() >= blocking.pauses.percentile(10));
  CHECK(idle.pauses.max() <= blocking.pauses.max());
  CHECK(idle.writes.mean_ns() < blocking.writes.mean_ns());
}

TEST_CASE("a drive that is never idle for long enough collects as a blocking one") {
  const std::vector<Record> records = bursts(60, 40, 40ms);
  drive::DriveConfig config = drive_with(GcPacing::idle);
  config.firmware.gc_idle_delay = long_pause;
  const Outcome idle = run(config, records);
  const Outcome blocking = run(drive_with(GcPacing::blocking, 0), records);
  CHECK(blocking.pauses.count() > 0);
  CHECK(idle.writes.mean_ns() == blocking.writes.mean_ns());
  CHECK(idle.writes.stddev_ns() == blocking.writes.stddev_ns());
  CHECK(idle.pauses.count() == blocking.pauses.count());
  CHECK(idle.pauses.mean_ns() == blocking.pauses.mean_ns());
}

TEST_CASE("a command waits for no more than the operation under way of an idle collection") {
  // The burst uses up erased blocks; then the drive collects for some 100 ms, and a command comes
  // at any time of it.
  const auto latency_of = [](GcPacing pacing, Duration at, Operation operation) {
    const drive::DriveConfig config = drive_with(pacing);
    backend::Simulation simulation(config);
    simulation.prepare({backend::parse_preparation("used", config.capacity())}, 1);
    test::replay(simulation, bursts(1, 80, 1s));
    const backend::RunResult result = test::replay(
        simulation, {test::record_at(0us, Operation::trim, 1), test::record_at(at, operation, 0)});
    return result.jobs[0]
        .statistics.direction[static_cast<std::size_t>(operation)]
        .completion.max();
  };
  const Duration read = latency_of(GcPacing::paced, 50ms, Operation::read);
  const Duration write = latency_of(GcPacing::paced, 50ms, Operation::write);
  Duration longest{};
  for (Duration at = 6ms; at < 90ms; at += 1700us) {
    const Duration latency = latency_of(GcPacing::idle, at, Operation::read);
    CHECK(latency >= read);
    CHECK(latency <= read + longest_operation);
    longest = std::max(longest, latency);
    // The write buffer takes data at once.
    CHECK(latency_of(GcPacing::idle, at, Operation::write) == write);
  }
  CHECK(longest > read + 500us);
}

TEST_CASE("idle collection stops for a command and goes on a delay after it") {
  const auto operations_in = [](Duration end, bool interrupted) {
    const drive::DriveConfig config = drive_with(GcPacing::idle);
    backend::Simulation simulation(config);
    simulation.prepare({backend::parse_preparation("used", config.capacity())}, 1);
    test::replay(simulation, bursts(1, 80, 1s));
    // Flushes, which leave the dies alone, in the midst of a collection and always within the
    // delay.
    std::vector<Record> records{test::record_at(0us, Operation::flush, 0, 0)};
    for (Duration at = 20ms; interrupted && at < end; at += 4ms) {
      records.push_back(test::record_at(at, Operation::flush, 0, 0));
    }
    records.push_back(test::record_at(end, Operation::flush, 0, 0));
    DieWatch watch;
    simulation.set_observer(&watch);
    test::replay(simulation, records);
    return watch.operations();
  };
  const std::uint64_t before = operations_in(20ms, false);
  CHECK(before > 20);
  // What was under way: a read and a program, or an erase, on either die.
  CHECK(operations_in(60ms, true) <= before + 4);
  CHECK(operations_in(60ms, false) >= 2 * before);
}

TEST_CASE("idle collection ends at the high watermark and does not begin again") {
  for (const std::uint32_t watermark : {1u, 4u, 9u}) {
    CAPTURE(watermark);
    const drive::DriveConfig config = drive_with(GcPacing::idle, watermark);
    const auto run_until = [&config](Duration end) {
      backend::Simulation simulation(config);
      simulation.prepare({backend::parse_preparation("used", config.capacity())}, 1);
      DieWatch watch;
      simulation.set_observer(&watch);
      test::replay(simulation, {test::record_at(0us, Operation::write, 3),
                                test::record_at(end, Operation::flush, 0, 0)});
      return std::pair{simulation.drive().ftl().space().free_blocks, watch.operations()};
    };
    const auto [free_blocks, operations] = run_until(100s);
    // More pages than those of the reserved and of the high watermark's blocks, the open block's
    // among them.
    CHECK(free_blocks >= 2 * (1 + watermark));
    CHECK(free_blocks <= 2 * (1 + watermark + 1));
    CHECK(operations > 10);
    CHECK(run_until(3s) == std::pair{free_blocks, operations});
  }
}

TEST_CASE("where nothing is invalid idle collection does nothing") {
  // New, or every page but one written once: fewer erased blocks than the watermark asks for.
  for (const std::uint64_t written : {std::uint64_t{0}, pages - 1}) {
    CAPTURE(written);
    backend::Simulation simulation(drive_with(GcPacing::idle, 60));
    for (std::uint64_t page = 0; page < written; ++page) {
      simulation.drive().apply({Operation::write, Bytes{page * 4096}, Bytes{4096}});
    }
    DieWatch watch;
    simulation.set_observer(&watch);
    // Of the page without data: the flash has nothing to do for them.
    test::replay(simulation, {test::record_at(0us, Operation::read, pages - 1),
                              test::record_at(60s, Operation::read, pages - 1)});
    CHECK(watch.operations() == 0);
    CHECK(simulation.drive().counters().ftl.erases == 0);
    CHECK(simulation.drive().counters().ftl.program_total() == written);
    simulation.drive().check_invariants();
  }
}

TEST_CASE("a pause begins when the host's program comes, not with the idle collection it meets") {
  // Single writes in the middle of collections: most find one under way on their die.
  std::vector<Record> records = bursts(1, 80, 1s);
  for (int i = 0; i < 30; ++i) {
    records.push_back(test::record_at(long_pause + 40ms + i * 5700us, Operation::write, 5 + i));
  }
  drive::DriveConfig config = drive_with(GcPacing::idle, 10);
  config.firmware.gc_idle_delay = 1ms;
  const Outcome idle = run(config, records);
  CHECK(idle.pauses.count() > 0);
  // A step is an erase, or a read and a program with their transfers and waits for the channel.
  CHECK(idle.pauses.max() <= longest_operation);
}

TEST_CASE("what is left of an idle collection's step holds up the host behind a read, too") {
  drive::DriveConfig config = drive_with(GcPacing::idle);
  config.timing.read_time = 5ms;
  backend::Simulation simulation(config);
  simulation.prepare({backend::parse_preparation("used", config.capacity())}, 1);
  test::replay(simulation, bursts(1, 80, 1s));
  // A page on each die that the collection will not move within its first step.
  const auto page_on = [&simulation](std::uint32_t die) {
    std::uint32_t page = 0;
    const auto place = [&] { return simulation.drive().ftl().lookup(Lpn{page}); };
    while (index(simulation.drive().config().geometry.die_of(place())) != die) ++page;
    return std::uint64_t{page};
  };
  // Copies begin after 5 ms with a read on both dies, which the host's reads wait for. The writes
  // come during these, when the copies' programs are still to be done.
  const backend::RunResult result =
      test::replay(simulation, {test::record_at(0us, Operation::flush, 0, 0),
                                test::record_at(6ms, Operation::read, page_on(0)),
                                test::record_at(6ms, Operation::read, page_on(1)),
                                test::record_at(12ms, Operation::write, 8, 2)});
  const measure::LatencyHistogram& pauses = result.drives[0].gc_pauses;
  CHECK(pauses.count() == 2);
  CHECK(pauses.min() > 3ms);
  CHECK(pauses.max() < 5ms);
}
