// Closed forms of queues: values of independent evaluations, limits and identities.
#include <cmath>
#include <deque>
#include <doctest/doctest.h>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "nand/random.hpp"
#include "sim/model/queueing.hpp"
#include "tests/near.hpp"

using namespace x25sim::model;
using x25sim::test::near;
using x25sim::test::within;

namespace {

struct DiesRow {
  std::uint32_t dies, queue_depth;
  double exponential, batch, mean_field;
  double exact;  // of equal times; 0: not in the table
};

constexpr DiesRow dies_rows[] = {
    // clang-format off
    {5, 1, 1.0000, 1.0000, 0.9010, 1.0000},
    {5, 2, 1.6667, 1.8000, 1.6148, 1.8000},
    {5, 3, 2.1429, 2.4400, 2.1690, 2.4095},
    {5, 4, 2.5000, 2.9520, 2.5969, 2.8630},
    {5, 8, 3.3333, 4.1611, 3.5660, 3.8024},
    {5, 16, 4.0000, 4.8593, 4.2369, 4.3817},
    {5, 32, 4.4444, 4.9960, 4.6117, 0},
    {10, 1, 1.0000, 1.0000, 0.9501, 1.0000},
    {10, 2, 1.8182, 1.9000, 1.8020, 1.9000},
    {10, 3, 2.5000, 2.7100, 2.5597, 2.7011},
    {10, 4, 3.0769, 3.4390, 3.2297, 3.4077},
    {10, 8, 4.7059, 5.6953, 5.1938, 5.4461},
    {10, 16, 6.4000, 8.1470, 7.1320, 7.3610},
    {10, 32, 7.8049, 9.6566, 8.4739, 0},
    {16, 1, 1.0000, 1.0000, 0.9688, 1.0000},
    {16, 2, 1.8824, 1.9375, 1.8755, 1.9375},
    {16, 3, 2.6667, 2.8164, 2.7212, 2.8128},
    {16, 4, 3.3684, 3.6404, 3.5076, 3.6268},
    {16, 8, 5.5652, 6.4525, 6.1115, 6.3149},
    {16, 16, 8.2581, 10.3028, 9.3726, 0},
    {16, 32, 10.8936, 13.9714, 12.2229, 0},
    {20, 1, 1.0000, 1.0000, 0.9750, 1.0000},
    {20, 2, 1.9048, 1.9500, 1.9002, 1.9500},
    {20, 3, 2.7273, 2.8525, 2.7763, 2.8501},
    {20, 4, 3.4783, 3.7099, 3.6039, 3.7009},
    {20, 8, 5.9259, 6.7316, 6.4593, 6.6337},
    {20, 16, 9.1429, 11.1975, 10.3875, 0},
    {20, 32, 12.5490, 16.1258, 14.2641, 0},
    {40, 1, 1.0000, 1.0000, 0.9875, 1.0000},
    {40, 2, 1.9512, 1.9750, 1.9500, 1.9750},
    {40, 3, 2.8571, 2.9256, 2.8877, 2.9250},
    {40, 4, 3.7209, 3.8525, 3.8005, 3.8501},
    {40, 8, 6.8085, 7.3339, 7.2078, 7.3042},
    {40, 16, 11.6364, 13.3232, 12.9187, 0},
    {40, 32, 18.0282, 22.2087, 20.7750, 0},
    // clang-format on
};

struct NetworkRow {
  std::uint32_t dies, channels;
  double read_us, transfer_us, link_us;
  std::uint32_t queue_depth;
  double iops, upper, lower;
};

constexpr NetworkRow network_rows[] = {
    // clang-format off
    {10, 5, 50, 100, 15, 1, 6061, 6061, 6061},
    {10, 5, 50, 100, 15, 2, 11111, 12121, 6061},
    {10, 5, 50, 100, 15, 4, 18915, 24242, 6061},
    {10, 5, 50, 100, 15, 8, 28663, 48485, 6061},
    {10, 5, 50, 100, 15, 16, 37607, 50000, 6061},
    {10, 5, 50, 100, 15, 32, 43567, 50000, 6061},
    {10, 5, 50, 25, 15, 1, 11111, 11111, 11111},
    {10, 5, 50, 25, 15, 2, 20690, 22222, 11111},
    {10, 5, 50, 25, 15, 4, 36064, 44444, 11111},
    {10, 5, 50, 25, 15, 8, 55275, 66667, 11111},
    {10, 5, 50, 25, 15, 16, 66147, 66667, 11111},
    {10, 5, 50, 25, 15, 32, 66667, 66667, 11111},
    {10, 10, 50, 100, 15, 1, 6061, 6061, 6061},
    {10, 10, 50, 100, 15, 2, 11498, 12121, 6061},
    {10, 10, 50, 100, 15, 4, 20820, 24242, 6061},
    {10, 10, 50, 100, 15, 8, 34828, 48485, 6061},
    {10, 10, 50, 100, 15, 16, 51605, 66667, 6061},
    {10, 10, 50, 100, 15, 32, 64375, 66667, 6061},
    {10, 10, 50, 25, 15, 1, 11111, 11111, 11111},
    {10, 10, 50, 25, 15, 2, 20839, 22222, 11111},
    {10, 10, 50, 25, 15, 4, 36673, 44444, 11111},
    {10, 10, 50, 25, 15, 8, 56392, 66667, 11111},
    {10, 10, 50, 25, 15, 16, 66349, 66667, 11111},
    {10, 10, 50, 25, 15, 32, 66667, 66667, 11111},
    {20, 10, 50, 100, 15, 1, 6061, 6061, 6061},
    {20, 10, 50, 100, 15, 2, 11549, 12121, 6061},
    {20, 10, 50, 100, 15, 4, 21042, 24242, 6061},
    {20, 10, 50, 100, 15, 8, 35400, 48485, 6061},
    {20, 10, 50, 100, 15, 16, 52410, 66667, 6061},
    {20, 10, 50, 100, 15, 32, 64708, 66667, 6061},
    {20, 10, 50, 25, 15, 1, 11111, 11111, 11111},
    {20, 10, 50, 25, 15, 2, 21145, 22222, 11111},
    {20, 10, 50, 25, 15, 4, 38010, 44444, 11111},
    {20, 10, 50, 25, 15, 8, 58881, 66667, 11111},
    {20, 10, 50, 25, 15, 16, 66602, 66667, 11111},
    {20, 10, 50, 25, 15, 32, 66667, 66667, 11111},
    // clang-format on
};

ClosedNetwork dies_alone(std::uint32_t dies) {
  return {.stations = {{1.0 / dies, dies}}, .think_time = 0};
}

}  // namespace

TEST_CASE("busy dies against queue depth are those of the table") {
  for (const DiesRow& row : dies_rows) {
    CAPTURE(row.dies);
    CAPTURE(row.queue_depth);
    CHECK(near(exponential_busy_dies(row.dies, row.queue_depth), row.exponential, 0.6e-4));
    CHECK(near(batch_busy_dies(row.dies, row.queue_depth), row.batch, 0.6e-4));
    CHECK(near(mean_field_busy_dies(row.dies, row.queue_depth), row.mean_field, 0.6e-4));
    if (row.queue_depth > 16) continue;
    const double exact = lock_step_busy_dies(row.dies, row.queue_depth);
    if (row.exact > 0) CHECK(near(exact, row.exact, 0.6e-4));
    const double lower = lock_step_lower_bound(row.dies, row.queue_depth);
    CHECK(lower <= exact + 1e-12);
    CHECK(lower > exact * (row.dies < 10 ? 0.985 : 0.992));
    CHECK(exact <= batch_busy_dies(row.dies, row.queue_depth) + 1e-12);
    CHECK(exact >= exponential_busy_dies(row.dies, row.queue_depth) - 1e-12);
  }
}

TEST_CASE("equal service times at a queue depth of 32 agree with Monte Carlo") {
  CHECK(near(lock_step_busy_dies(10, 32), 8.61702, 0.0006));  // of 2 x 10^8 steps
  CHECK(near(lock_step_busy_dies(5, 32), 4.6896, 0.0093));
  CHECK(near(lock_step_busy_dies(20, 32), 14.4877, 0.0252));
}

TEST_CASE("equal service times have their exact values in small systems") {
  CHECK(near(lock_step_busy_dies(2, 2), 1.5, 1e-12));
  CHECK(near(lock_step_busy_dies(2, 3), 5.0 / 3, 1e-12));
  CHECK(near(lock_step_busy_dies(2, 4), 1.75, 1e-12));
  for (const std::uint32_t n : {1U, 2U, 5U, 40U, 1000U}) {
    CHECK(near(lock_step_busy_dies(n, 1), 1, 1e-12));
    CHECK(near(lock_step_lower_bound(n, 1), 1, 1e-12));
    CHECK(near(lock_step_busy_dies(1, n < 33 ? n : 32), 1, 1e-12));
    CHECK(near(lock_step_lower_bound(1, n), 1, 1e-12));
    CHECK(near(lock_step_busy_dies(n, 2), batch_busy_dies(n, 2), 1e-12));
    CHECK(near(exponential_busy_dies(n, 1), 1, 1e-12));
    CHECK(near(batch_busy_dies(n, 1), 1, 1e-12));
  }
  // The finite corrections vanish with size.
  CHECK(near(lock_step_lower_bound(100000, 200000) / 100000,
             mean_field_busy_dies(100000, 200000) / 100000, 1e-5));
}

TEST_CASE("mean value analysis has the throughput and the bounds of the table") {
  for (const NetworkRow& row : network_rows) {
    CAPTURE(row.dies);
    CAPTURE(row.queue_depth);
    const ClosedNetwork network{.stations = {{row.read_us * 1e-6 / row.dies, row.dies},
                                             {row.transfer_us * 1e-6 / row.channels, row.channels},
                                             {row.link_us * 1e-6, 1}},
                                .think_time = 0};
    const NetworkResult result = mean_value_analysis(network, row.queue_depth);
    CHECK(near(result.throughput, row.iops, 0.51));
    const ThroughputBounds bounds = asymptotic_bounds(network, row.queue_depth);
    CHECK(near(bounds.upper, row.upper, 0.51));
    CHECK(near(bounds.lower, row.lower, 0.51));
    CHECK(result.throughput >= bounds.lower - 1e-6);
    CHECK(result.throughput <= bounds.upper + 1e-6);
  }
}

namespace {

// The network of a row of the table with a die that is free again when its read ends: each request
// visits a random die, the channel of that die, and the link, and then begins anew. Requests per
// second, over so many of them.
double simulate(const NetworkRow& row, bool exponential, int requests) {
  struct Station {
    double service = 0;
    std::deque<int> queue;  // the first is in service
  };
  std::vector<Station> stations(row.dies + row.channels + 1);
  const std::size_t link = row.dies + row.channels;
  for (std::size_t i = 0; i < stations.size(); ++i) {
    stations[i].service = i < row.dies ? row.read_us : i < link ? row.transfer_us : row.link_us;
  }
  using Event = std::pair<double, std::size_t>;  // when a station ends what it serves
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  x25sim::Random random = x25sim::random_stream(1, "test", 0);
  double now = 0;
  const auto serve = [&](std::size_t number) {
    const double time = stations[number].service;
    events.emplace(now + (exponential ? -time * std::log1p(-random.unit()) : time), number);
  };
  const auto visit = [&](std::size_t number, int request) {
    stations[number].queue.push_back(request);
    if (stations[number].queue.size() == 1) serve(number);
  };
  for (int i = 0; i < static_cast<int>(row.queue_depth); ++i) visit(random.below(row.dies), i);
  for (int done = 0; done < requests;) {
    const auto [time, number] = events.top();
    events.pop();
    now = time;
    const int request = stations[number].queue.front();
    stations[number].queue.pop_front();
    if (!stations[number].queue.empty()) serve(number);
    if (number < row.dies) {
      visit(row.dies + number % row.channels, request);
    } else if (number < link) {
      visit(link, request);
    } else {
      ++done;
      visit(random.below(row.dies), request);
    }
  }
  return requests / now * 1e6;
}

}  // namespace

// T22 of the theory's notes.
TEST_CASE("stations with exponential times do what mean value analysis says, equal times more") {
  for (const NetworkRow& row : network_rows) {
    CAPTURE(row.dies);
    CAPTURE(row.channels);
    CAPTURE(row.transfer_us);
    CAPTURE(row.queue_depth);
    CHECK(simulate(row, true, 60'000) == within(row.iops, 0.01));
    // Of the requests that are in flight at the end, the share that is done is not counted.
    const double edges = row.queue_depth / 20'000.0;
    const double equal_times = simulate(row, false, 20'000);
    CHECK(equal_times >= row.iops * (1 - edges) - 0.51);
    CHECK(equal_times <= row.upper + 0.51);
  }
}

TEST_CASE("mean value analysis of equal dies is the product form, and keeps Little's law") {
  for (const std::uint32_t dies : {1U, 2U, 10U, 20U}) {
    for (const std::uint32_t depth : {1U, 2U, 7U, 32U, 1000U}) {
      const NetworkResult result = mean_value_analysis(dies_alone(dies), depth);
      CHECK(near(result.throughput, exponential_busy_dies(dies, depth), 1e-9));
      CHECK(near(result.throughput * result.response_time, depth, 1e-9 * depth));
      CHECK(near(result.queue_lengths.at(0) * dies, depth, 1e-9 * depth));
    }
  }
  CHECK(near(mean_value_analysis(dies_alone(2), 2).throughput, 4.0 / 3, 1e-12));
  // Product form of unequal stations: X(2) = (D1 + D2) / (D1^2 + D1 D2 + D2^2).
  const ClosedNetwork unequal{.stations = {{2, 1}, {1, 1}}, .think_time = 0};
  CHECK(near(mean_value_analysis(unequal, 2).throughput, 3.0 / 7, 1e-12));
}

TEST_CASE("think time is waited for but keeps no station busy") {
  const ClosedNetwork network{.stations = {{1, 1}, {0.25, 4}}, .think_time = 3};
  for (const std::uint32_t depth : {1U, 4U, 64U}) {
    const NetworkResult result = mean_value_analysis(network, depth);
    CHECK(near(result.throughput * (result.response_time + 3), depth, 1e-9 * depth));
    const ThroughputBounds bounds = asymptotic_bounds(network, depth);
    CHECK(result.throughput >= bounds.lower - 1e-12);
    CHECK(result.throughput <= bounds.upper + 1e-12);
  }
  CHECK(near(mean_value_analysis(network, 1).throughput, 0.2, 1e-12));
  CHECK(near(mean_value_analysis(network, 1000).throughput, 1, 1e-6));
}

TEST_CASE("an array of drives is one larger drive for random reads") {
  struct Row {
    std::uint32_t dies, queue_depth, drives;
    double lower_bound_ratio, exponential_ratio;
  };
  for (const Row& row :
       {Row{10, 1, 2, 1, 1}, Row{10, 4, 2, 1.09, 1.13}, Row{10, 8, 2, 1.22, 1.26},
        Row{10, 16, 2, 1.45, 1.43}, Row{10, 32, 2, 1.68, 1.61}, Row{10, 32, 3, 2.13, 2.02},
        Row{10, 32, 4, 2.44, 2.31}, Row{10, 64, 2, 1.84, 1.76}, Row{20, 32, 2, 1.45, 1.44},
        Row{20, 32, 4, 1.80, 1.84}}) {
    CAPTURE(row.queue_depth);
    CAPTURE(row.drives);
    const auto ratio = [&row](double (*busy)(std::uint32_t, std::uint32_t)) {
      return busy(row.dies * row.drives, row.queue_depth) / busy(row.dies, row.queue_depth);
    };
    CHECK(near(ratio(lock_step_lower_bound), row.lower_bound_ratio, 0.006));
    CHECK(near(ratio(exponential_busy_dies), row.exponential_ratio, 0.006));
    CHECK(ratio(exponential_busy_dies) <= row.drives);
    if (row.queue_depth <= 16) {
      CHECK(near(ratio(lock_step_busy_dies), row.lower_bound_ratio, 0.01 * row.drives));
      CHECK(ratio(lock_step_busy_dies) <= row.drives);
    }
  }
}
