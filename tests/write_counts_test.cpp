// The detector of hot pages, without an FTL: its rule as ftl/write_counts.hpp states it.
#include "ftl/write_counts.hpp"

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "nand/random.hpp"

using namespace x25sim;
using ftl::WriteCounts;

namespace {

std::vector<int> counts_of(WriteCounts& detector) {
  const auto& counts = detector.counts();
  return {counts.data(), counts.data() + counts.size()};
}

// Whether a page is hot in the mean of 50 drive writes in which it is written `times` as often as
// every other one.
double hot_share(double times, std::uint32_t hot_writes) {
  constexpr std::size_t pages = 1000;
  WriteCounts detector(pages, hot_writes);
  Random random = random_stream(1, "test", 0);
  const double chance = times / (times + pages - 1);
  std::size_t hot = 0;
  constexpr std::size_t writes = 60 * pages;
  for (std::size_t i = 0; i < writes; ++i) {
    detector.on_write(random.unit() < chance ? 0 : 1 + random.below(pages - 1));
    if (i >= 10 * pages && detector.is_hot(0)) ++hot;
  }
  return static_cast<double>(hot) / (writes - 10 * pages);
}

}  // namespace

TEST_CASE("each write adds one to its page's count and halves the next count of the circle") {
  WriteCounts detector(4, 1);
  // The hand is at page 0, then 1, 2, 3, 0.
  detector.on_write(3);
  CHECK(counts_of(detector) == std::vector{0, 0, 0, 1});
  detector.on_write(3);
  CHECK(counts_of(detector) == std::vector{0, 0, 0, 2});
  detector.on_write(3);
  CHECK(counts_of(detector) == std::vector{0, 0, 0, 3});
  detector.on_write(3);  // one more, then half of it
  CHECK(counts_of(detector) == std::vector{0, 0, 0, 2});
  detector.on_write(1);
  detector.on_write(0);
  CHECK(counts_of(detector) == std::vector{1, 0, 0, 2});
  CHECK(detector.hand() == 2);
}

TEST_CASE("a count grows up to 15 and no further") {
  constexpr std::size_t pages = 100;
  WriteCounts detector(pages, 15);
  for (int i = 0; i < 14; ++i) detector.on_write(pages - 1);
  CHECK_FALSE(detector.is_hot(pages - 1));
  detector.on_write(pages - 1);
  CHECK(detector.is_hot(pages - 1));
  for (int i = 0; i < 70; ++i) detector.on_write(pages - 1);
  CHECK(counts_of(detector).back() == 15);
}

TEST_CASE("a page is hot from the configured number of recent writes on") {
  for (std::uint32_t hot_writes = 1; hot_writes <= 15; ++hot_writes) {
    WriteCounts detector(64, hot_writes);
    for (std::uint32_t count = 1; count <= 15; ++count) {
      detector.on_write(63);
      CHECK(detector.is_hot(63) == (count >= hot_writes));
      CHECK_FALSE(detector.is_hot(62));
    }
  }
}

TEST_CASE("a drive write without a page halves its count once") {
  constexpr std::size_t pages = 32;
  WriteCounts detector(pages, 1);
  for (int i = 0; i < 15; ++i) detector.on_write(pages - 1);
  // The others take turns, so that the hand passes the page once in each drive write.
  std::vector<int> after;
  for (int drive_write = 0; drive_write < 5; ++drive_write) {
    for (std::size_t i = 0; i < pages; ++i) detector.on_write(i % (pages - 1));
    after.push_back(counts_of(detector).back());
  }
  CHECK(after == std::vector{7, 3, 1, 0, 0});
}

TEST_CASE("a page that is written r times in a drive write has counts from r to 2r") {
  constexpr std::size_t pages = 64;
  for (const int r : {1, 2, 4, 7}) {
    WriteCounts detector(pages, 1);
    int least = 15;
    int most = 0;
    for (int drive_write = 0; drive_write < 40; ++drive_write) {
      for (std::size_t i = 0; i < pages; ++i) {
        // Page 0 comes evenly spaced, r times.
        const bool due = static_cast<int>(i) * r / 64 != (static_cast<int>(i) + 1) * r / 64;
        detector.on_write(due ? 0 : 1 + i % (pages - 1));
        if (drive_write < 10) continue;
        least = std::min(least, counts_of(detector)[0]);
        most = std::max(most, counts_of(detector)[0]);
      }
    }
    CAPTURE(r);
    CHECK(least >= r - 1);
    CHECK(least <= r);
    CHECK(most >= 2 * r - 1);
    CHECK(most <= 2 * r);
  }
}

TEST_CASE("with the default a page is hot that is written about three times as often as the mean") {
  CHECK(hot_share(1, 4) < 0.1);
  CHECK(hot_share(2, 4) < 0.5);
  CHECK(hot_share(4, 4) > 0.5);
  CHECK(hot_share(8, 4) > 0.95);
}
