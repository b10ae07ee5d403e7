#include "sim/model/space.hpp"

#include <array>

#include "nand/check.hpp"
#include "sim/model/hot_cold.hpp"

namespace x25sim::model {

namespace {

void check_span(const Span& span) {
  X25_CHECK(span.data > 0);
  X25_CHECK(span.data <= span.addressable);
  X25_CHECK(span.addressable < span.raw);
}

}  // namespace

double trimmed_in_use_share(double trim_share) {
  X25_CHECK(trim_share >= 0);
  X25_CHECK(trim_share < 0.5);
  return (1 - 2 * trim_share) / (1 - trim_share);
}

double trimmed_spare_factor(double spare_factor, double trim_share) {
  const double in_use = trimmed_in_use_share(trim_share);
  return (1 - in_use) + in_use * spare_factor;
}

double clean_spare_factor(const Span& span) {
  check_span(span);
  return 1 - span.data / span.raw;
}

double stale_spare_factor(const Span& span) {
  check_span(span);
  return 1 - span.data / (span.raw - (span.addressable - span.data));
}

double stale_write_amplification(const Collection& collection, const Span& span) {
  check_span(span);
  if (collection.policy == VictimPolicy::greedy) {
    return write_amplification(collection, stale_spare_factor(span));
  }
  X25_CHECK(collection.policy == VictimPolicy::fifo);
  const double live = span.data / span.addressable;
  const std::array<TrafficClass, 2> classes{{{1, live}, {0, 1 - live}}};
  return fifo_mixed_write_amplification(1 - span.addressable / span.raw, classes);
}

}  // namespace x25sim::model
