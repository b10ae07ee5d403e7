// Superblocks: blocks of several dies that are written, cleaned and erased as one. Against the
// theory of larger blocks, page by page, and in time.
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "ftl/functional.hpp"
#include "ftl/page_ftl.hpp"
#include "nand/random.hpp"
#include "sim/backend/simulation.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/drive/span_observer.hpp"
#include "sim/model/write_amplification.hpp"
#include "tests/near.hpp"
#include "tests/tiny_drive.hpp"

using namespace x25sim;
using ftl::PoolUnit;
using ftl::StripeDimension;
using test::within;

namespace {

struct Shape {
  std::uint32_t dies;
  std::uint32_t planes;
  std::uint32_t blocks_per_die;
  std::uint32_t pages_per_block;
  std::uint32_t superblock_dies;
  PoolUnit pool;
};

// Greedy collection of uniform writes, 20 drive writes after 8 to warm up, at a spare factor of
// 0.1.
double uniform_amplification(const Shape& shape, ftl::GcPacing pacing) {
  const nand::Geometry geometry{.channels = shape.dies,
                                .planes_per_die = shape.planes,
                                .blocks_per_die = shape.blocks_per_die,
                                .pages_per_block = shape.pages_per_block};
  ftl::Config config;
  config.superblock_dies = shape.superblock_dies;
  config.pool = shape.pool;
  config.gc_pacing = pacing;
  const std::uint64_t gc_pages = ftl::PoolLayout(geometry, config).gc_pages();
  ftl::PageFtl ftl(geometry, config, gc_pages * 9 / 10);
  nand::FlashArray array(geometry);
  ftl::FunctionalExecutor executor(array);
  const auto pages = static_cast<std::uint32_t>(ftl.logical_pages());
  for (std::uint32_t page = 0; page < pages; ++page)
    ftl.write(Lpn{page}, ftl::Cause::host, executor);
  Random random = random_stream(1, "test", 0);
  const auto overwrite = [&](std::uint64_t writes) {
    const ftl::Counters before = ftl.counters();
    for (std::uint64_t i = 0; i < writes; ++i) {
      ftl.write(Lpn{static_cast<std::uint32_t>(random.below(pages))}, ftl::Cause::host, executor);
    }
    return (ftl.counters() - before).write_amplification_gc();
  };
  overwrite(8 * std::uint64_t{pages});
  const double amplification = overwrite(20 * std::uint64_t{pages});
  ftl.check_invariants(array);
  return amplification;
}

}  // namespace

TEST_CASE("superblocks of k dies amplify as blocks of k times the pages (T4)" *
          doctest::test_suite("long")) {
  struct Row {
    Shape shape;
    std::uint32_t pages;  // of a superblock
    double expected;      // of the table
  };
  // A thousand superblocks in a pool and a reserved one.
  for (const Row& row : {Row{{2, 1, 1025, 32, 2, PoolUnit::die}, 64, 4.8213},
                         Row{{4, 1, 1025, 16, 4, PoolUnit::die}, 64, 4.8213},
                         Row{{4, 1, 1025, 32, 4, PoolUnit::die}, 128, 4.9922},
                         Row{{10, 1, 1025, 16, 5, PoolUnit::die}, 80, 0},
                         Row{{4, 1, 1025, 64, 2, PoolUnit::die}, 128, 4.9922},
                         Row{{2, 2, 2050, 32, 2, PoolUnit::plane}, 64, 4.8213},
                         Row{{8, 2, 2050, 8, 4, PoolUnit::plane}, 32, 4.5082}}) {
    CAPTURE(row.shape.dies);
    CAPTURE(row.shape.superblock_dies);
    CAPTURE(row.pages);
    const double expected = model::greedy_write_amplification(0.1, row.pages);
    if (row.expected > 0) CHECK(expected == within(row.expected, 2e-5));
    for (const ftl::GcPacing pacing : {ftl::GcPacing::blocking, ftl::GcPacing::paced}) {
      CHECK(uniform_amplification(row.shape, pacing) == within(expected, 0.005));
    }
  }
}

TEST_CASE("pools of dies and of planes amplify as each alone would (T4)" *
          doctest::test_suite("long")) {
  for (const Shape& shape :
       {Shape{4, 1, 1025, 32, 1, PoolUnit::die}, Shape{2, 2, 2050, 32, 1, PoolUnit::plane},
        Shape{2, 2, 1025 * 2, 32, 1, PoolUnit::die}}) {
    CAPTURE(shape.dies);
    for (const ftl::GcPacing pacing : {ftl::GcPacing::blocking, ftl::GcPacing::paced}) {
      CHECK(uniform_amplification(shape, pacing) == within(4.5082, 0.005));
    }
  }
}

TEST_CASE("the pages of a superblock lie on one die after the other in striping order") {
  const nand::Geometry geometry{.channels = 3,
                                .dies_per_package = 4,
                                .planes_per_die = 2,
                                .blocks_per_die = 12,
                                .pages_per_block = 5};
  constexpr auto c = StripeDimension::channel;
  constexpr auto d = StripeDimension::die;
  constexpr auto p = StripeDimension::plane;
  for (const std::array<StripeDimension, 3>& order :
       {std::array{c, d, p}, std::array{d, c, p}, std::array{p, d, c}}) {
    // The dies in striping order: those of the first pages where each die is a pool.
    ftl::Config single;
    single.stripe_order = order;
    single.pool = PoolUnit::die;
    std::vector<std::uint32_t> dies;
    {
      ftl::PageFtl ftl(geometry, single, 200);
      nand::FlashArray array(geometry);
      ftl::FunctionalExecutor executor(array);
      for (std::uint32_t page = 0; page < geometry.dies(); ++page) {
        ftl.write(Lpn{page}, ftl::Cause::host, executor);
        dies.push_back(index(geometry.die_of(ftl.lookup(Lpn{page}))));
      }
    }
    if (order[0] == c)
      CHECK(dies == std::vector<std::uint32_t>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    if (order[0] != c)
      CHECK(dies == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    for (const std::uint32_t superblock_dies : {2u, 3u, 4u, 6u, 12u}) {
      for (const PoolUnit pool : {PoolUnit::die, PoolUnit::plane}) {
        CAPTURE(superblock_dies);
        ftl::Config config;
        config.stripe_order = order;
        config.pool = pool;
        config.superblock_dies = superblock_dies;
        ftl::PageFtl ftl(geometry, config, 200);
        nand::FlashArray array(geometry);
        ftl::FunctionalExecutor executor(array);
        // One superblock of each pool in turn.
        const std::uint32_t groups = geometry.dies() / superblock_dies;
        const std::uint32_t pools = groups * (pool == PoolUnit::plane ? 2 : 1);
        for (std::uint32_t page = 0; page < 4 * pools; ++page) {
          ftl.write(Lpn{page}, ftl::Cause::host, executor);
          const Ppn place = ftl.lookup(Lpn{page});
          const std::uint32_t group = page % pools % groups;
          const std::uint32_t offset = page / pools;  // in the superblock
          CHECK(index(geometry.die_of(place)) ==
                dies[group * superblock_dies + offset % superblock_dies]);
          CHECK(geometry.page_in_block(place) == offset / superblock_dies);
          CHECK(index(geometry.plane_of(geometry.block_of(place))) ==
                (page % pools < groups ? 0 : 1));
          // All of the superblock's blocks have one number.
          CHECK(index(geometry.block_of(place)) % geometry.blocks_per_die < 2);
        }
      }
    }
  }
}

TEST_CASE("all blocks of a superblock are erased together") {
  const nand::Geometry geometry{.channels = 4, .blocks_per_die = 16, .pages_per_block = 4};
  ftl::Config config;
  config.superblock_dies = 2;
  ftl::PageFtl ftl(geometry, config, 180);
  nand::FlashArray array(geometry);
  ftl::FunctionalExecutor executor(array);
  Random random = random_stream(1, "test", 0);
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    ftl.write(Lpn{i < 180 ? i : static_cast<std::uint32_t>(random.below(180))}, ftl::Cause::host,
              executor);
  }
  CHECK(ftl.counters().erases == 2 * ftl.counters().gc_runs);
  for (std::uint32_t block = 0; block < geometry.blocks_per_die; ++block) {
    for (const std::uint32_t die : {0u, 2u}) {
      const std::uint32_t erases = array.erase_count(geometry.block_at(DieId{die}, block));
      CHECK(array.erase_count(geometry.block_at(DieId{die + 1}, block)) == erases);
      CHECK(ftl.erase_count(geometry.block_at(DieId{die + 1}, block)) == erases);
    }
  }
}

TEST_CASE("sequential writes are as fast over superblocks of all dies as over single blocks") {
  const auto bandwidth = [](const std::string& superblock_dies, const std::string& length) {
    const drive::DriveConfig config =
        config::load_drive("x25-v-40", {"nand.blocks_per_die=64", "drive.sectors=524288",
                                        "firmware.superblock_dies=" + superblock_dies})
            .config;
    const backend::RunResult result = test::run_job(
        config, "rw=write\nbs=" + length + "\niodepth=32\nsize=100%\nloops=2\n", {"filled"});
    const measure::JobStatistics& job = result.jobs[0].statistics;
    CHECK(result.drives[0].counters.ftl.programs_of(ftl::Cause::gc) == 0);
    return static_cast<double>(job.direction[1].bytes.count) / seconds(job.runtime);
  };
  for (const char* const length : {"4k", "128k"}) {
    CAPTURE(length);
    const double single = bandwidth("1", length);
    CHECK(bandwidth("10", length) == within(single, 0.03));
    CHECK(bandwidth("5", length) == within(single, 0.03));
  }
}

namespace {

// Performs the FTL's operations, and lists its copies: from where to where, in their order.
class CopyList {
 public:
  explicit CopyList(nand::FlashArray& array) : array_(array) {}

  void read(Ppn page, ftl::Cause /*cause*/) {
    array_.read(page);
    source_ = index(page);
  }
  void program(Ppn page, ftl::Cause cause) {
    array_.program(page);
    if (cause == ftl::Cause::gc) copies_.push_back({source_, index(page)});
  }
  void erase(BlockId block) { array_.erase(block); }

  struct Copy {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };
  const std::vector<Copy>& copies() const { return copies_; }

 private:
  nand::FlashArray& array_;
  std::uint64_t source_ = 0;
  std::vector<Copy> copies_;
};

// Notes when copied pages had left their dies, and when pages began to be programmed, by page.
class TransferTimes final : public drive::SpanObserver {
 public:
  void on_span(const drive::Span& span) override {
    if (span.resource != drive::Resource::channel) return;
    if (span.what == std::string("gc read"))
      read[span.detail].push_back(span.start + span.duration);
    if (span.what == std::string("program")) program[span.detail].push_back(span.start);
  }

  std::map<std::uint64_t, std::deque<Time>> read;
  std::map<std::uint64_t, std::deque<Time>> program;
};

}  // namespace

TEST_CASE("a page is copied to another die when it has left the one that it was on") {
  for (const ftl::GcPacing pacing : {ftl::GcPacing::blocking, ftl::GcPacing::paced}) {
    drive::DriveConfig config = test::tiny_drive();
    config.geometry = {
        .channels = 2, .dies_per_package = 2, .blocks_per_die = 12, .pages_per_block = 4};
    config.sectors = 120 * 8;
    config.timing.read_time = std::chrono::milliseconds{3};  // longer than a program
    config.controller.write_buffer = Bytes{8 << 10};
    config.ftl.superblock_dies = 4;
    config.ftl.gc_pacing = pacing;
    Random random = random_stream(1, "test", 0);
    std::vector<trace::Record> records;
    for (int i = 0; i < 600; ++i) {
      const std::uint64_t page = i < 120 ? static_cast<std::uint64_t>(i) : random.below(120);
      records.push_back(test::record_at(Duration{}, workload::Operation::write, page));
      records.push_back(test::record_at(Duration{}, workload::Operation::flush, 0, 0));
    }
    // What the drive's FTL will decide.
    ftl::PageFtl ftl(config.geometry, config.ftl, config.logical_pages());
    nand::FlashArray array(config.geometry);
    CopyList list(array);
    TransferTimes times;
    backend::Simulation simulation(config);
    simulation.set_observer(&times);
    test::replay(simulation, records);
    for (const trace::Record& record : records) {
      if (record.kind != trace::Kind::write) continue;
      const auto page = static_cast<std::uint32_t>(record.offset / Bytes{4096});
      // The host's own programs, to keep the two lists in step.
      const std::size_t copied = list.copies().size();
      ftl.write(Lpn{page}, ftl::Cause::host, list);
      for (std::size_t i = copied; i < list.copies().size(); ++i) {
        auto& read = times.read[list.copies()[i].from];
        auto& program = times.program[list.copies()[i].to];
        REQUIRE(!read.empty());
        REQUIRE(!program.empty());
        CHECK(program.front() >= read.front());
        read.pop_front();
        program.pop_front();
      }
      auto& program = times.program[index(ftl.lookup(Lpn{page}))];
      REQUIRE(!program.empty());
      program.pop_front();
    }
    CHECK(list.copies().size() > 200);
    const auto crossing = [&config](const CopyList::Copy& copy) {
      return config.geometry.die_of(Ppn{static_cast<std::uint32_t>(copy.from)}) !=
             config.geometry.die_of(Ppn{static_cast<std::uint32_t>(copy.to)});
    };
    CHECK(std::any_of(list.copies().begin(), list.copies().end(), crossing));
  }
}
