// Drives so small that every sequence of what a host may ask for can be tried, each against the
// reference: what goes wrong at all mostly goes wrong in a small case.
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <vector>

#include "ftl/page_ftl.hpp"
#include "ftl/victim_policy.hpp"
#include "tests/ftl_model.hpp"
#include "tests/ftl_world.hpp"

namespace x25sim {

namespace {

using test::HostOperation;

HostOperation write(std::uint32_t page) { return {HostOperation::Kind::write, Lpn{page}}; }
HostOperation trim(std::uint32_t first, std::uint64_t count) {
  return {HostOperation::Kind::trim, Lpn{first}, count};
}
HostOperation idle(std::uint64_t steps) { return {HostOperation::Kind::idle, {}, steps}; }

struct SmallWorld {
  ftl::WriteFrontiers frontiers{};
  ftl::WearLeveling wear{};
  std::uint32_t planes = 1;  // each a pool
  std::uint32_t blocks = 4;  // of the one die
  std::uint32_t pages_per_block = 2;
  std::uint64_t logical_pages = 3;
  std::uint64_t overwrites = 0;  // of all pages in turn, before the sequence
  std::vector<HostOperation> alphabet;
  std::uint32_t length = 0;  // of the sequences
};

// In how many sequences it happened.
struct Seen {
  int copies = 0;
  int wear_runs = 0;
};

// Tries every sequence of operations up to the world's length; the first that goes wrong, in words.
// Sequences come in the order of numbers written in digits, and the state is checked wherever only
// zeros follow: after each shorter sequence once.
std::optional<std::string> try_all(const SmallWorld& world, const ftl::Config& config, Seen& seen) {
  test::FtlSetup setup{{}, config, world.logical_pages};
  setup.config.write_frontiers = world.frontiers;
  setup.config.wear_leveling = world.wear;
  setup.geometry.planes_per_die = world.planes;
  setup.geometry.blocks_per_die = world.blocks;
  setup.geometry.pages_per_block = world.pages_per_block;
  const HostOperation all_pages{.count = world.logical_pages};
  std::vector<std::uint32_t> digits(world.length, 0);
  const std::string drive = test::describe(setup) + "; operations by number: ";
  test::LineOnStop line(drive);
  for (;;) {
    std::string numbers;
    for (const std::uint32_t digit : digits) numbers += static_cast<char>('0' + digit);
    line.change(drive + numbers);
    std::size_t zeros_from = world.length;
    while (zeros_from > 0 && digits[zeros_from - 1] == 0) --zeros_from;
    test::ModelRun<ftl::PageFtl> run(setup);
    std::optional<std::string> mismatch;
    for (std::uint64_t i = 0; i < world.overwrites && !mismatch; ++i) {
      mismatch = run.perform(all_pages);
    }
    for (std::size_t i = 0; i < world.length && !mismatch; ++i) {
      mismatch = run.perform(world.alphabet[digits[i]]);
      if (!mismatch && i + 1 >= zeros_from) mismatch = run.check();
      if (mismatch) {
        std::string words = *mismatch + ", after:";
        for (std::size_t k = 0; k <= i; ++k) {
          words.append(" ").append(test::describe(world.alphabet[digits[k]])).append(",");
        }
        return words + " on " + test::describe(setup);
      }
    }
    if (mismatch) return "overwritten in turn: " + *mismatch;
    seen.copies += run.ftl().counters().programs_of(ftl::Cause::gc) > 0;
    seen.wear_runs += run.ftl().counters().wear_runs > 0;
    // The next number.
    std::size_t place = world.length;
    while (place > 0 && ++digits[place - 1] == world.alphabet.size()) digits[--place] = 0;
    if (place == 0) return {};
  }
}

}  // namespace

TEST_CASE("every sequence of operations on small drives leaves what the host wrote last") {
  constexpr auto one = ftl::WriteFrontiers::one;
  constexpr auto two = ftl::WriteFrontiers::two;
  constexpr auto hot_cold = ftl::WriteFrontiers::hot_cold;
  constexpr auto none = ftl::WearLeveling::none;
  constexpr auto levels = ftl::WearLeveling::static_;
  const std::vector<SmallWorld> worlds{
      // New, or used and with room to spare.
      {one, none, 1, 4, 2, 3, 0, {write(0), write(1), write(2), trim(0, 1)}, 7},
      {one, none, 1, 4, 4, 3, 4, {write(0), write(1), write(2), trim(0, 1)}, 6},
      // As full as can be: one frontier, one page in a block, two pools, two frontiers.
      {one, none, 1, 4, 2, 5, 2, {write(0), write(1), write(4), trim(0, 2), idle(2)}, 6},
      {one, none, 1, 5, 3, 11, 2, {write(0), write(1), write(9), trim(3, 4)}, 6},
      {one, none, 1, 6, 1, 4, 2, {write(0), write(1), write(3), trim(1, 2)}, 6},
      {one, none, 2, 6, 2, 6, 1, {write(0), write(1), write(5), trim(4, 2)}, 6},
      {two, none, 1, 6, 2, 6, 2, {write(0), write(1), write(5), trim(0, 6), idle(9)}, 6},
      {hot_cold, none, 1, 6, 2, 6, 2, {write(0), write(1), write(5), trim(0, 2)}, 6},
      // Static data that move.
      {one, levels, 1, 6, 2, 7, 3, {write(0), write(1), trim(2, 1), idle(4)}, 6},
      {two, levels, 1, 6, 2, 4, 2, {write(0), write(1), write(2), trim(0, 2)}, 6},
  };
  for (const SmallWorld& world : worlds) {
    Seen seen;
    for (const ftl::PolicyEntry& entry : ftl::victim_policies()) {
      for (const ftl::GcPacing pacing :
           {ftl::GcPacing::blocking, ftl::GcPacing::paced, ftl::GcPacing::idle}) {
        ftl::Config config;
        config.pool = ftl::PoolUnit::plane;
        config.hot_writes = 2;
        config.gc_policy = entry.policy;
        config.gc_pacing = pacing;
        config.gc_choices = 2;
        config.gc_window_ppm = 500'000;
        config.gc_high_watermark = pacing == ftl::GcPacing::idle ? 1 : 0;
        config.wear_threshold = 1;
        CHECK(try_all(world, config, seen).value_or("") == "");
      }
    }
    CHECK(seen.copies > 500);
    CHECK((seen.wear_runs > 500 || world.wear == none));
  }
}

}  // namespace x25sim
