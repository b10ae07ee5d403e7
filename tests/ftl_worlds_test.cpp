// The FTL against the reference over random drives and loads, and the proof that the comparison
// finds what it is there to find.
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "ftl/choices.hpp"
#include "ftl/page_ftl.hpp"
#include "ftl/victim_policy.hpp"
#include "nand/check.hpp"
#include "tests/ftl_model.hpp"
#include "tests/ftl_world.hpp"
#include "tests/message_of_stop.hpp"
#include "tests/reference_ftl.hpp"

namespace x25sim {

namespace {

using test::FtlWorld;
using test::ModelRun;

// A number from the environment.
std::optional<std::uint64_t> from_environment(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return {};
  std::size_t end = 0;
  const std::uint64_t number = std::stoull(text, &end);
  if (text[end] != '\0') throw std::invalid_argument(std::string(name) + " is no number: " + text);
  return number;
}

// In how many worlds each thing happened: a comparison proves nothing about what never does.
using Marks = std::map<std::string, int>;

void mark(Marks& marks, const test::FtlSetup& setup, const ftl::PageFtl& ftl) {
  const nand::Geometry& geometry = setup.geometry;
  const ftl::Config& config = setup.config;
  const ftl::Counters& counters = ftl.counters();
  marks["partial writes"] += counters.programs_of(ftl::Cause::rmw) > 0;
  marks["trimmed pages"] += counters.trimmed_pages > 0;
  marks["drives that end empty"] += counters.trimmed_pages > 0 && ftl.space().valid_pages == 0;
  marks["blocks moved to level wear"] += counters.wear_runs > 0;
  marks["blocks replaced"] += counters.retired_blocks > 0;
  marks["drives worn out"] += ftl.worn_out();
  // The others matter where pages are copied.
  const bool copies = counters.programs_of(ftl::Cause::gc) > 0;
  const auto of = [&](const std::string& what, bool holds) { marks[what] += copies && holds; };
  const auto word = [](const auto& choices, auto choice) {
    return std::string(choices[static_cast<std::size_t>(choice)].name);
  };
  of("largest drives", ftl.logical_pages() == ftl::max_logical_pages(geometry, config));
  of("several words of validity", geometry.pages_per_block > 64);
  of("one page in a block", geometry.pages_per_block == 1);
  of("several reserved", config.reserved_blocks_per_pool > 1);
  of("a firmware area", config.firmware_area_ppm > 0);
  of("a high watermark", config.gc_high_watermark > 0);
  of("superblocks", config.superblock_dies > 1);
  of("superblocks on planes", config.superblock_dies > 1 && config.pool == ftl::PoolUnit::plane);
  of("pools: " + word(ftl::pool_choices, config.pool), geometry.planes_per_die > 1);
  of("policy: " + std::string(ftl::victim_policy(config.gc_policy).name), true);
  of("pacing: " + word(ftl::gc_pacing_choices, config.gc_pacing), true);
  of("frontiers: " + word(ftl::write_frontier_choices, config.write_frontiers), true);
  of("wear: " + word(ftl::wear_leveling_choices, config.wear_leveling), true);
}

// Runs the worlds of `count` seeds; reports what goes wrong with the command that repeats it.
Marks run_worlds(std::uint64_t first_seed, std::uint64_t count) {
  Marks marks;
  int failures = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    const std::string command = test::reproduction(seed);
    const test::LineOnStop line(command);
    FtlWorld world = test::random_ftl_world(seed);
    ModelRun<ftl::PageFtl> run(world.setup);
    if (const auto mismatch = test::live(run, world)) {
      FAIL_CHECK(*mismatch << "\n" << test::describe(world.setup) << "\n" << command);
      if (++failures == 5) FAIL("five worlds are enough");
    }
    mark(marks, world.setup, run.ftl());
  }
  return marks;
}

}  // namespace

TEST_CASE("random worlds hold what the host wrote last, and count what they did") {
  if (const auto seed = from_environment("X25SIM_WORLD")) {
    MESSAGE(test::describe(test::random_ftl_world(*seed).setup));
    run_worlds(*seed, 1);
    return;
  }
  const std::uint64_t count = from_environment("X25SIM_WORLDS").value_or(6'000);
  const Marks marks = run_worlds(1, count);
  if (count < 6'000) return;
  for (const auto& entry : marks) {
    INFO(entry.first);
    CHECK(entry.second >= 20);
  }
  CHECK(marks.size() == 14 + ftl::victim_policies().size() + ftl::pool_choices.size() +
                            ftl::gc_pacing_choices.size() + ftl::write_frontier_choices.size() +
                            ftl::wear_leveling_choices.size());
}

TEST_CASE("fifty thousand further random worlds hold what the host wrote last" *
          doctest::test_suite("long")) {
  run_worlds(100'001, 50'000);
}

}  // namespace x25sim
