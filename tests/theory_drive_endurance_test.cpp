// The end of a drive's life against theory: how much the host has written when a block wears out
// that nothing can replace, what the reserve and wear levelling add to it, and that no data are
// lost by it. A suffix like (T15) in a test's name is the number of the check in the theory's
// notes, whose tolerances are used here.
#include <cmath>
#include <doctest/doctest.h>

#include "sim/model/numeric.hpp"
#include "sim/model/wear.hpp"
#include "sim/model/write_amplification.hpp"
#include "tests/near.hpp"
#include "tests/one_pool.hpp"

using namespace x25sim;
using ftl::GcPolicy;
using ftl::WearLeveling;
using test::blocking;
using test::OnePool;
using test::within;

namespace {

constexpr std::uint32_t pages_per_block = 64;

ftl::Config mortal(ftl::Config config, std::uint32_t cycles) {
  config.endurance_cycles = cycles;
  return config;
}

// Erases in the mean when the most worn of `blocks` has had `cycles`.
double mean_at_end(double cycles, double dispersion, double blocks) {
  return model::find_root(
      [&](double mean) { return model::expected_max_erases(mean, dispersion, blocks) - cycles; }, 1,
      cycles);
}

double host_bytes(const OnePool& pool) {
  return 4096 * static_cast<double>(pool.ftl().counters().host_pages());
}

// Writes pages uniformly drawn from the first `hot` ones until the drive has worn out.
void wear_out(OnePool& pool, std::uint64_t hot) {
  pool.fill();
  Random random = random_stream(1, "test", 0);
  while (!pool.ftl().worn_out()) pool.write(random.below(hot));
}

void check_all_readable(const OnePool& pool) {
  pool.check_invariants();
  bool readable = true;
  for (std::uint32_t page = 0; page < pool.pages(); ++page) {
    readable = readable && pool.ftl().lookup(Lpn{page}) != no_page;
  }
  CHECK(readable);
}

}  // namespace

TEST_CASE("a drive lasts as long as cycles and amplification and spread of wear say (T15)" *
          doctest::test_suite("long")) {
  constexpr std::uint32_t blocks = 1024;
  constexpr std::uint32_t cycles = 2000;
  constexpr double spare = 0.1;
  OnePool pool(blocks, pages_per_block,
               static_cast<std::uint64_t>(blocks * pages_per_block * (1 - spare)),
               mortal(blocking(GcPolicy::d_choices, 10), cycles));
  wear_out(pool, pool.pages());
  CHECK(pool.ftl().wear().max == cycles);
  constexpr double dispersion = 0.09128;
  const double mean = mean_at_end(cycles, dispersion, blocks + 1);
  const double raw = static_cast<double>(pool.geometry().raw_size().count);
  const double expected = model::lifetime_bytes(raw, cycles, 5.0002, cycles / mean);
  CHECK(host_bytes(pool) == within(expected, 0.01));
  check_all_readable(pool);
}

namespace {

// A drive of which 80 % of the data are never written again, and what theory says of it.
struct StaticData {
  static constexpr std::uint32_t blocks = 256;  // and the reserved one
  static constexpr std::uint32_t pages = blocks * pages_per_block * 9 / 10;
  static constexpr std::uint32_t hot = pages / 5;
  static constexpr std::uint32_t cycles = 1000;
  // Of all blocks, those full of static data.
  static constexpr double share = static_cast<double>(pages - hot) / pages_per_block / (blocks + 1);

  // Of the hot pages among those of `left` blocks in all.
  static double spare_factor(std::uint32_t left) {
    return 1 - static_cast<double>(hot) / (left * pages_per_block - (pages - hot));
  }
  // Bytes that the host can write if all blocks wear alike.
  static double levelled_life(double spare_factor) {
    const double amplification = model::greedy_write_amplification(spare_factor, pages_per_block);
    return model::lifetime_bytes(4096.0 * (blocks + 1) * pages_per_block, cycles, amplification, 1);
  }

  explicit StaticData(WearLeveling leveling, std::uint32_t threshold = 1)
      : pool(blocks, pages_per_block, pages, config(leveling, threshold)) {
    wear_out(pool, hot);
    check_all_readable(pool);
  }
  static ftl::Config config(WearLeveling leveling, std::uint32_t threshold) {
    ftl::Config config = mortal(blocking(GcPolicy::greedy), cycles);
    config.wear_leveling = leveling;
    config.wear_threshold = threshold;
    return config;
  }

  OnePool pool;
};

}  // namespace

TEST_CASE("blocks full of static data do not wear and life is that of the others (4.2)") {
  const double spare_factor = StaticData::spare_factor(StaticData::blocks);
  const double dispersion =
      model::erase_dispersion({model::VictimPolicy::greedy, 1, pages_per_block}, spare_factor);
  const double others = (1 - StaticData::share) * (StaticData::blocks + 1);
  const double expected = (1 - StaticData::share) * StaticData::levelled_life(spare_factor) *
                          mean_at_end(StaticData::cycles, dispersion, others) / StaticData::cycles;
  for (const WearLeveling leveling : {WearLeveling::none, WearLeveling::dynamic}) {
    const StaticData drive(leveling);
    CHECK(host_bytes(drive.pool) == within(expected, 0.01));
    CHECK(drive.pool.ftl().wear().min == 0);
    CHECK(drive.pool.ftl().counters().wear_runs == 0);
  }
}

TEST_CASE("static wear levelling brings life near that of even wear, less what it writes (T14)") {
  // The block that static data are moved to is no spare area.
  const double spare_factor = StaticData::spare_factor(StaticData::blocks - 1);
  double life = host_bytes(StaticData(WearLeveling::none).pool);
  const double much_longer = 2.8 * life;
  for (const std::uint32_t threshold : {400U, 100U, 20U}) {
    CAPTURE(threshold);
    const StaticData drive(WearLeveling::static_, threshold);
    const ftl::Counters& counters = drive.pool.ftl().counters();
    const ftl::WearSummary wear = drive.pool.ftl().wear();
    // A block may be erased a few times more before its pool's turn for it comes.
    CHECK(wear.max - wear.min <= threshold + 5);
    const double cost = model::static_levelling_factor(StaticData::share, threshold);
    const double moved = static_cast<double>(counters.programs_of(ftl::Cause::wear)) /
                         static_cast<double>(counters.host_pages());
    // The formula is of lives of many thresholds: of five, the first is without a move.
    if (threshold * 10 <= StaticData::cycles) {
      CHECK(moved == within(counters.write_amplification_gc() * (cost - 1), 0.05));
    }
    const double expected = StaticData::levelled_life(spare_factor) / cost / wear.factor();
    CHECK(host_bytes(drive.pool) == within(expected, 0.03));
    CHECK(host_bytes(drive.pool) > life);  // than with a higher threshold, or none
    life = host_bytes(drive.pool);
    CHECK(life > much_longer);
  }
}

TEST_CASE("the reserve's blocks take the place of worn ones and prolong life") {
  // Of 272 blocks 255 are in service in both.
  constexpr std::uint32_t in_service = 255;
  constexpr std::uint32_t reserve = 17;
  constexpr std::uint32_t cycles = 100;
  constexpr std::uint64_t logical_pages = 14'000;
  for (const GcPolicy policy : {GcPolicy::greedy, GcPolicy::random, GcPolicy::fifo}) {
    CAPTURE(static_cast<int>(policy));
    ftl::Config config = mortal(blocking(policy), cycles);
    OnePool without(in_service - 1, pages_per_block, logical_pages, config);
    CHECK(without.ftl().replacement_blocks() == 0);
    wear_out(without, logical_pages);
    CHECK(without.ftl().counters().retired_blocks == 0);

    config.firmware_area_ppm = 62'500;
    OnePool with(in_service + reserve - 1, pages_per_block, logical_pages, config);
    CHECK(with.ftl().space().gc_pages == without.ftl().space().gc_pages);
    with.fill();
    Random random = random_stream(1, "test", 0);
    std::uint64_t retired = 0;
    while (!with.ftl().worn_out()) {
      with.write(random.below(logical_pages));
      if (with.ftl().counters().retired_blocks == retired) continue;
      retired = with.ftl().counters().retired_blocks;
      CHECK(retired + with.ftl().replacement_blocks() == reserve);
      with.check_invariants();  // which counts the blocks in service
    }
    CHECK(retired == reserve);
    CHECK(with.ftl().wear().max == cycles);
    CHECK(with.ftl().wear().blocks == in_service + reserve);
    // Blocks that wear alike go together, and their replacements with the next one.
    const double longer = policy == GcPolicy::fifo ? 1.0 : 1.03;
    CHECK(host_bytes(with) > longer * host_bytes(without));
  }
}

TEST_CASE("a worn drive goes on and keeps its data") {
  for (const WearLeveling leveling : {WearLeveling::none, WearLeveling::static_}) {
    ftl::Config config = mortal(blocking(GcPolicy::greedy), 20);
    config.wear_leveling = leveling;
    config.wear_threshold = 5;
    config.firmware_area_ppm = 62'500;
    OnePool pool(63, pages_per_block, 3'000, config);
    wear_out(pool, 1'000);
    check_all_readable(pool);
    const std::uint64_t retired = pool.ftl().counters().retired_blocks;
    CHECK(retired == 4);
    Random random = random_stream(2, "test", 0);
    for (int i = 0; i < 100'000; ++i) pool.write(random.below(1'000));
    CHECK(pool.ftl().worn_out());
    CHECK(pool.ftl().counters().retired_blocks == retired);
    CHECK(pool.ftl().wear().max > 20);
    check_all_readable(pool);
  }
}
