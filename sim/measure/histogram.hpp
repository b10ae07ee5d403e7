// Distribution of latencies in constant memory.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nand/units.hpp"

namespace x25sim::measure {

// Upper bounds, exclusive, of the latency levels that fio reports as latency_ns, latency_us and
// latency_ms: 2 ns to 1000 ns, 2 us to 1000 us, 2 ms to 2000 ms. One more level holds what is
// above.
inline constexpr std::array<Duration, 31> latency_level_bounds = [] {
  constexpr std::array<Duration::rep, 10> steps{2, 4, 10, 20, 50, 100, 250, 500, 750, 1000};
  std::array<Duration, 31> bounds{};
  std::size_t level = 0;
  for (const Duration::rep unit : {1, 1'000, 1'000'000}) {
    for (const Duration::rep step : steps) bounds[level++] = Duration{step * unit};
  }
  bounds[level] = std::chrono::milliseconds{2000};
  return bounds;
}();

// Log-linear histogram: values below 128 ns are counted exactly; above, every power of two is split
// into 64 buckets, so a bucket's bounds differ by less than 1/64 of its value and a percentile,
// reported as the middle of its bucket, is off by less than 1/128 = 0.8 %. Minimum and maximum are
// exact, and no value is too large: the last power of two is that of the largest 63-bit duration.
class LatencyHistogram {
 public:
  LatencyHistogram();

  // Requires: latency >= 0.
  void add(Duration latency);
  void merge(const LatencyHistogram& other);

  std::uint64_t count() const { return count_; }
  Duration min() const { return min_; }  // 0 if empty
  Duration max() const { return max_; }
  double mean_ns() const;    // 0 if empty
  double stddev_ns() const;  // of the sample (n - 1), as fio; 0 if there are fewer than two values

  // The smallest latency that at least `percent` of the values do not exceed, 0 < percent <= 100,
  // six decimals of which count; 0 if empty. Never below min() or above max(), and exactly these
  // for the first and the last value.
  Duration percentile(double percent) const;

  struct Bin {
    Duration value;  // middle of the bucket
    std::uint64_t count;
  };
  // The buckets that hold values, ascending.
  std::vector<Bin> bins() const;

  // Values of each latency level, exact although bounds of levels are not bounds of buckets.
  using Levels = std::array<std::uint64_t, latency_level_bounds.size() + 1>;
  const Levels& levels() const { return levels_; }

 private:
  std::vector<std::uint64_t> buckets_;
  Levels levels_{};
  std::uint64_t count_ = 0;
  Duration min_{};
  Duration max_{};
  // Sums of integer nanoseconds: exact, and independent of the order of values.
  __extension__ using Wide = unsigned __int128;
  Wide sum_ = 0;
  Wide sum_of_squares_ = 0;
};

}  // namespace x25sim::measure
