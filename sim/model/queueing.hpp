// Closed queueing networks: throughput of requests of which a fixed number, the queue depth K, is
// in flight. A request that ends is followed by another at once.
#pragma once

#include <cstdint>
#include <vector>

namespace x25sim::model {

// Equal stations that serve one request at a time each, in order of arrival.
struct Stations {
  double demand = 0;  // of each: service time x mean visits of a request, >= 0
  std::uint32_t count = 1;
};

// Times in any one unit; rates are per that unit.
struct ClosedNetwork {
  std::vector<Stations> stations;  // at least one has a demand and a count > 0
  double think_time = 0;           // time of a request in no queue, >= 0
};

struct NetworkResult {
  double throughput = 0;
  double response_time = 0;           // without the think time: queue_depth = throughput x (both)
  std::vector<double> queue_lengths;  // of one of each `stations`, with the request in service
};

// Exponential service times: exact, by mean value analysis: residence D (1 + queue length with one
// request less). Reiser and Lavenberg, "Mean-value analysis of closed multichain queuing networks",
// JACM 27 (1980). `queue_depth` >= 1.
NetworkResult mean_value_analysis(const ClosedNetwork& network, std::uint32_t queue_depth);

// Throughput for any distribution of service times lies between K / (think + K sum D), all requests
// in each other's way, and min(K / (think + sum D), 1 / max D). Lazowska et al., "Quantitative
// system performance" (1984), chapter 5.
struct ThroughputBounds {
  double lower;
  double upper;
};
ThroughputBounds asymptotic_bounds(const ClosedNetwork& network, std::uint32_t queue_depth);

// Mean number of busy dies with K = `queue_depth` >= 1 requests at N = `dies` >= 1, each request
// for any die with equal probability; over the service time it is the throughput.

// Exponential service times, exact: N K / (N + K - 1).
double exponential_busy_dies(std::uint32_t dies, std::uint32_t queue_depth);

// All dies take the same time. For N and K without bound: N (1 + k - sqrt(1 + k^2)), k = K / N.
double mean_field_busy_dies(std::uint32_t dies, std::uint32_t queue_depth);

// The same for finite N and K, a lower bound within 1.4 % for N >= 5: the busy dies B satisfy
// E[B]^2 + Var(B) - (2 K + 2 N - 1) E[B] + 2 K N = 0, here without the variance. Derived for this
// project. Exact for K = 1 and for N = 1.
double lock_step_lower_bound(std::uint32_t dies, std::uint32_t queue_depth);

// The same, exact: in each service time every busy die ends one request, and as many new ones go to
// random dies. Stationary distribution of the partitions of K into queue lengths. Requires:
// queue_depth <= lock_step_depth_max, beyond which there are too many.
double lock_step_busy_dies(std::uint32_t dies, std::uint32_t queue_depth);
inline constexpr std::uint32_t lock_step_depth_max = 32;

// K requests that arrive together at idle dies: N (1 - (1 - 1 / N)^K) of them get work. An upper
// bound of the closed system, and exact for K <= 2.
double batch_busy_dies(std::uint32_t dies, std::uint32_t queue_depth);

}  // namespace x25sim::model
