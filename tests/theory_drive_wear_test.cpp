// Wear of the FTL's blocks against theory: how erase counts spread, and the balance of programs and
// erases. A suffix like (T13) in a test's name is the number of the check in
// the theory's notes, whose tolerances are used here.
#include <cmath>
#include <doctest/doctest.h>

#include "ftl/victim_policy.hpp"
#include "tests/near.hpp"
#include "tests/one_pool.hpp"

using namespace x25sim;
using ftl::Cause;
using ftl::GcPolicy;
using test::blocking;
using test::OnePool;
using test::within;

namespace {

constexpr std::uint32_t pages_per_block = 64;

// Variance over mean of the erase counts at a mean of 300.
double dispersion(double spare, const ftl::Config& config) {
  constexpr std::uint32_t blocks = 4096;
  OnePool pool(blocks, pages_per_block,
               static_cast<std::uint64_t>(blocks * pages_per_block * (1 - spare)), config);
  pool.fill();
  Random random = random_stream(1, "test", 0);
  while (pool.ftl().counters().erases < 300 * (blocks + 1)) {
    pool.write(random.below(pool.pages()));
  }
  pool.check_invariants();
  const ftl::WearSummary wear = pool.ftl().wear();
  CHECK(wear.mean >= 300);
  return wear.stddev * wear.stddev / wear.mean;
}

}  // namespace

TEST_CASE("erase counts of d-choices and random victims spread as the table says (T13)" *
          doctest::test_suite("long")) {
  struct Row {
    double spare_factor;
    std::uint32_t choices;  // 1: a random victim
    double expected;
  };
  for (const Row& row : {Row{0.1, 1, 1.0}, Row{0.1, 2, 0.42499}, Row{0.1, 4, 0.18572},
                         Row{0.1, 10, 0.09128}, Row{0.1, 20, 0.07636}, Row{0.0687, 4, 0.20829},
                         Row{0.0687, 10, 0.11703}, Row{0.2, 2, 0.40538}, Row{0.2, 10, 0.06135}}) {
    CAPTURE(row.spare_factor);
    CAPTURE(row.choices);
    const ftl::Config config =
        row.choices == 1 ? blocking(GcPolicy::random) : blocking(GcPolicy::d_choices, row.choices);
    CHECK(dispersion(row.spare_factor, config) == within(row.expected, 0.1));
  }
}

TEST_CASE("erase counts of FIFO differ by one at most, whatever is written (T13)") {
  for (const bool skewed : {false, true}) {
    OnePool pool(256, pages_per_block, 14'700, blocking(GcPolicy::fifo));
    pool.fill();
    Random random = random_stream(1, "test", 0);
    for (std::uint64_t i = 0; i < 40 * std::uint64_t{pool.pages()}; ++i) {
      pool.write(random.below(skewed && i % 8 != 0 ? 100 : pool.pages()));
    }
    const ftl::WearSummary wear = pool.ftl().wear();
    CHECK(wear.mean > 100);
    CHECK(wear.max - wear.min <= 1);
  }
}

TEST_CASE("all programs are in erased blocks or on flash under every policy and pacing (T15)") {
  nand::Geometry geometry;
  geometry.channels = 2;
  geometry.planes_per_die = 2;
  geometry.blocks_per_die = 32;
  geometry.pages_per_block = 16;
  for (const ftl::PolicyEntry& entry : ftl::victim_policies()) {
    for (const ftl::GcPacing pacing : {ftl::GcPacing::blocking, ftl::GcPacing::paced}) {
      for (const ftl::PoolUnit unit : {ftl::PoolUnit::die, ftl::PoolUnit::plane}) {
        CAPTURE(entry.name);
        ftl::Config config;
        config.gc_policy = entry.policy;
        config.gc_pacing = pacing;
        config.pool = unit;
        ftl::PageFtl ftl(geometry, config, 850);
        nand::FlashArray array(geometry);
        ftl::FunctionalExecutor executor(array);
        Random random = random_stream(1, "test", 0);
        for (int i = 0; i < 20'000; ++i) {
          const Lpn page{static_cast<std::uint32_t>(random.below(850))};
          if (i % 7 == 0) {
            ftl.trim(page, 1);
          } else {
            ftl.write(page, i % 3 == 0 ? Cause::rmw : Cause::host, executor);
          }
          if (i % 997 != 0) continue;
          std::uint64_t erases = 0;
          std::uint64_t on_flash = 0;
          for (std::uint32_t block = 0; block < geometry.blocks(); ++block) {
            erases += array.erase_count(BlockId{block});
            on_flash += array.programmed_pages(BlockId{block});
          }
          const ftl::Counters& counters = ftl.counters();
          CHECK(counters.erases == erases);
          CHECK(counters.program_total() == geometry.pages_per_block * erases + on_flash);
          CHECK(counters.program_total() ==
                counters.host_pages() + counters.programs_of(Cause::gc) +
                    counters.programs_of(Cause::wear) + counters.programs_of(Cause::metadata));
        }
        CHECK(ftl.counters().erases > 0);
      }
    }
  }
}
