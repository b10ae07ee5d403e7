// Histograms, job statistics and interval series.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "sim/measure/histogram.hpp"
#include "sim/measure/job_statistics.hpp"

namespace x25sim::measure {

namespace {

using namespace std::chrono_literals;

constexpr std::array<double, 17> fio_percentiles{1,  5,  10, 20, 30,   40,   50,    60,   70,
                                                 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

// Spread over all magnitudes: every bit width is equally likely.
std::vector<std::int64_t> values_of_all_magnitudes(std::size_t count, unsigned seed) {
  std::mt19937_64 random{seed};
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i) {
    const auto width = 1 + random() % 63;
    values.push_back(static_cast<std::int64_t>(random() >> (64 - width)));
  }
  return values;
}

LatencyHistogram histogram_of(const std::vector<std::int64_t>& values) {
  LatencyHistogram histogram;
  for (const std::int64_t value : values) histogram.add(Duration{value});
  return histogram;
}

void check_equal(const LatencyHistogram& a, const LatencyHistogram& b) {
  CHECK(a.count() == b.count());
  CHECK(a.min() == b.min());
  CHECK(a.max() == b.max());
  CHECK(a.mean_ns() == b.mean_ns());
  CHECK(a.stddev_ns() == b.stddev_ns());
  CHECK(a.levels() == b.levels());
  const auto a_bins = a.bins();
  const auto b_bins = b.bins();
  REQUIRE(a_bins.size() == b_bins.size());
  for (std::size_t i = 0; i < a_bins.size(); ++i) {
    CHECK(a_bins[i].value == b_bins[i].value);
    CHECK(a_bins[i].count == b_bins[i].count);
  }
}

}  // namespace

TEST_CASE("an empty histogram reports zeros") {
  const LatencyHistogram histogram;
  CHECK(histogram.count() == 0);
  CHECK(histogram.min() == 0ns);
  CHECK(histogram.max() == 0ns);
  CHECK(histogram.mean_ns() == 0);
  CHECK(histogram.stddev_ns() == 0);
  CHECK(histogram.percentile(50) == 0ns);
  CHECK(histogram.bins().empty());
}

TEST_CASE("one value is minimum, mean, maximum and every percentile") {
  for (const std::int64_t value :
       {0LL, 1LL, 127LL, 128LL, 107'850LL, 9'223'372'036'854'775'807LL}) {
    const LatencyHistogram histogram = histogram_of({value});
    CHECK(histogram.min() == Duration{value});
    CHECK(histogram.max() == Duration{value});
    CHECK(histogram.mean_ns() == static_cast<double>(value));
    CHECK(histogram.stddev_ns() == 0);
    for (const double percent : fio_percentiles) {
      CHECK(histogram.percentile(percent) == Duration{value});
    }
    CHECK(histogram.percentile(100) == Duration{value});
  }
}

TEST_CASE("a bucket's middle is less than 0.8 % off for values of every magnitude") {
  for (const std::int64_t value : values_of_all_magnitudes(20'000, 1)) {
    const auto bins = histogram_of({value}).bins();
    REQUIRE(bins.size() == 1);
    const auto error = std::abs(static_cast<double>(bins[0].value.count() - value));
    CHECK(error <= 0.008 * static_cast<double>(value));
    if (value < 128) CHECK(bins[0].value.count() == value);
  }
}

TEST_CASE("percentiles are those of the sorted values, to 0.8 %") {
  auto values = values_of_all_magnitudes(10'000, 2);
  const LatencyHistogram histogram = histogram_of(values);
  std::sort(values.begin(), values.end());
  for (const double percent : fio_percentiles) {
    // Ten thousand values: every one of these percentages is a whole number of them.
    const auto rank = static_cast<std::size_t>(std::llround(percent * 100));
    const auto exact = static_cast<double>(values[rank - 1]);
    const auto reported = static_cast<double>(histogram.percentile(percent).count());
    CHECK(std::abs(reported - exact) <= 0.008 * exact);
  }
  CHECK(histogram.percentile(100).count() == values.back());
  CHECK(histogram.percentile(0.01).count() == values.front());
}

TEST_CASE("a percentile that is a whole number of values does not reach for the next one") {
  // 99.9 / 100 * 1000 is a little more than 999 in floating point on some machines.
  std::vector<std::int64_t> values(999, 100);
  values.push_back(1'000'000);
  const LatencyHistogram histogram = histogram_of(values);
  CHECK(histogram.percentile(99.9) == 100ns);
  CHECK(histogram.percentile(99.95) == 1'000'000ns);
}

TEST_CASE("minimum, maximum, mean and deviation equal those of the plain values") {
  std::mt19937_64 random{3};
  for (const std::int64_t offset : {0LL, 100'000LL, 3'600'000'000'000LL}) {
    std::vector<std::int64_t> values;
    for (int i = 0; i < 5'000; ++i) {
      values.push_back(offset + static_cast<std::int64_t>(random() % 1'000));
    }
    const LatencyHistogram histogram = histogram_of(values);
    CHECK(histogram.min().count() == *std::min_element(values.begin(), values.end()));
    CHECK(histogram.max().count() == *std::max_element(values.begin(), values.end()));
    const auto count = static_cast<double>(values.size());
    double mean = 0;
    for (const std::int64_t value : values) mean += static_cast<double>(value - offset) / count;
    double squares = 0;
    for (const std::int64_t value : values) {
      squares += std::pow(static_cast<double>(value - offset) - mean, 2);
    }
    CHECK(histogram.mean_ns() - static_cast<double>(offset) == doctest::Approx(mean).epsilon(1e-6));
    CHECK(histogram.stddev_ns() ==
          doctest::Approx(std::sqrt(squares / (count - 1))).epsilon(1e-12));
  }
}

TEST_CASE("equal values have no deviation, however large they are") {
  const LatencyHistogram histogram =
      histogram_of(std::vector<std::int64_t>(1'000, 3'600'000'000'007));
  CHECK(histogram.mean_ns() == 3'600'000'000'007.0);
  CHECK(histogram.stddev_ns() == 0);
}

TEST_CASE("one request of 100 s among a hundred shows in the last percentile, uncapped") {
  std::vector<std::int64_t> values(99, 100'000);
  values.push_back(nanoseconds(Duration{100s}));
  const LatencyHistogram histogram = histogram_of(values);
  CHECK(histogram.max() == 100s);
  CHECK(histogram.percentile(100) == 100s);
  CHECK(histogram.percentile(99.99) == 100s);
  CHECK(histogram.percentile(99) < 101us);
  const auto bins = histogram.bins();
  REQUIRE(bins.size() == 2);
  CHECK(std::abs(seconds(bins[1].value) - 100) < 0.8);
  CHECK(histogram.levels().back() == 1);
}

TEST_CASE("merged histograms equal the histogram of all values") {
  const auto a = values_of_all_magnitudes(3'000, 4);
  const auto b = values_of_all_magnitudes(2'000, 5);
  std::vector<std::int64_t> all = a;
  all.insert(all.end(), b.begin(), b.end());
  LatencyHistogram merged = histogram_of(a);
  merged.merge(histogram_of(b));
  check_equal(merged, histogram_of(all));

  LatencyHistogram empty;
  merged.merge(empty);
  check_equal(merged, histogram_of(all));
  empty.merge(histogram_of(a));
  check_equal(empty, histogram_of(a));
}

TEST_CASE("the order of values does not matter") {
  auto values = values_of_all_magnitudes(5'000, 6);
  const LatencyHistogram original = histogram_of(values);
  std::shuffle(values.begin(), values.end(), std::mt19937_64{7});
  check_equal(original, histogram_of(values));
  std::sort(values.begin(), values.end(), std::greater<>{});
  check_equal(original, histogram_of(values));
}

TEST_CASE("latency levels are exact at their bounds and add up") {
  CHECK(latency_level_bounds.front() == 2ns);
  CHECK(latency_level_bounds[9] == 1us);
  CHECK(latency_level_bounds[19] == 1ms);
  CHECK(latency_level_bounds.back() == 2s);
  for (std::size_t level = 0; level < latency_level_bounds.size(); ++level) {
    const Duration bound = latency_level_bounds[level];
    LatencyHistogram histogram;
    histogram.add(bound - 1ns);
    CHECK(histogram.levels()[level] == 1);
    histogram.add(bound);
    CHECK(histogram.levels()[level + 1] == 1);
  }
  const LatencyHistogram mixed = histogram_of(values_of_all_magnitudes(1'000, 8));
  CHECK(std::accumulate(mixed.levels().begin(), mixed.levels().end(), std::uint64_t{0}) == 1'000);
}

TEST_CASE("interval series leave out the partial last interval and keep empty ones") {
  IntervalSeries series;
  series.add(0ns, Bytes{4096});
  series.add(499'999'999ns, Bytes{4096});
  series.add(500ms, Bytes{512});
  series.add(1'600ms, Bytes{1024});
  CHECK(series.complete_samples(0ns).active.empty());
  CHECK(series.complete_samples(499'999'999ns).active.empty());
  CHECK(series.complete_samples(500ms).active.size() == 1);
  const auto samples = series.complete_samples(1'999ms);
  REQUIRE(samples.active.size() == 2);
  CHECK(samples.active[0].requests == 2);
  CHECK(samples.active[0].bytes == Bytes{8192});
  CHECK(samples.active[1].requests == 1);
  CHECK(samples.idle == 1);
  CHECK(series.complete_samples(3s).active.size() == 3);
  CHECK(series.complete_samples(3s).active[2].bytes == Bytes{1024});
  CHECK(series.complete_samples(3s).idle == 3);
}

TEST_CASE("a depth counts at the largest level that it reaches") {
  for (std::uint32_t depth = 1; depth <= 200; ++depth) {
    const std::uint32_t level = depth_levels[depth_level(depth)];
    CHECK(level <= depth);
    if (level < depth_levels.back()) CHECK(depth < 2 * level);
  }
}

}  // namespace x25sim::measure
