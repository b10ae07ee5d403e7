// The FTL against theory, and what it does by the page.
#include <doctest/doctest.h>

#include "ftl/functional.hpp"
#include "ftl/page_ftl.hpp"
#include "nand/random.hpp"
#include "sim/model/write_amplification.hpp"

using namespace x25sim;

namespace {

using ftl::Cause;

// A drive without a clock.
struct World {
  World(const nand::Geometry& geometry, const ftl::Config& config, std::uint64_t logical_pages)
      : ftl(geometry, config, logical_pages), array(geometry), executor(array) {}

  void write(std::uint32_t page) { ftl.write(Lpn{page}, Cause::host, executor); }

  ftl::PageFtl ftl;
  nand::FlashArray array;
  ftl::FunctionalExecutor executor;
};

nand::Geometry geometry_of(std::uint32_t channels, std::uint32_t dies, std::uint32_t planes,
                           std::uint32_t blocks_per_die, std::uint32_t pages_per_block) {
  nand::Geometry geometry;
  geometry.channels = channels;
  geometry.dies_per_package = dies;
  geometry.planes_per_die = planes;
  geometry.blocks_per_die = blocks_per_die;
  geometry.pages_per_block = pages_per_block;
  return geometry;
}

void overwrite_uniformly(World& world, std::uint64_t writes, Random& random) {
  for (std::uint64_t i = 0; i < writes; ++i) {
    world.write(static_cast<std::uint32_t>(random.below(world.ftl.logical_pages())));
  }
}

}  // namespace

TEST_CASE("uniform random writes amplify as the closed form for greedy says at T and U") {
  struct Setting {
    double spare_factor;
    std::uint32_t pages_per_block;
    ftl::GcPacing pacing;
    ftl::PoolUnit pool;
    std::uint32_t reserved;
  };
  for (const Setting& setting :
       {Setting{0.10, 64, ftl::GcPacing::blocking, ftl::PoolUnit::die, 1},
        Setting{0.10, 64, ftl::GcPacing::paced, ftl::PoolUnit::die, 1},
        Setting{0.0687, 128, ftl::GcPacing::paced, ftl::PoolUnit::die, 4},
        Setting{0.20, 32, ftl::GcPacing::paced, ftl::PoolUnit::plane, 1},
        Setting{0.0687, 128, ftl::GcPacing::blocking, ftl::PoolUnit::die, 1}}) {
    ftl::Config config;
    config.gc_pacing = setting.pacing;
    config.pool = setting.pool;
    config.reserved_blocks_per_pool = setting.reserved;
    const nand::Geometry geometry = geometry_of(1, 2, 2, 4096, setting.pages_per_block);
    const auto logical = static_cast<std::uint64_t>(static_cast<double>(geometry.pages()) *
                                                    (1 - setting.spare_factor));
    World world(geometry, config, logical);
    for (std::uint32_t page = 0; page < logical; ++page) world.write(page);
    Random random = random_stream(1, "test", 0);
    overwrite_uniformly(world, 2 * logical, random);
    const ftl::Counters before = world.ftl.counters();
    overwrite_uniformly(world, 4 * logical, random);
    const ftl::Counters measured = world.ftl.counters() - before;
    const double expected = model::greedy_write_amplification(
        world.ftl.space().spare_factor_effective(), setting.pages_per_block);
    CAPTURE(expected);
    CHECK(measured.write_amplification_gc() == doctest::Approx(expected).epsilon(0.003));
    world.ftl.check_invariants(world.array);
  }
}

TEST_CASE("a sequential overwrite of the whole drive, again and again, copies nothing") {
  const nand::Geometry geometry = geometry_of(2, 2, 2, 16, 8);
  World world(geometry, {}, 448);
  for (int round = 0; round < 20; ++round) {
    for (std::uint32_t page = 0; page < 448; ++page) world.write(page);
  }
  CHECK(world.ftl.counters().programs_of(Cause::gc) == 0);
  CHECK(world.ftl.counters().erases > 0);
  world.ftl.check_invariants(world.array);
}

TEST_CASE("the first collection of a filled drive comes when its erased blocks are used up") {
  // One pool: 32 blocks of 16 pages, one reserved. 400 logical pages fill 25 blocks.
  const nand::Geometry geometry = geometry_of(1, 1, 1, 32, 16);
  World world(geometry, {}, 400);
  for (std::uint32_t page = 0; page < 400; ++page) world.write(page);
  std::uint64_t writes = 0;
  Random random = random_stream(3, "test", 0);
  while (world.ftl.counters().gc_runs == 0 && writes < 1000) {
    overwrite_uniformly(world, 1, random);
    ++writes;
  }
  // 31 blocks hold data before the reserved one is touched: 496 - 400 more pages, and at most one
  // block later the first victim is clean.
  CHECK(writes > 96);
  CHECK(writes <= 96 + 16);
}

TEST_CASE("writes are striped over channels, dies and planes in the configured order") {
  using ftl::StripeDimension;
  const nand::Geometry geometry = geometry_of(2, 2, 2, 16, 4);
  struct Setting {
    std::array<StripeDimension, 3> order;
    std::array<std::uint32_t, 3> second;  // channel, die in channel, plane of the second page
  };
  const auto c = StripeDimension::channel;
  const auto d = StripeDimension::die;
  const auto p = StripeDimension::plane;
  for (const Setting& setting : {Setting{{c, d, p}, {1, 0, 0}}, Setting{{d, c, p}, {0, 1, 0}},
                                 Setting{{p, d, c}, {0, 0, 1}}}) {
    ftl::Config config;
    config.stripe_order = setting.order;
    config.pool = ftl::PoolUnit::plane;
    World world(geometry, config, 64);
    world.write(0);
    world.write(1);
    const Ppn page = world.ftl.lookup(Lpn{1});
    const DieId die = geometry.die_of(page);
    CHECK(index(geometry.channel_of(die)) == setting.second[0]);
    CHECK(index(die) % 2 == setting.second[1]);
    CHECK(index(geometry.plane_of(geometry.block_of(page))) == setting.second[2]);
  }
}

TEST_CASE("cold data that always fall to the same turn do not choke their die") {
  // Every second write is of a page that is never written again, so that a strict turn would put
  // all cold pages on one of the two dies.
  const nand::Geometry geometry = geometry_of(2, 1, 1, 32, 8);
  const std::uint32_t cold = 200;
  World world(geometry, {}, cold + 8);
  for (std::uint32_t i = 0; i < cold; ++i) {
    world.write(8 + i);
    world.write(i % 8);
  }
  for (std::uint32_t i = 0; i < 5000; ++i) world.write(i % 8);
  world.ftl.check_invariants(world.array);
  CHECK(world.ftl.space().valid_pages == cold + 8);
}

TEST_CASE("trimmed pages become spare area at once, and keep nothing") {
  const nand::Geometry geometry = geometry_of(1, 2, 1, 64, 16);
  World world(geometry, {}, 1800);
  for (std::uint32_t page = 0; page < 1800; ++page) world.write(page);
  const double before = world.ftl.space().spare_factor_effective();
  world.ftl.trim(Lpn{900}, 900);
  CHECK(world.ftl.space().valid_pages == 900);
  CHECK(world.ftl.space().spare_factor_effective() > before + 0.4);
  CHECK(world.ftl.counters().trimmed_pages == 900);
  CHECK(world.ftl.lookup(Lpn{900}) == no_page);
  CHECK(world.ftl.lookup(Lpn{899}) != no_page);
  world.ftl.trim(Lpn{0}, 1800);  // some of it for the second time
  CHECK(world.ftl.counters().trimmed_pages == 1800);
  world.ftl.check_invariants(world.array);
}

TEST_CASE("capacity is refused beyond what leaves every pool an invalid page to reclaim") {
  const nand::Geometry geometry = geometry_of(1, 1, 1, 8, 4);
  CHECK(ftl::max_logical_pages(geometry, {}) == 27);
  CHECK(ftl::max_logical_pages(geometry_of(1, 1, 1, 2, 4), {}) == 0);
  ftl::Config config;
  config.firmware_area_ppm = 250'000;
  CHECK(ftl::max_logical_pages(geometry, config) == 19);
  // At the very limit, with one page rewritten for ever, there is always progress.
  for (const ftl::GcPacing pacing : {ftl::GcPacing::blocking, ftl::GcPacing::paced}) {
    ftl::Config tight;
    tight.gc_pacing = pacing;
    World world(geometry, tight, 27);
    for (std::uint32_t page = 0; page < 27; ++page) world.write(page);
    for (int i = 0; i < 1000; ++i) world.write(5);
    Random random = random_stream(5, "test", 0);
    overwrite_uniformly(world, 1000, random);
    world.ftl.check_invariants(world.array);
    CHECK(world.ftl.space().valid_pages == 27);
  }
}

TEST_CASE("erases spread over all blocks under a sequential load") {
  const nand::Geometry geometry = geometry_of(1, 1, 2, 64, 8);
  World world(geometry, {}, 448);
  for (std::uint32_t i = 0; i < 448 * 40; ++i) world.write(i % 448);
  const ftl::WearSummary wear = world.ftl.wear();
  CHECK(wear.max - wear.min <= 2);
  CHECK(wear.mean == doctest::Approx(static_cast<double>(world.ftl.counters().erases) / 64));
}
