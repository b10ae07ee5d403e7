#include "sim/measure/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "nand/check.hpp"

namespace x25sim::measure {

namespace {

constexpr unsigned split_bits = 6;  // log2 of the buckets in a power of two
constexpr std::uint64_t split = std::uint64_t{1} << split_bits;
constexpr unsigned value_bits = 63;
constexpr std::size_t bucket_count = split * (value_bits - split_bits) + split;

// Bits that are dropped from the right of a value to find its bucket: none below 2 * split.
constexpr unsigned dropped_bits(std::uint64_t value) {
  return static_cast<unsigned>(std::bit_width(value | split)) - (split_bits + 1);
}

constexpr std::size_t bucket_of(std::uint64_t value) {
  const unsigned dropped = dropped_bits(value);
  return static_cast<std::size_t>(split * dropped + (value >> dropped));
}

constexpr Duration middle_of(std::size_t bucket) {
  if (bucket < 2 * split) return Duration{static_cast<Duration::rep>(bucket)};
  const auto dropped = static_cast<unsigned>(bucket / split) - 1;
  const std::uint64_t lowest = (split + bucket % split) << dropped;
  return Duration{static_cast<Duration::rep>(lowest + (std::uint64_t{1} << dropped) / 2)};
}

static_assert(bucket_of((std::uint64_t{1} << value_bits) - 1) == bucket_count - 1);
static_assert(bucket_of(2 * split - 1) + 1 == bucket_of(2 * split));

// The latency levels that begin within one power of two: at most two do, so that a value's level is
// found by two comparisons.
struct Octave {
  std::uint64_t level;  // of its lowest value
  std::array<std::uint64_t, 2> begins;
};

// The octave of values that are `width` bits wide.
constexpr Octave octave_of(std::size_t width) {
  const std::uint64_t lowest = width == 0 ? 0 : std::uint64_t{1} << (width - 1);
  Octave octave{0, {std::uint64_t{1} << value_bits, std::uint64_t{1} << value_bits}};
  std::size_t begins = 0;
  for (const Duration bound : latency_level_bounds) {
    const auto value = static_cast<std::uint64_t>(bound.count());
    if (value <= lowest) ++octave.level;
    // A third begin would be out of bounds: not a constant expression.
    if (value > lowest && value < 2 * lowest) octave.begins[begins++] = value;
  }
  return octave;
}

constexpr std::array<Octave, value_bits + 1> octaves = [] {
  std::array<Octave, value_bits + 1> result{};
  for (std::size_t width = 0; width < result.size(); ++width) result[width] = octave_of(width);
  return result;
}();

constexpr std::size_t level_of(std::uint64_t value) {
  const Octave& octave = octaves[static_cast<std::size_t>(std::bit_width(value))];
  return octave.level + (value >= octave.begins[0] ? 1 : 0) + (value >= octave.begins[1] ? 1 : 0);
}

static_assert(level_of(0) == 0);
static_assert(level_of(999) + 1 == level_of(1000));
static_assert(level_of(1'999'999'999) + 1 == level_of(2'000'000'000));
static_assert(level_of(2'000'000'000) == latency_level_bounds.size());

}  // namespace

LatencyHistogram::LatencyHistogram() : buckets_(bucket_count) {}

void LatencyHistogram::add(Duration latency) {
  X25_CHECK(latency.count() >= 0);
  const auto value = static_cast<std::uint64_t>(latency.count());
  ++buckets_[bucket_of(value)];
  ++levels_[level_of(value)];
  min_ = count_ == 0 ? latency : std::min(min_, latency);
  max_ = std::max(max_, latency);
  ++count_;
  sum_ += value;
  sum_of_squares_ += Wide{value} * value;
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  if (other.count_ == 0) return;
  for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) {
    buckets_[bucket] += other.buckets_[bucket];
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    levels_[level] += other.levels_[level];
  }
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  count_ += other.count_;
  sum_ += other.sum_;
  sum_of_squares_ += other.sum_of_squares_;
}

double LatencyHistogram::mean_ns() const {
  if (count_ == 0) return 0;
  // Quotient and remainder apart keep the digits that a conversion of the sum would lose.
  const Wide whole = sum_ / count_;
  const Wide rest = sum_ % count_;
  return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(count_);
}

double LatencyHistogram::stddev_ns() const {
  if (count_ < 2) return 0;
  // Squares of the distances from the whole part of the mean are summed exactly, without the
  // cancellation of mean(x^2) - mean(x)^2 in floating point; the fraction is corrected for.
  const Wide whole = sum_ / count_;
  const Wide rest = sum_ % count_;
  const Wide distances = sum_of_squares_ - whole * (sum_ + rest);
  const double fraction = static_cast<double>(rest) / static_cast<double>(count_);
  const double squares = static_cast<double>(distances) - static_cast<double>(rest) * fraction;
  return std::sqrt(std::max(squares, 0.0) / static_cast<double>(count_ - 1));
}

Duration LatencyHistogram::percentile(double percent) const {
  X25_CHECK(percent > 0);
  X25_CHECK(percent <= 100);
  if (count_ == 0) return {};
  // In integers: 99.9 % of 1000 values are 999 values, where floating point may say 1000.
  constexpr std::uint64_t whole = 100'000'000;
  const auto share = static_cast<std::uint64_t>(std::llround(percent * (whole / 100.0)));
  const auto rank = static_cast<std::uint64_t>((Wide{share} * count_ + whole - 1) / whole);
  if (rank <= 1) return min_;
  if (rank >= count_) return max_;
  std::uint64_t values = 0;
  for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) {
    values += buckets_[bucket];
    if (values >= rank) return std::clamp(middle_of(bucket), min_, max_);
  }
  return max_;
}

std::vector<LatencyHistogram::Bin> LatencyHistogram::bins() const {
  std::vector<Bin> result;
  for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) {
    if (buckets_[bucket] > 0) result.push_back({middle_of(bucket), buckets_[bucket]});
  }
  return result;
}

}  // namespace x25sim::measure
