// Which blocks random requests prefer: frequencies against the exact probabilities. The seeds are
// fixed; a correct sampler exceeds the bound of four standard deviations of chi-square with other
// seeds about once in ten thousand.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "sim/workload/zipf.hpp"
#include "tests/workload_fixture.hpp"

using namespace x25sim;
using namespace x25sim::workload;
using namespace x25sim::test;

namespace {

constexpr std::uint64_t block = 4096;

// How often each block of a region of `blocks` is hit by `requests` random reads.
std::vector<std::uint64_t> hits(const std::string& distribution, std::uint64_t blocks,
                                std::uint64_t requests, const std::string& more = "") {
  const auto all = requests_of(
      "rw=randread\nbs=4k\noffset=1m\nsize=" + std::to_string(blocks * block) +
          "\nrandom_distribution=" + distribution + "\n" + more + "\ntime_based\nruntime=1\n",
      7, requests);
  std::vector<std::uint64_t> counts(blocks);
  for (const Request& request : all) {
    REQUIRE(request.offset.count % block == 0);
    ++counts.at(request.offset.count / block - 256);
  }
  return counts;
}

std::vector<std::uint64_t> most_first(std::vector<std::uint64_t> counts) {
  std::ranges::sort(counts, std::ranges::greater{});
  return counts;
}

std::vector<double> zipf_weights(double theta, std::uint64_t ranks) {
  std::vector<double> weights;
  for (std::uint64_t k = 1; k <= ranks; ++k) {
    weights.push_back(std::pow(static_cast<double>(k), -theta));
  }
  return weights;
}

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

}  // namespace

TEST_CASE("ranks of Zipf's law have its exact probabilities") {
  for (const double theta : {0.0, 0.5, 0.99, 1.01, 1.2, 2.5}) {
    for (const std::uint64_t ranks : {1, 2, 3, 50}) {
      CAPTURE(theta);
      CAPTURE(ranks);
      Random random(11);
      const Zipf zipf(theta, ranks);
      std::vector<std::uint64_t> counts(ranks);
      for (int i = 0; i < 300'000; ++i) ++counts.at(zipf.next(random) - 1);
      if (ranks > 1) CHECK(std::abs(chi_square_excess(counts, zipf_weights(theta, ranks))) < 4);
    }
  }
}

TEST_CASE("of 2^40 ranks the first ones have the share that Zipf's law gives them") {
  Random random(12);
  const Zipf zipf(1.2, std::uint64_t{1} << 40);
  // zeta(1.2) less the tail from 2^40 on, by Euler and Maclaurin.
  const double sum = 5.591582441177751 - std::pow(0x1p40, -0.2) / 0.2;
  std::vector<std::uint64_t> counts(6);
  constexpr int draws = 200'000;
  for (int i = 0; i < draws; ++i) ++counts[std::min<std::uint64_t>(zipf.next(random) - 1, 5)];
  std::vector<double> weights = zipf_weights(1.2, 5);
  double rest = sum;
  for (const double weight : weights) rest -= weight;
  weights.push_back(rest);
  CHECK(std::abs(chi_square_excess(counts, weights)) < 4);
}

TEST_CASE("A51: zipf hits as many blocks as its law says, each as often, and none shares a place") {
  // Frequencies in their order are those of the ranks, where ranks lie far enough apart.
  const auto counts = most_first(hits("zipf:1.2", 1000, 400'000));
  std::vector<double> weights = zipf_weights(1.2, 1000);
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (std::size_t i = 0; i < 10; ++i) {
    const double expected = 400'000 * weights[i] / sum;
    CHECK(std::abs(static_cast<double>(counts[i]) - expected) < 4 * std::sqrt(expected));
  }
  CHECK(counts.back() > 0);
  // The expected number of blocks that are hit at all, and its variance at most that of
  // independent ones.
  const auto few = hits("zipf:1.2", 100'000, 50'000);
  weights = zipf_weights(1.2, 100'000);
  sum = 0;
  for (const double weight : weights) sum += weight;
  double distinct = 0;
  double variance = 0;
  for (const double weight : weights) {
    const double missed = std::pow(1 - weight / sum, 50'000);
    distinct += 1 - missed;
    variance += missed * (1 - missed);
  }
  const auto hit = static_cast<double>(few.size()) -
                   static_cast<double>(std::ranges::count(few, std::uint64_t{0}));
  CHECK(std::abs(hit - distinct) < 4 * std::sqrt(variance));
}

TEST_CASE("the hottest block lies at the center that is given, the others are scattered") {
  for (const std::string name : {"zipf:1.5", "pareto:0.1"}) {
    for (const double center : {0.0, 0.25, 0.5, 0.999, 1.0}) {
      CAPTURE(name);
      CAPTURE(center);
      const auto counts = hits(name + ":" + std::to_string(center), 1000, 20'000);
      const auto hottest = std::ranges::max_element(counts) - counts.begin();
      CHECK(hottest == static_cast<std::ptrdiff_t>(1000 * center) % 1000);
      const auto second = *std::ranges::max_element(counts, {}, [&](const std::uint64_t& count) {
        return &count == &counts[static_cast<std::size_t>(hottest)] ? 0 : count;
      });
      CHECK(second < counts[static_cast<std::size_t>(hottest)]);
    }
  }
  // Without one it is anywhere, and differs between jobs.
  std::set<std::ptrdiff_t> places;
  for (int seed = 1; seed <= 10; ++seed) {
    const auto counts = hits("zipf:2", 1000, 1000, "randseed=" + std::to_string(seed));
    places.insert(std::ranges::max_element(counts) - counts.begin());
  }
  CHECK(places.size() >= 8);
}

TEST_CASE("pareto has fio's probabilities") {
  constexpr std::uint64_t blocks = 40;
  for (const double h : {0.1, 0.2, 0.5}) {
    CAPTURE(h);
    auto counts = most_first(hits("pareto:" + std::to_string(h), blocks, 400'000));
    // Rank k is floor((N - 1) u^p); the last one would need u = 1.
    CHECK(counts.back() == 0);
    counts.pop_back();
    const double p = std::log(h) / std::log(1 - h);
    std::vector<double> weights;
    for (std::uint64_t k = 0; k + 1 < blocks; ++k) {
      const auto below = [&](std::uint64_t rank) {
        return std::pow(static_cast<double>(rank) / (blocks - 1), 1 / p);
      };
      weights.push_back(below(k + 1) - below(k));
    }
    // Sorting by frequency makes neighbours swap where they are nearly alike, which lowers
    // chi-square: only too large a value tells.
    std::ranges::sort(weights, std::ranges::greater{});
    CHECK(chi_square_excess(counts, weights) < 4);
  }
}

TEST_CASE("normal has its deviation in percent of the region around its center") {
  constexpr std::uint64_t blocks = 200;
  struct Case {
    std::string text;
    double deviation;  // in blocks
    double center;
  };
  for (const Case& c :
       {Case{"normal:10", 20, 100}, Case{"normal:50", 100, 100}, Case{"normal:20:0.25", 40, 50},
        Case{"normal:20:1", 40, 200}, Case{"normal", 200.0 / 12, 100}}) {
    CAPTURE(c.text);
    const auto counts = hits(c.text, blocks, 200'000);
    // Blocks that are hardly ever hit count together.
    std::vector<std::uint64_t> grouped{0};
    std::vector<double> weights{0};
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const auto place = static_cast<double>(i);
      grouped.back() += counts[i];
      weights.back() += normal_cdf((place + 1 - c.center) / c.deviation) -
                        normal_cdf((place - c.center) / c.deviation);
      if (weights.back() > 1e-3 && i + 10 < blocks) {
        grouped.push_back(0);
        weights.push_back(0);
      }
    }
    if (weights.back() < 1e-3) {
      grouped[grouped.size() - 2] += grouped.back();
      weights[weights.size() - 2] += weights.back();
      grouped.pop_back();
      weights.pop_back();
    }
    CHECK(std::abs(chi_square_excess(grouped, weights)) < 4);
  }
}

TEST_CASE("zones get their shares, and are uniform inside") {
  const auto check = [](const std::string& text) {
    CAPTURE(text);
    const auto counts = hits(text, 100, 200'000);
    std::vector<double> weights;
    for (int i = 0; i < 100; ++i) {
      weights.push_back(i < 10 ? 60 / 10.0 : i < 30 ? 30 / 20.0 : i < 60 ? 8 / 30.0 : 2 / 40.0);
    }
    CHECK(std::abs(chi_square_excess(counts, weights)) < 4);
  };
  check("zoned:60/10:30/20:8/30:2/40");
  check("zoned:60/10:30/20:8/30:2");
  check("zoned_abs:60/40k:30/80k:8/120k:2/160k");
  // Nothing beyond the zones, and nothing in one without requests.
  const auto counts = hits("zoned:50/10:0/30:50/20", 100, 10'000);
  for (std::size_t i = 0; i < 100; ++i) CHECK((counts[i] > 0) == (i < 10 || (i >= 40 && i < 60)));
}

TEST_CASE("reads and writes may have zones of their own") {
  const auto requests = requests_of(
      "rw=randrw\nbs=4k\nsize=400k\nio_size=40m\nrandom_distribution=zoned:100/10:0/90,0/50:100/"
      "50");
  for (const Request& request : requests) {
    if (request.operation == Operation::read) CHECK(request.offset < Bytes{40 << 10});
    if (request.operation == Operation::write) CHECK(request.offset >= Bytes{200 << 10});
  }
}

TEST_CASE("a distribution other than uniform visits blocks again, whatever the map") {
  const auto offsets =
      offsets_of(requests_of("rw=randread\nbs=4k\nsize=400k\nrandom_distribution=zipf:0.5"));
  REQUIRE(offsets.size() == 100);
  CHECK(std::set<std::uint64_t>(offsets.begin(), offsets.end()).size() < 100);
}
