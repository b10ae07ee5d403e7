// Wear levelling against theory: what moving static data costs, how far erase counts then lie
// apart, and that no block is left unused. A suffix like (T14) in a test's name is the number of
// the check in the theory's notes, whose tolerances are used here.
#include <cmath>
#include <doctest/doctest.h>
#include <optional>

#include "ftl/victim_policy.hpp"
#include "sim/model/wear.hpp"
#include "tests/near.hpp"
#include "tests/one_pool.hpp"

using namespace x25sim;
using ftl::Cause;
using ftl::GcPolicy;
using ftl::WearLeveling;
using test::blocking;
using test::OnePool;
using test::within;

namespace {

constexpr std::uint32_t pages_per_block = 8;  // few, so that blocks wear fast
constexpr std::uint32_t blocks = 500;
constexpr double hot_spare_factor = 0.2;  // of the blocks without static data

ftl::Config leveling(WearLeveling kind, std::uint32_t threshold = 100) {
  ftl::Config config = blocking(GcPolicy::greedy);
  config.wear_leveling = kind;
  config.wear_threshold = threshold;
  return config;
}

// A drive of which a share of the blocks is filled once, and the rest overwritten at random.
class StaticAndHot {
 public:
  StaticAndHot(double static_share, const ftl::Config& config)
      : static_pages_(static_cast<std::uint32_t>(std::lround(blocks * static_share)) *
                      pages_per_block),
        pool_(
            blocks - OnePool::free_blocks(config), pages_per_block,
            static_pages_ + static_cast<std::uint64_t>((blocks * pages_per_block - static_pages_) *
                                                       (1 - hot_spare_factor)),
            config) {
    pool_.fill();
  }

  // Overwrites until blocks have been erased `erases` times more in the mean; what was counted.
  ftl::Counters wear_down(double erases) {
    const ftl::Counters before = pool_.ftl().counters();
    const auto end = before.erases + static_cast<std::uint64_t>(erases * blocks);
    while (pool_.ftl().counters().erases < end) {
      pool_.write(static_pages_ + random_.below(pool_.pages() - static_pages_));
    }
    pool_.check_invariants();
    return pool_.ftl().counters() - before;
  }

  ftl::WearSummary wear() const { return pool_.ftl().wear(); }

 private:
  std::uint32_t static_pages_;
  OnePool pool_;
  Random random_ = random_stream(1, "test", 0);
};

double dispersion() {
  return model::erase_dispersion({model::VictimPolicy::greedy, 0, pages_per_block},
                                 hot_spare_factor);
}

}  // namespace

TEST_CASE("moving static data costs the static share of blocks over the threshold (T14)" *
          doctest::test_suite("long")) {
  for (const double share : {0.2, 0.5, 0.8}) {
    CAPTURE(share);
    StaticAndHot unmoved(share, leveling(WearLeveling::dynamic));
    unmoved.wear_down(20);
    const double hot = unmoved.wear_down(200).write_amplification_gc();
    for (const std::uint32_t threshold : {20u, 100u}) {
      CAPTURE(threshold);
      StaticAndHot drive(share, leveling(WearLeveling::static_, threshold));
      // Until every block has had static data a few times; each time takes so many erases of it.
      const double turn = threshold / share;
      drive.wear_down(4 * turn);
      const ftl::Counters counted = drive.wear_down(8 * turn);
      const double host = static_cast<double>(counted.host_pages());
      const double total = static_cast<double>(counted.program_total()) / host;
      CHECK(total == within(hot * model::static_levelling_factor(share, threshold), 0.05));
      // That would hold without any levelling, too: the copies themselves.
      const double moved = static_cast<double>(counted.programs_of(Cause::wear));
      CHECK(moved / (static_cast<double>(counted.program_total()) - moved) ==
            within(share / threshold, 0.05));
      CHECK(static_cast<double>(counted.wear_runs) / static_cast<double>(counted.gc_runs) ==
            within(share / threshold, 0.05));
      // And static data stay by themselves: the rest is collected as before.
      CHECK(counted.write_amplification_gc() == within(hot, 0.005));
      // The spread is the threshold, and what chance adds in one turn.
      const ftl::WearSummary wear = drive.wear();
      const double spread = wear.max - wear.min;
      CHECK(spread >= 0.9 * threshold);
      CHECK(spread <= threshold + model::expected_max_erases(turn, dispersion(), blocks) - turn);
    }
  }
}

TEST_CASE("without moving static data their blocks do not wear and the others wear for them") {
  for (const double share : {0.2, 0.5, 0.8}) {
    CAPTURE(share);
    StaticAndHot drive(share, leveling(WearLeveling::dynamic));
    drive.wear_down(200);
    const ftl::WearSummary wear = drive.wear();
    CHECK(wear.min == 0);
    const double hot_mean = wear.mean / (1 - share);
    CHECK(wear.max ==
          within(model::expected_max_erases(hot_mean, dispersion(), blocks * (1 - share)), 0.02));
  }
}

TEST_CASE("sequential writes leave no block unused under greedy collection (T13)") {
  for (const WearLeveling kind :
       {WearLeveling::none, WearLeveling::dynamic, WearLeveling::static_}) {
    for (const ftl::GcPacing pacing : {ftl::GcPacing::blocking, ftl::GcPacing::paced}) {
      ftl::Config config = leveling(kind);
      config.gc_pacing = pacing;
      OnePool pool(512, 64, static_cast<std::uint64_t>(512 * 64 * (1 - 0.0687)), config);
      while (pool.ftl().wear().mean < 18) pool.fill();
      const ftl::WearSummary wear = pool.ftl().wear();
      CAPTURE(wear.min);
      CAPTURE(wear.max);
      CHECK(wear.min >= 17);
      CHECK(wear.max - wear.min <= 2);
      CHECK(pool.ftl().counters().programs_of(Cause::gc) == 0);
    }
  }
}

TEST_CASE("the free block with the fewest erases is used first where wear is levelled") {
  // Random victims wear blocks by chance; using the least worn one first takes some of it away.
  const auto spread = [](WearLeveling kind) {
    ftl::Config config = blocking(GcPolicy::random);
    config.wear_leveling = kind;
    config.gc_high_watermark = 32;
    OnePool pool(256, 16, 3277, config);
    pool.fill();
    Random random = random_stream(1, "test", 0);
    while (pool.ftl().counters().erases < 100 * 256) pool.write(random.below(pool.pages()));
    return pool.ftl().wear().stddev;
  };
  CHECK(spread(WearLeveling::dynamic) < spread(WearLeveling::none));
}

namespace {

// Checks of every block whose data are moved to level wear that it is less worn than the block
// erased just before by the threshold at least.
class LevelingSink {
 public:
  LevelingSink(nand::FlashArray& array, std::uint32_t threshold)
      : array_(array), threshold_(threshold) {}

  void read(Ppn page, Cause cause) {
    array_.read(page);
    if (cause != Cause::wear) return;
    ++moved_;
    const std::uint32_t source = array_.erase_count(array_.geometry().block_of(page));
    REQUIRE(erased_.has_value());
    if (array_.erase_count(*erased_) < source + threshold_) ++wrong_;
  }
  void program(Ppn page, Cause /*cause*/) { array_.program(page); }
  void erase(BlockId block) {
    array_.erase(block);
    erased_ = block;
  }

  std::uint64_t moved() const { return moved_; }
  std::uint64_t wrong() const { return wrong_; }

 private:
  nand::FlashArray& array_;
  std::uint32_t threshold_;
  std::optional<BlockId> erased_;
  std::uint64_t moved_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

TEST_CASE("data are moved only into blocks that are more worn by the threshold") {
  std::uint64_t moved = 0;
  for (const ftl::PolicyEntry& entry : ftl::victim_policies()) {
    for (const std::uint32_t threshold : {1u, 2u, 5u}) {
      CAPTURE(entry.name);
      CAPTURE(threshold);
      ftl::Config config = blocking(entry.policy);
      config.wear_leveling = WearLeveling::static_;
      config.wear_threshold = threshold;
      const nand::Geometry geometry{.blocks_per_die = 8, .pages_per_block = 4};
      ftl::PageFtl ftl(geometry, config, ftl::max_logical_pages(geometry, config) / 2, 3);
      nand::FlashArray array(geometry);
      LevelingSink sink(array, threshold);
      Random random = random_stream(1, "test", 0);
      for (std::uint32_t page = 0; page < ftl.logical_pages(); ++page) {
        ftl.write(Lpn{page}, Cause::host, sink);
      }
      for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t pages = i / 2'000 % 2 == 0 ? 2 : ftl.logical_pages();
        ftl.write(Lpn{static_cast<std::uint32_t>(random.below(pages))}, Cause::host, sink);
      }
      ftl.check_invariants(array);
      CHECK(sink.wrong() == 0);
      moved += sink.moved();
    }
  }
  CHECK(moved > 1000);
}
