// Write amplification of hot and cold data: FIFO with any mix, separate pools, and the mean field
// of mixed blocks.
#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "sim/model/hot_cold.hpp"
#include "tests/near.hpp"

using namespace x25sim::model;
using x25sim::test::near;

namespace {

struct HotColdRow {
  double spare_factor, writes, space;
  double fifo_mixed, best_fifo, hot_space_fifo, best_greedy, hot_space_greedy;
};

constexpr HotColdRow hot_cold_rows[] = {
    // clang-format off
    {0.0687, 0.5, 0.5, 7.4527, 7.4527, 0.5000, 7.0630, 0.5002},
    {0.0687, 0.6, 0.4, 7.4810, 7.1823, 0.4069, 6.8095, 0.4070},
    {0.0687, 0.7, 0.3, 7.5803, 6.3712, 0.3137, 6.0452, 0.3154},
    {0.0687, 0.8, 0.2, 7.8169, 5.0212, 0.2206, 4.7717, 0.2211},
    {0.0687, 0.9, 0.1, 8.4956, 3.1407, 0.1273, 3.0020, 0.1284},
    {0.0687, 0.95, 0.05, 9.5675, 2.0195, 0.0802, 1.9462, 0.0824},
    {0.0687, 0.99, 0.01, 12.7573, 1.1296, 0.0363, 1.1156, 0.0372},
    {0.0687, 0.9, 0.5, 7.5603, 6.1002, 0.5172, 5.7902, 0.5182},
    {0.0687, 0.8, 0.4, 7.5646, 6.3163, 0.4151, 5.9916, 0.4157},
    {0.1, 0.5, 0.5, 5.1787, 5.1787, 0.5000, 4.9922, 0.4997},
    {0.1, 0.6, 0.4, 5.2072, 4.9996, 0.4100, 4.8192, 0.4100},
    {0.1, 0.7, 0.3, 5.3063, 4.4630, 0.3199, 4.3049, 0.3209},
    {0.1, 0.8, 0.2, 5.5378, 3.5712, 0.2298, 3.4504, 0.2307},
    {0.1, 0.9, 0.1, 6.1676, 2.3356, 0.1394, 2.2683, 0.1415},
    {0.1, 0.95, 0.05, 7.0733, 1.6117, 0.0929, 1.5760, 0.0944},
    {0.1, 0.99, 0.01, 9.1285, 1.0730, 0.0430, 1.0657, 0.0438},
    {0.1, 0.9, 0.5, 5.2866, 4.2832, 0.5250, 4.1330, 0.5254},
    {0.1, 0.8, 0.4, 5.2909, 4.4265, 0.4220, 4.2697, 0.4230},
    {0.2, 0.5, 0.5, 2.6927, 2.6927, 0.5000, 2.6449, 0.4995},
    {0.2, 0.6, 0.4, 2.7218, 2.6147, 0.4198, 2.5685, 0.4210},
    {0.2, 0.7, 0.3, 2.8201, 2.3815, 0.3394, 2.3410, 0.3403},
    {0.2, 0.8, 0.2, 3.0345, 1.9975, 0.2585, 1.9662, 0.2595},
    {0.2, 0.9, 0.1, 3.5329, 1.4810, 0.1750, 1.4629, 0.1752},
    {0.2, 0.95, 0.05, 4.0745, 1.2010, 0.1265, 1.1908, 0.1252},
    {0.2, 0.99, 0.01, 4.7837, 1.0237, 0.0532, 1.0203, 0.0435},
    {0.2, 0.9, 0.5, 2.8017, 2.3021, 0.5496, 2.2633, 0.5506},
    {0.2, 0.8, 0.4, 2.8055, 2.3651, 0.4435, 2.3248, 0.4442},
    {0.28, 0.5, 0.5, 1.9916, 1.9916, 0.5000, 1.9667, 0.4999},
    {0.28, 0.6, 0.4, 2.0210, 1.9430, 0.4272, 1.9190, 0.4277},
    {0.28, 0.7, 0.3, 2.1178, 1.7983, 0.3541, 1.7772, 0.3557},
    {0.28, 0.8, 0.2, 2.3173, 1.5629, 0.2796, 1.5464, 0.2814},
    {0.28, 0.9, 0.1, 2.7266, 1.2573, 0.1987, 1.2473, 0.2010},
    {0.28, 0.95, 0.05, 3.0863, 1.1033, 0.1444, 1.0967, 0.1438},
    {0.28, 0.99, 0.01, 3.4645, 1.0128, 0.0552, 1.0111, 0.0391},
    {0.28, 0.9, 0.5, 2.1011, 1.7478, 0.5687, 1.7277, 0.5704},
    {0.28, 0.8, 0.4, 2.1043, 1.7876, 0.4600, 1.7666, 0.4611},
    // clang-format on
};

double fifo_mixed(double spare_factor, const HotCold& mix) {
  const std::array<TrafficClass, 2> classes{
      {{mix.writes, mix.space}, {1 - mix.writes, 1 - mix.space}}};
  return fifo_mixed_write_amplification(spare_factor, classes);
}

double greedy128(double spare_factor) { return greedy_write_amplification(spare_factor, 128); }

// Every page a class of its own, the k-th written in proportion to k^-exponent.
double fifo_zipf(double exponent, std::size_t pages) {
  std::vector<TrafficClass> classes(pages);
  double sum = 0;
  for (std::size_t k = 0; k < pages; ++k) {
    classes[k] = {std::pow(static_cast<double>(k + 1), -exponent), 1 / static_cast<double>(pages)};
    sum += classes[k].write_share;
  }
  for (TrafficClass& page : classes) page.write_share /= sum;
  return fifo_mixed_write_amplification(0.1, classes);
}

}  // namespace

TEST_CASE("FIFO with hot and cold pages has the write amplification of the table") {
  for (const HotColdRow& row : hot_cold_rows) {
    CAPTURE(row.spare_factor);
    CAPTURE(row.writes);
    CHECK(near(fifo_mixed(row.spare_factor, {row.writes, row.space}), row.fifo_mixed, 0.6e-4));
  }
  // Monte Carlo of 117,965 pages: 6.4167, 7.6088 and 8.8243.
  CHECK(near(fifo_zipf(0.8, 117965), 6.4144, 0.6e-4));
  CHECK(near(fifo_zipf(0.99, 117965), 7.6079, 0.6e-4));
  CHECK(near(fifo_zipf(1.2, 117965), 8.8235, 0.6e-4));
}

TEST_CASE("pages that are all written alike are uniform, however they are named") {
  for (const double spare : {0.01, 0.07, 0.3, 0.9}) {
    const double uniform = fifo_write_amplification(spare);
    CHECK(near(fifo_mixed(spare, {0.3, 0.3}), uniform, 1e-9 * uniform));
    const TrafficClass all{1, 1};
    CHECK(near(fifo_mixed_write_amplification(spare, {&all, 1}), uniform, 1e-9 * uniform));
    // Half of the pages without writes: they are copied in every cycle.
    const std::array<TrafficClass, 2> half{{{1, 0.5}, {0, 0.5}}};
    const double amplification = fifo_mixed_write_amplification(spare, half);
    const double live = 0.5 * (1 - spare);
    CHECK(near(1 / -std::expm1(-1 / (amplification * live)) + live * amplification, amplification,
               1e-9 * amplification));
  }
}

TEST_CASE("separate pools with the best split have the write amplification of the table") {
  for (const HotColdRow& row : hot_cold_rows) {
    CAPTURE(row.spare_factor);
    CAPTURE(row.writes);
    CAPTURE(row.space);
    const HotCold mix{row.writes, row.space};
    const SeparatePools first_in =
        best_separate_pools(row.spare_factor, mix, fifo_write_amplification);
    CHECK(near(first_in.write_amplification, row.best_fifo, 0.6e-4));
    CHECK(near(first_in.hot_space, row.hot_space_fifo, 0.6e-4));
    const SeparatePools greedy = best_separate_pools(row.spare_factor, mix, greedy128);
    CHECK(near(greedy.write_amplification, row.best_greedy, 0.6e-4));
    // The minimum is flat, and greedy's curve has a corner for each number of valid pages.
    CHECK(near(greedy.hot_space, row.hot_space_greedy, 0.002));
    const double rho = 1 - row.spare_factor;
    CHECK(near((1 - greedy.spare_factor_hot) * greedy.hot_space, mix.space * rho, 1e-12));
    CHECK(near((1 - greedy.spare_factor_cold) * (1 - greedy.hot_space), (1 - mix.space) * rho,
               1e-12));
  }
}

TEST_CASE("pools of equal spare factor lose nothing and gain nothing") {
  for (const double writes : {0.5, 0.8, 0.99}) {
    const SeparatePools pools = separate_pools(0.1, {writes, 0.2}, fifo_write_amplification, 0.2);
    CHECK(near(pools.spare_factor_hot, 0.1, 1e-12));
    CHECK(near(pools.spare_factor_cold, 0.1, 1e-12));
    CHECK(near(pools.write_amplification, fifo_write_amplification(0.1), 1e-9));
  }
}

TEST_CASE("blocks of hot and cold pages: the mean field agrees with Monte Carlo") {
  struct Row {
    double spare_factor;
    std::uint32_t pages_per_block, choices;
    HotCold mix;
    double expected, tolerance;
  };
  for (const Row& row : {
           Row{0.1, 32, 10, {0.8, 0.2}, 5.0714, 0.6e-4},  // another evaluation of the model
           Row{0.1, 32, 10, {0.8, 0.2}, 5.0712, 0.0033},  // Monte Carlo from here on
           Row{0.1, 64, 10, {0.8, 0.2}, 5.3441, 0.01},    // of few blocks, by which it is higher
           Row{0.1, 64, 10, {0.9, 0.1}, 5.9592, 0.01},
           Row{0.1, 64, 10, {0.95, 0.05}, 6.7974, 0.01},
           Row{0.2, 64, 10, {0.8, 0.2}, 3.0042, 0.005},
           Row{0.2, 64, 10, {0.9, 0.1}, 3.4781, 0.005},
           Row{0.2, 64, 10, {0.95, 0.05}, 3.9376, 0.005},
           Row{0.1, 64, 0, {0.8, 0.2}, 5.1980, 0.03 * 5.2},  // ties to the youngest block
           Row{0.1, 64, 0, {0.95, 0.05}, 6.9467, 0.03 * 6.9},
       }) {
    CAPTURE(row.spare_factor);
    CAPTURE(row.choices);
    CAPTURE(row.mix.writes);
    const auto amplification =
        mixed_write_amplification(row.spare_factor, row.pages_per_block, row.choices, row.mix);
    REQUIRE(amplification.has_value());
    CHECK(near(*amplification, row.expected, row.tolerance));
  }
}

TEST_CASE("the mean field of mixed blocks has the limits of the uniform models") {
  const auto value = [](double spare, std::uint32_t b, std::uint32_t choices, const HotCold& mix) {
    return mixed_write_amplification(spare, b, choices, mix).value_or(0);
  };
  // Equal pages.
  CHECK(near(value(0.1, 64, 0, {0.3, 0.3}), greedy_write_amplification(0.1, 64), 1e-7));
  CHECK(near(value(0.2, 32, 4, {0.5, 0.5}), d_choices_write_amplification(0.2, 32, 4), 1e-7));
  CHECK(near(value(0.9, 32, 0, {0.5, 0.5}), 1, 1e-9));
  // A random victim has the drive's share of valid pages, whatever the mix.
  CHECK(near(value(0.1, 32, 1, {0.9, 0.1}), 10, 1e-6));
  // Very many choices are greedy; hot and cold change places.
  const double greedy = value(0.1, 32, 0, {0.8, 0.2});
  CHECK(near(value(0.1, 32, 10'000, {0.8, 0.2}), greedy, 1e-4));
  CHECK(near(value(0.1, 32, 0, {0.2, 0.8}), greedy, 1e-7));
  // Larger blocks approach FIFO.
  CHECK(near(value(0.2, 256, 0, {0.8, 0.2}), fifo_mixed(0.2, {0.8, 0.2}), 0.03));
}
