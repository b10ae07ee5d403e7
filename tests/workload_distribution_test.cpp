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

// The probabilities of the ranks of the paper's generator (see Zipf), from its distribution
// function: rank k is returned for the u with (eta u - eta + 1)^(1 / (1 - theta)) n below k.
std::vector<double> gray_weights(double theta, std::uint64_t ranks) {
  const std::vector<double> exact = zipf_weights(theta, ranks);
  double sum = 0;
  for (const double weight : exact) sum += weight;
  const double two = (exact[0] + exact[1]) / sum;
  const auto n = static_cast<double>(ranks);
  const double eta = (1 - std::pow(2 / n, 1 - theta)) / (1 - two);
  std::vector<double> weights{exact[0] / sum, exact[1] / sum};
  double below = two;
  for (std::uint64_t k = 3; k <= ranks; ++k) {
    const double upto = (std::pow(static_cast<double>(k) / n, 1 - theta) - 1 + eta) / eta;
    weights.push_back(std::max(upto - below, 0.0));
    below = std::max(upto, below);
  }
  return weights;
}

}  // namespace

TEST_CASE("ranks of Zipf's law have the probabilities of the generator that fio uses") {
  for (const double theta : {0.0, 0.5, 0.99, 1.01, 1.2, 2.5}) {
    for (const std::uint64_t ranks : {2, 3, 50, 5000}) {
      CAPTURE(theta);
      CAPTURE(ranks);
      Random random(11);
      const Zipf zipf(theta, ranks);
      std::vector<std::uint64_t> counts(ranks);
      for (int i = 0; i < 300'000; ++i) ++counts.at(zipf.next(random) - 1);
      std::vector<double> weights = gray_weights(theta, ranks);
      // Ranks that are hardly ever drawn count together.
      const auto rare = std::ranges::find_if(weights, [](double weight) { return weight < 1e-4; });
      const auto kept = static_cast<std::size_t>(rare - weights.begin());
      for (std::size_t i = kept + 1; i < weights.size(); ++i) {
        weights[kept] += weights[i];
        counts[kept] += counts[i];
      }
      weights.resize(std::min(kept + 1, weights.size()));
      counts.resize(weights.size());
      CHECK(std::abs(chi_square_excess(counts, weights)) < 4);
    }
  }
  Random random(11);
  CHECK(Zipf(1.2, 1).next(random) == 1);
}

TEST_CASE("ranks of Zipf's law have its own probabilities within what the generator is known for") {
  for (const double theta : {0.5, 0.9, 1.1, 1.2}) {
    CAPTURE(theta);
    const std::vector<double> exact = zipf_weights(theta, 10'000);
    const std::vector<double> used = gray_weights(theta, 10'000);
    double sum = 0;
    for (const double weight : exact) sum += weight;
    for (std::size_t i = 0; i < 100; ++i) {
      const double error = std::abs(used[i] * sum / exact[i] - 1);
      CHECK(error < (i < 2 ? 1e-12 : i == 2 ? 0.22 : i == 3 ? 0.14 : i < 6 ? 0.1 : 0.06));
    }
  }
}

TEST_CASE("of 2^40 ranks the first two have the share that Zipf's law gives them") {
  Random random(12);
  const Zipf zipf(1.2, std::uint64_t{1} << 40);
  // zeta(1.2) less the tail from 2^40 on.
  const double sum = 5.591582441177751 - std::pow(0x1p40, -0.2) / 0.2;
  std::vector<std::uint64_t> counts(3);
  constexpr int draws = 200'000;
  for (int i = 0; i < draws; ++i) ++counts[std::min<std::uint64_t>(zipf.next(random) - 1, 2)];
  std::vector<double> weights = zipf_weights(1.2, 2);
  weights.push_back(sum - weights[0] - weights[1]);
  CHECK(std::abs(chi_square_excess(counts, weights)) < 4);
}

TEST_CASE("A51: zipf hits as many blocks as its law says, each as often, and none shares a place") {
  // Frequencies in their order are those of the ranks, where ranks lie far enough apart.
  const auto counts = most_first(hits("zipf:0.9", 10'000, 1'000'000));
  std::vector<double> weights = gray_weights(0.9, 10'000);
  for (std::size_t i = 0; i < 10; ++i) {
    const double expected = 1'000'000 * weights[i];
    CHECK(std::abs(static_cast<double>(counts[i]) - expected) < 4 * std::sqrt(expected));
  }
  CHECK(counts.back() > 0);
  // The expected number of blocks that are hit at all, and its variance at most that of
  // independent ones.
  const auto few = hits("zipf:1.2", 100'000, 50'000);
  weights = gray_weights(1.2, 100'000);
  double distinct = 0;
  double variance = 0;
  for (const double weight : weights) {
    const double missed = std::pow(1 - weight, 50'000);
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

TEST_CASE("normal has fio's probabilities: a mean of twelve numbers, and a uniform shift") {
  constexpr std::size_t blocks = 60;
  for (const double deviation : {0.0, 10.0, 90.0}) {
    CAPTURE(deviation);
    // The sum of twelve uniform numbers from 0 to `blocks`, by convolution.
    std::vector<double> sums{1};
    for (int term = 0; term < 12; ++term) {
      std::vector<double> next(sums.size() + blocks);
      for (std::size_t sum = 0; sum < sums.size(); ++sum) {
        for (std::size_t i = 0; i <= blocks; ++i) next[sum + i] += sums[sum] / (blocks + 1);
      }
      sums = next;
    }
    const int width =
        deviation == 0 ? 1
                       : std::min<int>(static_cast<int>(std::ceil(blocks * deviation / 100)), 30);
    std::vector<double> weights(blocks);
    for (std::size_t sum = 0; sum < sums.size(); ++sum) {
      const int mean = static_cast<int>((sum + 11) / 12);
      for (int i = 0; i < width; ++i) {
        int shift = i - width / 2;
        while (shift != 0 && (mean + shift < 0 || mean + shift >= static_cast<int>(blocks))) {
          shift /= 2;
        }
        const int rank = std::min(mean + shift, static_cast<int>(blocks) - 1);
        weights[static_cast<std::size_t>(rank)] += sums[sum] / width;
      }
    }
    std::ranges::sort(weights, std::ranges::greater{});
    auto counts = most_first(hits("normal:" + std::to_string(deviation), blocks, 200'000));
    while (weights.back() < 1e-4) {
      weights[weights.size() - 2] += weights.back();
      counts[counts.size() - 2] += counts.back();
      weights.pop_back();
      counts.pop_back();
    }
    // Neighbours in the order of frequency swap where they are alike: only too large a value tells.
    CHECK(chi_square_excess(counts, weights) < 4);
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
