#include "sim/model/queueing.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "nand/check.hpp"

namespace x25sim::model {

namespace {

using Eigen::ArrayXd;

// The network in arrays, an element for each kind of station.
struct Kinds {
  ArrayXd demands;
  ArrayXd counts;

  double demand_of_all() const { return (demands * counts).sum(); }
};

Kinds kinds_of(const ClosedNetwork& network) {
  X25_CHECK(network.think_time >= 0);
  const auto size = static_cast<Eigen::Index>(network.stations.size());
  Kinds kinds{ArrayXd(size), ArrayXd(size)};
  for (Eigen::Index i = 0; i < size; ++i) {
    const Stations& stations = network.stations[static_cast<std::size_t>(i)];
    X25_CHECK(stations.demand >= 0);
    kinds.demands[i] = stations.demand;
    kinds.counts[i] = stations.count;
  }
  X25_CHECK(kinds.demand_of_all() > 0);
  return kinds;
}

void check_sizes(std::uint32_t dies, std::uint32_t queue_depth) {
  X25_CHECK(dies > 0);
  X25_CHECK(queue_depth > 0);
}

}  // namespace

NetworkResult mean_value_analysis(const ClosedNetwork& network, std::uint32_t queue_depth) {
  X25_CHECK(queue_depth > 0);
  const Kinds kinds = kinds_of(network);
  ArrayXd queues = ArrayXd::Zero(kinds.demands.size());
  NetworkResult result;
  for (std::uint32_t depth = 1; depth <= queue_depth; ++depth) {
    const ArrayXd residence = kinds.demands * (1 + queues);
    result.response_time = (residence * kinds.counts).sum();
    result.throughput = depth / (network.think_time + result.response_time);
    queues = result.throughput * residence;
  }
  result.queue_lengths.assign(queues.begin(), queues.end());
  return result;
}

ThroughputBounds asymptotic_bounds(const ClosedNetwork& network, std::uint32_t queue_depth) {
  X25_CHECK(queue_depth > 0);
  const Kinds kinds = kinds_of(network);
  const double depth = queue_depth;
  const double all = kinds.demand_of_all();
  const double most = (kinds.counts > 0).select(kinds.demands, 0.0).maxCoeff();
  return {.lower = depth / (network.think_time + depth * all),
          .upper = std::min(depth / (network.think_time + all), 1 / most)};
}

double exponential_busy_dies(std::uint32_t dies, std::uint32_t queue_depth) {
  check_sizes(dies, queue_depth);
  const double n = dies;
  const double k = queue_depth;
  return n * k / (n + k - 1);
}

double mean_field_busy_dies(std::uint32_t dies, std::uint32_t queue_depth) {
  check_sizes(dies, queue_depth);
  const double k = static_cast<double>(queue_depth) / dies;
  // 1 + k - sqrt(1 + k^2) without cancellation for small k.
  return dies * 2 * k / (1 + k + std::hypot(1.0, k));
}

double lock_step_lower_bound(std::uint32_t dies, std::uint32_t queue_depth) {
  check_sizes(dies, queue_depth);
  const double n = dies;
  const double k = queue_depth;
  const double sum = 2 * k + 2 * n - 1;
  return 4 * k * n / (sum + std::sqrt(sum * sum - 8 * k * n));
}

double batch_busy_dies(std::uint32_t dies, std::uint32_t queue_depth) {
  check_sizes(dies, queue_depth);
  const double n = dies;
  return -n * std::expm1(queue_depth * std::log1p(-1 / n));
}

}  // namespace x25sim::model
