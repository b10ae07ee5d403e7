// The FTL under uniform random writes against the tables of theory: write amplification of every
// policy, what greedy victims hold, and how collection begins. A suffix like (T4) in a test's name
// is the number of the check in the theory's notes, whose tolerances are used here. All values were
// evaluated in Python from the formulas that sim/model states.
#include <array>
#include <cmath>
#include <doctest/doctest.h>

#include "sim/model/transient.hpp"
#include "sim/model/write_amplification.hpp"
#include "tests/near.hpp"
#include "tests/one_pool.hpp"

using namespace x25sim;
using ftl::GcPolicy;
using test::blocking;
using test::OnePool;
using test::within;

namespace {

std::uint64_t logical_pages(std::uint32_t blocks, std::uint32_t pages_per_block, double spare) {
  return static_cast<std::uint64_t>(blocks * pages_per_block * (1 - spare));
}

// Of 20 drive writes after 8 to warm up, as the tables' own Monte Carlo.
double uniform_amplification(std::uint32_t blocks, std::uint32_t pages_per_block, double spare,
                             const ftl::Config& config) {
  OnePool pool(blocks, pages_per_block, logical_pages(blocks, pages_per_block, spare), config);
  pool.fill();
  Random random = random_stream(1, "test", 0);
  const auto uniform = [&] { return random.below(pool.pages()); };
  pool.write(8 * std::uint64_t{pool.pages()}, uniform);
  const double amplification = pool.write(20 * std::uint64_t{pool.pages()}, uniform);
  pool.check_invariants();
  return amplification;
}

ftl::Config paced(GcPolicy policy, std::uint32_t choices = 10) {
  ftl::Config config = blocking(policy, choices);
  config.gc_pacing = ftl::GcPacing::paced;
  return config;
}

struct Row {
  double spare_factor;
  double fifo;
  std::array<double, 3> greedy;     // b = 32, 64, 128
  std::array<double, 4> d_choices;  // d = 2, 4, 10, 20 at b = 64
};

constexpr Row table[] = {
    // clang-format off
    {0.0500, 10.1724, {7.8233, 8.8501, 9.4605}, {13.2662, 10.4869, 9.2842, 9.0188}},
    {0.0687,  7.4527, {6.1398, 6.7279, 7.0630}, { 9.8092,  7.8522, 7.0104, 6.8296}},
    {0.0700,  7.3177, {6.0571, 6.6155, 6.9450}, { 9.6354,  7.7182, 6.8939, 6.7171}},
    {0.0737,  6.9596, {5.8204, 6.3153, 6.6218}, { 9.1734,  7.3615, 6.5833, 6.4170}},
    {0.1000,  5.1787, {4.5082, 4.8213, 4.9922}, { 6.8516,  5.5541, 5.0002, 4.8845}},
    {0.1500,  3.5187, {3.2017, 3.3536, 3.4344}, { 4.6475,  3.8160, 3.4636, 3.3918}},
    {0.2000,  2.6927, {2.5136, 2.5993, 2.6449}, { 3.5330,  2.9298, 2.6754, 2.6243}},
    {0.2800,  1.9916, {1.8965, 1.9425, 1.9667}, { 2.5732,  2.1644, 1.9932, 1.9592}},
    {0.4000,  1.4798, {1.4324, 1.4550, 1.4674}, { 1.8555,  1.5947, 1.4867, 1.4655}},
    // clang-format on
};

}  // namespace

TEST_CASE("FIFO amplifies as Lambert's W says at every spare factor (T1)" *
          doctest::test_suite("long")) {
  for (const Row& row : table) {
    CAPTURE(row.spare_factor);
    for (const ftl::Config& config : {paced(GcPolicy::fifo), blocking(GcPolicy::fifo)}) {
      CHECK(uniform_amplification(1024, 64, row.spare_factor, config) == within(row.fifo, 0.005));
    }
  }
}

TEST_CASE("a random victim amplifies by the inverse of every spare factor (T2)" *
          doctest::test_suite("long")) {
  for (const double spare : {0.05, 0.0687, 0.10, 0.20, 0.40}) {
    CAPTURE(spare);
    CHECK(uniform_amplification(1024, 64, spare, paced(GcPolicy::random)) ==
          within(1 / spare, 0.015));
  }
}

TEST_CASE("greedy amplifies as the mean field says at every spare factor and block size (T4)" *
          doctest::test_suite("long")) {
  for (const Row& row : table) {
    CAPTURE(row.spare_factor);
    std::uint32_t pages_per_block = 32;
    for (const double expected : row.greedy) {
      CAPTURE(pages_per_block);
      CHECK(uniform_amplification(1024, pages_per_block, row.spare_factor,
                                  paced(GcPolicy::greedy)) == within(expected, 0.005));
      pages_per_block *= 2;
    }
  }
}

TEST_CASE("greedy over 8192 blocks is within 0.2 % of the mean field (T4)" *
          doctest::test_suite("long")) {
  CHECK(uniform_amplification(8192, 64, 0.10, blocking(GcPolicy::greedy)) == within(4.8213, 0.002));
}

TEST_CASE("d-choices amplify as their fixed point says at every spare factor (T6)" *
          doctest::test_suite("long")) {
  for (const Row& row : table) {
    CAPTURE(row.spare_factor);
    constexpr std::array<std::uint32_t, 4> choices{2, 4, 10, 20};
    for (std::size_t i = 0; i < choices.size(); ++i) {
      CAPTURE(choices[i]);
      const double tolerance = choices[i] == 2 ? 0.008 : 0.005;
      CHECK(uniform_amplification(1024, 64, row.spare_factor,
                                  paced(GcPolicy::d_choices, choices[i])) ==
            within(row.d_choices[i], tolerance));
    }
  }
}

TEST_CASE("nearly all greedy victims hold one of two neighbouring numbers of pages (T5)") {
  struct Setting {
    double spare_factor;
    std::uint32_t valid_pages;  // j of the closed form: victims hold j or j - 1
  };
  for (const Setting& setting : {Setting{0.10, 51}, Setting{0.20, 40}}) {
    CAPTURE(setting.spare_factor);
    OnePool pool(8192, 64, logical_pages(8192, 64, setting.spare_factor),
                 blocking(GcPolicy::greedy));
    pool.fill();
    Random random = random_stream(1, "test", 0);
    const auto uniform = [&] { return random.below(pool.pages()); };
    pool.write(3 * std::uint64_t{pool.pages()}, uniform);
    pool.clear_victims();
    pool.write(2 * std::uint64_t{pool.pages()}, uniform);
    std::uint64_t victims = 0;
    for (const std::uint64_t count : pool.victims()) victims += count;
    const std::uint64_t two =
        pool.victims()[setting.valid_pages] + pool.victims()[setting.valid_pages - 1];
    CHECK(static_cast<double>(two) >= 0.99 * static_cast<double>(victims));
    CHECK(model::greedy_victim(setting.spare_factor, 64).valid_pages == setting.valid_pages);
  }
}

TEST_CASE("the first collection comes when T pages have been written, within a block (T18)") {
  constexpr std::uint32_t blocks = 512;
  constexpr std::uint32_t pages_per_block = 64;
  constexpr double raw = blocks * pages_per_block;
  enum class Begin { empty, filled_in_order, filled_at_random };
  for (const double spare : {0.0687, 0.10, 0.20}) {
    for (const Begin begin : {Begin::empty, Begin::filled_in_order, Begin::filled_at_random}) {
      for (const ftl::Config& config : {blocking(GcPolicy::fifo), paced(GcPolicy::fifo),
                                        blocking(GcPolicy::greedy), paced(GcPolicy::greedy)}) {
        OnePool pool(blocks, pages_per_block, logical_pages(blocks, pages_per_block, spare),
                     config);
        Random random = random_stream(2, "test", 0);
        if (begin == Begin::filled_in_order) pool.fill();
        if (begin == Begin::filled_at_random) {
          std::vector<std::uint32_t> order(pool.pages());
          for (std::uint32_t i = 0; i < pool.pages(); ++i) {  // a shuffle from the inside out
            const std::uint64_t place = random.below(i + 1);
            order[i] = order[place];
            order[place] = i;
          }
          for (const std::uint32_t page : order) pool.write(page);
        }
        CHECK(pool.ftl().counters().gc_runs == 0);
        std::uint32_t writes = 0;
        while (pool.ftl().counters().gc_runs == 0 && writes < 2 * raw) {
          pool.write(random.below(pool.pages()));
          ++writes;
        }
        // In drive writes: T / U of an empty drive, OP of one that is filled.
        const double user = pool.pages();
        const double expected =
            user * (begin == Begin::empty ? model::empty_collection_start(1 - user / raw)
                                          : model::filled_collection_start(1 - user / raw));
        CHECK(expected == doctest::Approx(begin == Begin::empty ? raw : raw - user));
        CHECK(std::abs(writes - expected) <= pages_per_block);
      }
    }
  }
}

TEST_CASE("the first FIFO victims after a sequential fill are valid to exp(-OP) (T18)") {
  for (const double spare : {0.0687, 0.10, 0.20}) {
    CAPTURE(spare);
    OnePool pool(8192, 256, logical_pages(8192, 256, spare), blocking(GcPolicy::fifo));
    pool.fill();
    Random random = random_stream(3, "test", 0);
    while (pool.ftl().counters().gc_runs < 100) pool.write(random.below(pool.pages()));
    const ftl::Counters& counters = pool.ftl().counters();
    const double valid_share =
        static_cast<double>(counters.programs_of(ftl::Cause::gc)) / (100 * 256);
    CHECK(valid_share == within(std::exp(-spare / (1 - spare)), 0.01));
  }
}
