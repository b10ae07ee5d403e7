// Closed forms of wear and of the way to the steady state.
#include <array>
#include <cmath>
#include <doctest/doctest.h>

#include "sim/model/transient.hpp"
#include "sim/model/wear.hpp"
#include "tests/near.hpp"

using namespace x25sim::model;
using x25sim::test::near;

namespace {

struct DispersionRow {
  double spare_factor;
  std::uint32_t pages_per_block;
  std::array<double, 5> expected;  // greedy, d = 2, 4, 10, 20
};

constexpr DispersionRow dispersion_rows[] = {
    // clang-format off
    {0.0687, 64, {0.10211, 0.44232, 0.20829, 0.11703, 0.10343}},
    {0.0687, 128, {0.0549, 0.41513, 0.17181, 0.07436, 0.05813}},
    {0.0687, 256, {0.02819, 0.40092, 0.15234, 0.0513, 0.03351}},
    {0.1, 64, {0.07423, 0.42499, 0.18572, 0.09128, 0.07636}},
    {0.1, 128, {0.03872, 0.40605, 0.15968, 0.06031, 0.04325}},
    {0.1, 256, {0.01982, 0.39628, 0.14605, 0.04394, 0.02569}},
    {0.2, 64, {0.04077, 0.40538, 0.15972, 0.06135, 0.04477}},
    {0.2, 128, {0.02088, 0.39595, 0.14608, 0.04448, 0.02647}},
    {0.2, 256, {0.01061, 0.39115, 0.13908, 0.0358, 0.01704}},
    {0.28, 64, {0.03157, 0.39973, 0.15218, 0.0527, 0.03568}},
    {0.28, 128, {0.01598, 0.39308, 0.1422, 0.04, 0.02175}},
    {0.28, 256, {0.00802, 0.3897, 0.13712, 0.03352, 0.01464}},
    // clang-format on
};

double d_choices_dispersion(double spare, std::uint32_t b, std::uint32_t choices) {
  return erase_dispersion({VictimPolicy::d_choices, choices, b}, spare);
}

}  // namespace

TEST_CASE("erase counts spread as the table says") {
  for (const DispersionRow& row : dispersion_rows) {
    CAPTURE(row.spare_factor);
    CAPTURE(row.pages_per_block);
    CHECK(near(erase_dispersion({VictimPolicy::greedy, 0, row.pages_per_block}, row.spare_factor),
               row.expected[0], 0.6e-5));
    constexpr std::array<std::uint32_t, 4> choices{2, 4, 10, 20};
    for (std::size_t i = 0; i < choices.size(); ++i) {
      CHECK(near(d_choices_dispersion(row.spare_factor, row.pages_per_block, choices[i]),
                 row.expected[i + 1], 0.6e-5));
    }
  }
}

TEST_CASE("erase counts of FIFO do not spread, of random victims they are Poisson") {
  CHECK(erase_dispersion({VictimPolicy::fifo, 0, 64}, 0.1) == 0);
  CHECK(erase_dispersion({VictimPolicy::random, 0, 64}, 0.1) == 1);
  for (const double spare : {0.02, 0.1, 0.6}) {
    CAPTURE(spare);
    CHECK(near(d_choices_dispersion(spare, 64, 1), 1, 1e-6));
    const double greedy = erase_dispersion({VictimPolicy::greedy, 0, 64}, spare);
    CHECK(near(d_choices_dispersion(spare, 64, 1'000'000), greedy, 0.01 * greedy));
  }
}

TEST_CASE("the most worn block, static levelling and the lifetime follow their formulas") {
  CHECK(expected_max_erases(5000, 0, 8192) == 5000);
  CHECK(expected_max_erases(300, 1, 1) == 300);
  CHECK(near(expected_max_erases(5000, 0.09, 8192), 5000 + std::sqrt(450 * 2 * std::log(8192)),
             1e-9));
  CHECK(near(static_levelling_factor(0.5, 20), 1.025, 1e-12));
  CHECK(static_levelling_factor(0, 20) == 1);
  // 40 GiB of 5,000 cycles, in TB.
  const auto terabytes = [](double amplification) {
    return lifetime_bytes(42.94967296e9, 5000, amplification, 1) * 1e-12;
  };
  CHECK(near(terabytes(1), 214.7, 0.06));
  CHECK(near(terabytes(1.21), 177.5, 0.06));
  CHECK(near(terabytes(7.1086), 30.2, 0.06));
  CHECK(near(terabytes(7.5064), 28.6, 0.06));
  CHECK(near(terabytes(2.5493), 84.2, 0.06));
  CHECK(near(terabytes(1.1102), 193.4, 0.06));
  // Intel's arithmetic: 20 GB a day for 5 years on 80 GB at WA 1.1 and wear factor 1.1.
  const double cycles = 20 * 365.25 * 5 * 1.1 * 1.1 / 80;
  CHECK(near(cycles, 552, 0.5));
  CHECK(near(lifetime_bytes(80e9, cycles, 1.1, 1.1), 20e9 * 365.25 * 5, 1));
}

TEST_CASE("collection of a filled drive starts when its spare pages are used up") {
  CHECK(near(filled_collection_start(0.1), 1.0 / 9, 1e-12));
  CHECK(near(filled_onset_write_amplification(0.1), 9.51, 0.006));
  // Above the steady value of FIFO, by up to twice.
  for (const double spare : {0.01, 0.07, 0.2, 0.4}) {
    const double ratio = filled_onset_write_amplification(spare) / fifo_write_amplification(spare);
    CHECK(ratio > 1);
    CHECK(ratio < 2);
  }
}

TEST_CASE("an empty drive comes to its steady state as fast as Monte Carlo says") {
  constexpr Collection fifo{VictimPolicy::fifo, 0, 128};
  constexpr Collection greedy{VictimPolicy::greedy, 0, 128};
  CHECK(near(empty_collection_start(0.1), 1 / 0.9, 1e-12));
  CHECK(empty_write_amplification(fifo, 0.1, 0) == 1);
  CHECK(empty_write_amplification(fifo, 0.1, 1.11) == 1);
  CHECK(near(empty_write_amplification(fifo, 0.1, 3), 3.64, 0.006));
  CHECK(near(empty_write_amplification(fifo, 0.1, 5),
             fifo_write_amplification(1 - 0.9 * (1 - std::exp(-5.0))), 1e-9));
  CHECK(near(empty_write_amplification(fifo, 0.1, 100), fifo_write_amplification(0.1), 1e-9));
  struct Row {
    Collection collection;
    double spare, at_3, at_5, within_5, within_2;
  };
  // At a resolution of 0.1 drive writes; noise of 0.5 % moves the times by some tenths.
  for (const Row& row :
       {Row{fifo, 0.0687, 4.352, 6.805, 5.6, 6.5}, Row{fifo, 0.1, 3.537, 4.883, 5.3, 6.2},
        Row{fifo, 0.2, 2.229, 2.631, 4.4, 5.5}, Row{greedy, 0.0687, 4.241, 6.522, 5.5, 6.6},
        Row{greedy, 0.1, 3.461, 4.671, 5.1, 6.1}, Row{greedy, 0.2, 2.186, 2.581, 4.3, 5.1}}) {
    CAPTURE(row.spare);
    const auto at = [&row](double drive_writes) {
      return empty_write_amplification(row.collection, row.spare, drive_writes);
    };
    CHECK(near(at(3), row.at_3, 0.05 * row.at_3));
    CHECK(near(at(5), row.at_5, 0.02 * row.at_5));
    const auto within = [&row](double tolerance) {
      return empty_settling_time(row.collection, row.spare, tolerance).value_or(0);
    };
    CHECK(near(within(0.05), row.within_5, 0.4));
    CHECK(near(within(0.02), row.within_2, 0.6));
    CHECK(near(at(within(0.05)), 0.95 * write_amplification(row.collection, row.spare), 1e-9));
  }
  // With so much spare space there is hardly any amplification to come to.
  CHECK_FALSE(empty_settling_time(greedy, 0.9, 0.05).has_value());
}
