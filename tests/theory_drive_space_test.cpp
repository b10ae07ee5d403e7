// The FTL on drives that have more spare space than their nominal one, against the tables of
// theory: TRIM, and addresses that hold no data of use. A suffix like (T11) in a test's name is the
// number of the check in the theory's notes, whose tolerances are used here.
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "sim/model/space.hpp"
#include "sim/model/write_amplification.hpp"
#include "tests/near.hpp"
#include "tests/one_pool.hpp"

using namespace x25sim;
using ftl::GcPolicy;
using test::blocking;
using test::OnePool;
using test::within;

namespace {

struct TrimRow {
  double spare_factor, trim_share, in_use, fifo, greedy;  // b = 128
};

constexpr TrimRow trim_table[] = {
    {0.0687, 0.05, 0.94737, 4.4285, 4.2925}, {0.0687, 0.1, 0.88889, 3.0926, 3.0282},
    {0.0687, 0.2, 0.75000, 1.8680, 1.8466},  {0.0687, 0.3, 0.57143, 1.3150, 1.3058},
    {0.0687, 0.4, 0.33333, 1.0486, 1.0439},  {0.1, 0.05, 0.94737, 3.5779, 3.4906},
    {0.1, 0.1, 0.88889, 2.6927, 2.6449},     {0.1, 0.2, 0.75000, 1.7527, 1.7341},
    {0.1, 0.3, 0.57143, 1.2805, 1.2719},     {0.1, 0.4, 0.33333, 1.0426, 1.0381},
};

struct Trimmed {
  double in_use;  // share of the pages, mean over the requests
  double amplification;
};

// Of so many requests for each page, after 15 to warm up.
Trimmed with_trims(GcPolicy policy, double spare, double trim_share, std::uint64_t requests) {
  constexpr std::uint32_t blocks = 1024;
  constexpr std::uint32_t pages_per_block = 128;
  OnePool pool(blocks, pages_per_block,
               static_cast<std::uint64_t>(blocks * pages_per_block * (1 - spare)),
               blocking(policy));
  pool.fill();
  test::TrimLoad load(pool.pages(), trim_share, random_stream(1, "test", 0));
  const std::uint64_t pages = pool.pages();
  for (std::uint64_t i = 0; i < 15 * pages; ++i) load.next(pool);
  const ftl::Counters before = pool.ftl().counters();
  double in_use = 0;
  for (std::uint64_t i = 0; i < requests * pages; ++i) {
    load.next(pool);
    in_use += static_cast<double>(load.in_use());
  }
  CHECK(pool.ftl().space().valid_pages == load.in_use());
  pool.check_invariants();
  return {in_use / static_cast<double>(requests * pages * pages),
          (pool.ftl().counters() - before).write_amplification_gc()};
}

void check_trims(const TrimRow& row) {
  CAPTURE(row.spare_factor);
  CAPTURE(row.trim_share);
  // The share in use wanders by sqrt((1 - s) / U), over about U requests: the smaller it is, the
  // longer its mean takes.
  const std::uint64_t requests = row.in_use < 0.5 ? 240 : 30;
  const Trimmed fifo = with_trims(GcPolicy::fifo, row.spare_factor, row.trim_share, requests);
  CHECK(fifo.in_use == within(row.in_use, 0.003));
  CHECK(fifo.amplification == within(row.fifo, 0.007));
  const Trimmed greedy = with_trims(GcPolicy::greedy, row.spare_factor, row.trim_share, requests);
  CHECK(greedy.in_use == within(row.in_use, 0.003));
  CHECK(greedy.amplification == within(row.greedy, 0.007));
}

}  // namespace

TEST_CASE("trims leave pages in use and amplification as the table says (T11)") {
  check_trims(trim_table[2]);
}

TEST_CASE("trims leave pages in use and amplification as every row of the table says (T11)" *
          doctest::test_suite("long")) {
  for (const TrimRow& row : trim_table) check_trims(row);
}

namespace {

constexpr double raw40 = 42.94967296;                // GB: 40 GiB
constexpr double addressable40 = 78165360 * 512e-9;  // GB
constexpr double gib34 = 36.507222016;               // GB

// A drive of 2048 blocks of 128 pages, all its spans scaled down from GB.
struct Scaled {
  explicit Scaled(GcPolicy policy, double raw, double addressable, double data)
      : pool(2048, 128, pages(addressable, raw), blocking(policy)),
        data_pages(pages(data, raw)),
        random(random_stream(1, "test", 0)) {}

  static std::uint64_t pages(double gigabytes, double raw) {
    return static_cast<std::uint64_t>(std::llround(2048 * 128 * gigabytes / raw));
  }

  // Uniform writes over the data only; the write amplification of the last of them.
  double amplification(std::uint64_t warm_up, std::uint64_t measured) {
    const auto uniform = [this] { return random.below(data_pages); };
    pool.write(warm_up * data_pages, uniform);
    const double result = pool.write(measured * data_pages, uniform);
    pool.check_invariants();
    return result;
  }

  OnePool pool;
  std::uint64_t data_pages;
  Random random;
};

double never_written(GcPolicy policy, double raw, double addressable, double data) {
  Scaled drive(policy, raw, addressable, data);
  for (std::uint64_t page = 0; page < drive.data_pages; ++page) drive.pool.write(page);
  return drive.amplification(8, 20);
}

double trimmed(GcPolicy policy, double raw, double addressable, double data) {
  Scaled drive(policy, raw, addressable, data);
  drive.pool.fill();
  drive.pool.trim(drive.data_pages, drive.pool.pages() - drive.data_pages);
  return drive.amplification(8, 20);
}

}  // namespace

TEST_CASE("addresses that were never written or are trimmed are spare space (T12)" *
          doctest::test_suite("long")) {
  struct Row {
    double raw, addressable, data;
    double fifo, greedy, d_choices;
  };
  constexpr Row rows[] = {
      {raw40, addressable40, addressable40, 7.5064, 7.1086, 7.3590},
      {raw40, addressable40, 34, 2.5935, 2.5493, 2.6153},
      {raw40, addressable40, 34. / 2, 1.1160, 1.1102, 1.1241},
      {raw40, addressable40, 34. / 3, 1.0255, 1.0213, 1.0284},
      {raw40, addressable40, 34. / 4, 1.0067, 1.0031, 1.0072},
      {raw40, addressable40, gib34, 3.5187, 3.4344, 3.5314},
      {raw40, addressable40, gib34 / 2, 1.1477, 1.1414, 1.1570},
      {0.98 * raw40, addressable40, 34, 2.7927, 2.7409, 2.8135},
      {0.98 * raw40, addressable40, 17, 1.1243, 1.1184, 1.1327},
  };
  std::vector<double> greedy;
  for (const Row& row : rows) {
    CAPTURE(row.data);
    greedy.push_back(never_written(GcPolicy::greedy, row.raw, row.addressable, row.data));
    CHECK(greedy.back() == within(row.greedy, 0.005));
    CHECK(trimmed(GcPolicy::greedy, row.raw, row.addressable, row.data) ==
          within(row.greedy, 0.005));
    CHECK(trimmed(GcPolicy::fifo, row.raw, row.addressable, row.data) == within(row.fifo, 0.005));
    CHECK(never_written(GcPolicy::d_choices, row.raw, row.addressable, row.data) ==
          within(row.d_choices, 0.005));
  }
  // n drives that share 34 GB and are bound by collection: n WA(1) / WA(n).
  CHECK(2 * greedy[1] / greedy[2] == within(4.59, 0.01));
  CHECK(3 * greedy[1] / greedy[3] == within(7.49, 0.01));
  CHECK(4 * greedy[1] / greedy[4] == within(10.17, 0.01));
}

TEST_CASE("two drives share data that one is full of at a small part of its amplification (T12)") {
  CHECK(never_written(GcPolicy::greedy, raw40, addressable40, 34. / 2) == within(1.1102, 0.005));
  CHECK(trimmed(GcPolicy::greedy, raw40, addressable40, 34) == within(2.5493, 0.005));
}

TEST_CASE("greedy leaves data alone that are stale since a sequential fill (T12)" *
          doctest::test_suite("long")) {
  const double expected[] = {6.187, 3.4993, 2.5828, 2.1233};
  for (int drives = 1; drives <= 4; ++drives) {
    CAPTURE(drives);
    Scaled drive(GcPolicy::greedy, raw40, addressable40, 34. / drives);
    drive.pool.fill();
    CHECK(drive.amplification(40, 20) == within(expected[drives - 1], 0.005));
    CHECK(drive.pool.ftl().wear().min == 0);  // blocks full of stale data are never erased
  }
}

TEST_CASE("FIFO copies data that are stale since a sequential fill in every cycle (T12)" *
          doctest::test_suite("long")) {
  const double expected[] = {7.5365, 7.7304, 7.9147, 8.0901};
  for (int drives = 1; drives <= 4; ++drives) {
    CAPTURE(drives);
    Scaled drive(GcPolicy::fifo, raw40, addressable40, 34. / drives);
    drive.pool.fill();
    drive.amplification(40, 1);
    // Stale pages lie together and no host page is written while they are copied, so what counts is
    // whole cycles: 100 times as many programs as there are pages.
    const ftl::Counters before = drive.pool.ftl().counters();
    while ((drive.pool.ftl().counters() - before).program_total() < 100 * 2048 * 128) {
      drive.pool.write(drive.random.below(drive.data_pages));
    }
    CHECK((drive.pool.ftl().counters() - before).write_amplification_gc() ==
          within(expected[drives - 1], 0.005));
  }
}
