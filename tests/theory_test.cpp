// Closed forms of write amplification: values of an independent evaluation in Python, each of which
// Monte Carlo confirmed, and the limits and identities that tie the formulas to each other.
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "sim/model/hot_cold.hpp"
#include "sim/model/numeric.hpp"
#include "sim/model/space.hpp"
#include "sim/model/write_amplification.hpp"
#include "tests/near.hpp"

using namespace x25sim::model;
using x25sim::test::near;

namespace {

constexpr double four_decimals = 0.6e-4;  // rounding of a printed value

constexpr Collection greedy128{VictimPolicy::greedy, 0, 128};
constexpr Collection fifo{VictimPolicy::fifo, 0, 128};

struct UniformRow {
  double spare_factor;
  double fifo;
  std::array<double, 5> greedy;  // b = 32, 64, 128, 256, 512
};

constexpr UniformRow uniform_rows[] = {
    // clang-format off
    {0.05, 10.1724, {7.8233, 8.8501, 9.4605, 9.7979, 9.9816}},
    {0.0682, 7.506, {6.1715, 6.771, 7.1083, 7.302, 7.4027}},
    {0.0687, 7.4527, {6.1398, 6.7279, 7.063, 7.2526, 7.351}},
    {0.07, 7.3177, {6.0571, 6.6155, 6.945, 7.124, 7.2195}},
    {0.0737, 6.9596, {5.8204, 6.3153, 6.6218, 6.7852, 6.8711}},
    {0.1, 5.1787, {4.5082, 4.8213, 4.9922, 5.0832, 5.1303}},
    {0.15, 3.5187, {3.2017, 3.3536, 3.4344, 3.4759, 3.4972}},
    {0.2, 2.6927, {2.5136, 2.5993, 2.6449, 2.6684, 2.6805}},
    {0.28, 1.9916, {1.8965, 1.9425, 1.9667, 1.9791, 1.9853}},
    {0.4, 1.4798, {1.4324, 1.455, 1.4674, 1.4736, 1.4767}},
    // clang-format on
};

struct ChoicesRow {
  double spare_factor;
  std::uint32_t pages_per_block;
  std::array<double, 5> expected;  // d = 2, 4, 8, 10, 20
};

constexpr ChoicesRow choices_rows[] = {
    // clang-format off
    {0.05, 32, {12.7561, 9.7326, 8.5968, 8.4128, 8.1061}},
    {0.05, 64, {13.2662, 10.4869, 9.4472, 9.2842, 9.0188}},
    {0.05, 128, {13.5874, 10.9423, 9.9649, 9.8161, 9.5828}},
    {0.05, 256, {13.7687, 11.1953, 10.2542, 10.1138, 9.8999}},
    {0.0682, 32, {9.5694, 7.4602, 6.6661, 6.539, 6.3274}},
    {0.0682, 64, {9.8777, 7.9049, 7.1701, 7.0563, 6.8738}},
    {0.0682, 128, {10.0609, 8.1624, 7.464, 7.3587, 7.1956}},
    {0.0682, 256, {10.1611, 8.3018, 7.624, 7.5234, 7.3715}},
    {0.0687, 32, {9.5046, 7.4131, 6.6256, 6.4996, 6.2897}},
    {0.0687, 64, {9.8092, 7.8522, 7.1233, 7.0104, 6.8296}},
    {0.0687, 128, {9.9899, 8.1061, 7.4132, 7.3087, 7.147}},
    {0.0687, 256, {10.0887, 8.2436, 7.571, 7.4712, 7.3205}},
    {0.07, 32, {9.3403, 7.2933, 6.5226, 6.3994, 6.1938}},
    {0.07, 64, {9.6354, 7.7182, 7.0044, 6.8939, 6.7171}},
    {0.07, 128, {9.81, 7.9635, 7.2845, 7.1821, 7.0239}},
    {0.07, 256, {9.9053, 8.096, 7.4366, 7.3389, 7.1912}},
    {0.0737, 32, {8.9029, 6.9732, 6.2468, 6.1309, 5.9369}},
    {0.0737, 64, {9.1734, 7.3615, 6.6874, 6.5833, 6.417}},
    {0.0737, 128, {9.332, 7.5842, 6.9419, 6.8452, 6.696}},
    {0.0737, 256, {9.4183, 7.7042, 7.0797, 6.9872, 6.8476}},
    {0.1, 32, {6.6931, 5.3295, 4.8173, 4.7365, 4.604}},
    {0.1, 64, {6.8516, 5.5541, 5.0736, 5.0002, 4.8845}},
    {0.1, 128, {6.9409, 5.6789, 5.2169, 5.1479, 5.0423}},
    {0.1, 256, {6.9884, 5.7449, 5.2931, 5.2264, 5.1264}},
    {0.15, 32, {4.5725, 3.7105, 3.3885, 3.3384, 3.2578}},
    {0.15, 64, {4.6475, 3.816, 3.5099, 3.4636, 3.3918}},
    {0.15, 128, {4.6881, 3.8727, 3.5755, 3.5314, 3.4647}},
    {0.15, 256, {4.7093, 3.9022, 3.6098, 3.5668, 3.5027}},
    {0.2, 32, {3.4899, 2.8692, 2.6384, 2.6028, 2.5461}},
    {0.2, 64, {3.533, 2.9298, 2.7087, 2.6754, 2.6243}},
    {0.2, 128, {3.5559, 2.9618, 2.746, 2.7141, 2.666}},
    {0.2, 256, {3.5677, 2.9783, 2.7653, 2.7341, 2.6876}},
    {0.28, 32, {2.5512, 2.1334, 1.979, 1.9554, 1.9181}},
    {0.28, 64, {2.5732, 2.1644, 2.0155, 1.9932, 1.9592}},
    {0.28, 128, {2.5847, 2.1806, 2.0346, 2.0131, 1.9808}},
    {0.28, 256, {2.5906, 2.1889, 2.0443, 2.0232, 1.9919}},
    {0.4, 32, {1.8452, 1.5798, 1.4828, 1.4681, 1.4449}},
    {0.4, 64, {1.8555, 1.5947, 1.5007, 1.4867, 1.4655}},
    {0.4, 128, {1.8609, 1.6024, 1.5099, 1.4964, 1.4761}},
    {0.4, 256, {1.8636, 1.6063, 1.5146, 1.5013, 1.4816}},
    // clang-format on
};

}  // namespace

TEST_CASE("FIFO, greedy and random victims have the write amplification of the tables") {
  for (const UniformRow& row : uniform_rows) {
    CAPTURE(row.spare_factor);
    CHECK(near(fifo_write_amplification(row.spare_factor), row.fifo, four_decimals));
    CHECK(random_write_amplification(row.spare_factor) == 1 / row.spare_factor);
    std::uint32_t pages = 32;
    for (const double expected : row.greedy) {
      CAPTURE(pages);
      CHECK(near(greedy_write_amplification(row.spare_factor, pages), expected, four_decimals));
      pages *= 2;
    }
  }
}

TEST_CASE("d-choices have the write amplification of the table") {
  for (const ChoicesRow& row : choices_rows) {
    CAPTURE(row.spare_factor);
    CAPTURE(row.pages_per_block);
    constexpr std::array<std::uint32_t, 5> choices{2, 4, 8, 10, 20};
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const double amplification =
          d_choices_write_amplification(row.spare_factor, row.pages_per_block, choices[i]);
      CHECK(near(amplification, row.expected[i], four_decimals));
    }
  }
}

TEST_CASE("FIFO write amplification solves its equation from nearly full to nearly empty") {
  for (const double spare : {1e-6, 1e-4, 0.01, 0.07, 0.5, 0.9, 0.999}) {
    CAPTURE(spare);
    const double amplification = fifo_write_amplification(spare);
    const double residual = amplification * -std::expm1(-1 / (amplification * (1 - spare))) - 1;
    CHECK(std::abs(residual) < 1e-10 / spare * 1e-4 + 1e-13);
    CHECK(amplification >= 1);
  }
  // Leading term for little spare space, and the older closed form's distance from it.
  CHECK(near(fifo_write_amplification(1e-5), 0.5e5, 1));
  CHECK(near(fifo_write_amplification(0.3 / 1.3), 2.364, 5e-4));
}

TEST_CASE("greedy collection has exact values where its victims are all alike") {
  // rho = (b - j) / (b (H_b - H_j)): every victim has j valid pages, WA = b / (b - j).
  for (const std::uint32_t b : {3U, 4U, 7U, 8U, 32U, 100U, 128U, 256U, 1000U}) {
    double harmonic = 1.0 / b;  // j = b - 1 would be a full drive
    for (std::uint32_t j = b - 2; j > 0; --j) {
      harmonic += 1.0 / (j + 1);
      const double rho = (b - j) / (b * harmonic);
      const double amplification = greedy_write_amplification(1 - rho, b);
      CHECK(near(amplification, static_cast<double>(b) / (b - j), 1e-9 * amplification));
    }
  }
  // Above that much spare space blocks are empty before they are collected.
  CHECK(greedy_write_amplification(1 - 1 / 1.5 + 1e-9, 2) == 1);
  CHECK(greedy_write_amplification(0.001, 1) == 1);
}

TEST_CASE("victims of greedy collection are between the two numbers that the mean says") {
  for (const std::uint32_t b : {32U, 128U}) {
    for (const double spare : {0.05, 0.1, 0.4, 0.7}) {
      const GreedyVictim victim = greedy_victim(spare, b);
      CHECK(victim.share_with_one_less >= 0);
      CHECK(victim.share_with_one_less < 1);
      const double mean = victim.valid_pages - victim.share_with_one_less;
      CHECK(near(mean, b - victim.host_pages_per_victim, 1e-9));
    }
  }
}

TEST_CASE("greedy is the best policy, and FIFO its limit for large blocks") {
  for (const double spare : {0.03, 0.07, 0.1, 0.2, 0.4, 0.8}) {
    CAPTURE(spare);
    const double first_in = fifo_write_amplification(spare);
    CHECK(greedy_write_amplification(spare, 64) < first_in);
    CHECK(first_in < random_write_amplification(spare));
    CHECK(near(greedy_write_amplification(spare, 65536), first_in, 2e-3 * first_in));
    double last = 1 / spare + 1e-9;
    for (const std::uint32_t choices : {1U, 2U, 3U, 5U, 10U, 100U, 10000U}) {
      const double amplification = d_choices_write_amplification(spare, 64, choices);
      CHECK(amplification < last);
      last = amplification;
    }
    CHECK(last >= greedy_write_amplification(spare, 64) - 1e-9);
  }
}

TEST_CASE("one choice is a random victim, very many are greedy") {
  for (const double spare : {0.01, 0.1, 0.5}) {
    for (const std::uint32_t b : {1U, 2U, 64U, 256U}) {
      CHECK(near(d_choices_write_amplification(spare, b, 1), 1 / spare, 1e-9 / spare));
      const double greedy = greedy_write_amplification(spare, b);
      CHECK(near(d_choices_write_amplification(spare, b, 1'000'000), greedy, 1e-5 * greedy));
    }
  }
  CHECK(near(d_choices_write_amplification(0.1, 64, 1000), 4.8215, four_decimals));
}

TEST_CASE("the levels of d-choices are a distribution with the right mean and flow") {
  const double spare = 0.1;
  const BlockLevels levels = d_choices_levels(spare, 64, 10);
  REQUIRE(levels.at_least.size() == 65);
  CHECK(levels.at_least.front() == 1);
  double sum = 0;
  double victims = 0;  // mean valid pages of a victim
  for (std::size_t i = 1; i < levels.at_least.size(); ++i) {
    CHECK(levels.at_least[i] <= levels.at_least[i - 1]);
    sum += levels.at_least[i];
    victims += std::pow(levels.at_least[i], 10);
  }
  CHECK(near(sum, 64 * (1 - spare), 1e-9));
  CHECK(near(64 - victims, levels.host_pages_per_victim, 1e-9));
}

TEST_CASE("the slope of a power is exact near and far") {
  CHECK(power_slope(0.5, 0.5, 3) == doctest::Approx(0.75).epsilon(1e-14));
  CHECK(power_slope(0.2, 0.7, 3) == doctest::Approx(0.04 + 0.14 + 0.49).epsilon(1e-14));
  CHECK(power_slope(1 - 1e-9, 1, 10) == doctest::Approx(10 - 45e-9).epsilon(1e-12));
  CHECK(power_slope(0.3, 0.9, 1) == doctest::Approx(1).epsilon(1e-14));
  CHECK(power_slope(0, 1, 5) == 1);
}

TEST_CASE("aligned requests of s pages are single pages of a block of b / s") {
  // Monte Carlo agrees with these within 0.4 %.
  const std::array<double, 8> expected{4.9922, 4.8213, 4.5082, 3.9814,
                                       3.3939, 2.6667, 1.7778, 1.0000};
  std::uint32_t pages = 1;
  for (const double value : expected) {
    CAPTURE(pages);
    const std::uint32_t block = effective_pages_per_block(128, pages);
    CHECK(near(greedy_write_amplification(0.1, block), value, four_decimals));
    pages *= 2;
  }
  CHECK(effective_pages_per_block(128, 512) == 1);
}

TEST_CASE("write_amplification asks the policy that it is told") {
  CHECK(write_amplification(greedy128, 0.1) == greedy_write_amplification(0.1, 128));
  CHECK(write_amplification(fifo, 0.1) == fifo_write_amplification(0.1));
  CHECK(write_amplification({VictimPolicy::random, 0, 1}, 0.1) == 10);
  CHECK(write_amplification({VictimPolicy::d_choices, 4, 64}, 0.1) ==
        d_choices_write_amplification(0.1, 64, 4));
}

TEST_CASE("trims leave the share of pages and the write amplification of the table") {
  struct Row {
    double spare_factor, trim_share, in_use, effective, fifo, greedy;
  };
  constexpr Row rows[] = {
      // clang-format off
    {0.0687, 0, 1.0, 0.0687, 7.4527, 7.063},
    {0.0687, 0.05, 0.94737, 0.11772, 4.4285, 4.2925},
    {0.0687, 0.1, 0.88889, 0.17218, 3.0926, 3.0282},
    {0.0687, 0.2, 0.75, 0.30153, 1.868, 1.8466},
    {0.0687, 0.3, 0.57143, 0.46783, 1.315, 1.3058},
    {0.0687, 0.4, 0.33333, 0.68957, 1.0486, 1.0439},
    {0.1, 0, 1.0, 0.1, 5.1787, 4.9922},
    {0.1, 0.05, 0.94737, 0.14737, 3.5779, 3.4906},
    {0.1, 0.1, 0.88889, 0.2, 2.6927, 2.6449},
    {0.1, 0.2, 0.75, 0.325, 1.7527, 1.7341},
    {0.1, 0.3, 0.57143, 0.48571, 1.2805, 1.2719},
    {0.1, 0.4, 0.33333, 0.7, 1.0426, 1.0381},
      // clang-format on
  };
  for (const Row& row : rows) {
    CAPTURE(row.trim_share);
    CHECK(near(trimmed_in_use_share(row.trim_share), row.in_use, 0.6e-5));
    const double spare_factor = trimmed_spare_factor(row.spare_factor, row.trim_share);
    CHECK(near(spare_factor, row.effective, 0.6e-5));
    CHECK(near(write_amplification(fifo, spare_factor), row.fifo, four_decimals));
    CHECK(near(write_amplification(greedy128, spare_factor), row.greedy, four_decimals));
  }
}

namespace {

constexpr double raw40 = 42.94967296;                 // GB: 40 GiB
constexpr double addressable40 = 78165360 * 512e-9;   // GB
constexpr double addressable80 = 156301488 * 512e-9;  // GB

}  // namespace

TEST_CASE("a drive in partial use has the write amplification of the table") {
  struct Row {
    double raw, addressable, data;
    std::array<double, 5> expected;  // FIFO, greedy 128 and 256, 10 choices 128, random
  };
  constexpr double gib34 = 36.507222016;
  constexpr Row rows[] = {
      {raw40, addressable40, addressable40, {7.5064, 7.1086, 7.3024, 7.3590, 14.6636}},
      {2 * raw40, addressable80, addressable80, {7.4878, 7.0928, 7.2852, 7.3415, 14.6262}},
      {raw40, addressable40, 34, {2.5935, 2.5493, 2.5712, 2.6153, 4.7990}},
      {raw40, addressable40, 17, {1.1160, 1.1102, 1.1131, 1.1241, 1.6551}},
      {raw40, addressable40, 34. / 3, {1.0255, 1.0213, 1.0233, 1.0284, 1.3585}},
      {raw40, addressable40, 8.5, {1.0067, 1.0031, 1.0047, 1.0072, 1.2467}},
      {raw40, addressable40, gib34, {3.5187, 3.4344, 3.4759, 3.5314, 6.6667}},
      {raw40, addressable40, gib34 / 2, {1.1477, 1.1414, 1.1446, 1.1570, 1.7391}},
      {2 * raw40, addressable80, 34, {1.1160, 1.1102, 1.1131, 1.1241, 1.6551}},
      {0.98 * raw40, addressable40, 34, {2.7927, 2.7409, 2.7665, 2.8135, 5.2024}},
      {0.98 * raw40, addressable40, 17, {1.1243, 1.1184, 1.1213, 1.1327, 1.6775}},
      {0.98 * raw40, addressable40, addressable40, {10.3391, 9.6027, 9.9536, 9.9671, 20.3335}}};
  for (const Row& row : rows) {
    CAPTURE(row.data);
    const double spare_factor = clean_spare_factor({row.raw, row.addressable, row.data});
    CHECK(near(write_amplification(fifo, spare_factor), row.expected[0], four_decimals));
    CHECK(near(greedy_write_amplification(spare_factor, 128), row.expected[1], four_decimals));
    CHECK(near(greedy_write_amplification(spare_factor, 256), row.expected[2], four_decimals));
    CHECK(
        near(d_choices_write_amplification(spare_factor, 128, 10), row.expected[3], four_decimals));
    CHECK(near(1 / spare_factor, row.expected[4], 2 * four_decimals));
  }
}

TEST_CASE("stale data are left alone by greedy and copied by FIFO collection") {
  struct Row {
    double drives, greedy, fifo_copied, trimmed;
  };
  double scaling_of_one = 0;
  std::vector<double> scaling;
  for (const Row& row : {Row{1, 6.187, 7.5365, 2.5493}, Row{2, 3.4993, 7.7304, 1.1102},
                         Row{3, 2.5828, 7.9147, 1.0213}, Row{4, 2.1233, 8.0901, 1.0031}}) {
    CAPTURE(row.drives);
    const Span span{raw40, addressable40, 34 / row.drives};
    const double stale = stale_write_amplification(greedy128, span);
    CHECK(near(stale, row.greedy, four_decimals));
    CHECK(near(stale_write_amplification(fifo, span), row.fifo_copied, four_decimals));
    CHECK(
        near(write_amplification(greedy128, clean_spare_factor(span)), row.trimmed, four_decimals));
    if (row.drives == 1) scaling_of_one = stale;
    scaling.push_back(row.drives * scaling_of_one / stale);
  }
  CHECK(near(scaling[1], 3.54, 0.006));
  CHECK(near(scaling[2], 7.19, 0.006));
  CHECK(near(scaling[3], 11.66, 0.006));
  // Nothing is stale where the data are everywhere.
  const Span full{raw40, addressable40, addressable40};
  CHECK(stale_spare_factor(full) == clean_spare_factor(full));
  CHECK(near(stale_write_amplification(fifo, full),
             fifo_write_amplification(clean_spare_factor(full)), 1e-9));
}

TEST_CASE("roots and minima are found to rounding, whatever the shape") {
  CHECK(near(find_root([](double x) { return x * x - 2; }, 0, 2), std::sqrt(2.0), 1e-15));
  CHECK(near(find_root([](double x) { return std::exp(50 * x) - 2; }, -10, 10), std::log(2.0) / 50,
             1e-15));
  CHECK(near(find_root([](double x) { return x < 0.3 ? -1.0 : 1e9; }, 0, 1), 0.3, 1e-15));
  CHECK(find_root([](double x) { return x; }, 0, 1) == 0);
  CHECK(find_root([](double x) { return 1 - x; }, 0, 1) == 1);
  CHECK(near(find_minimum([](double x) { return (x - 0.3) * (x - 0.3); }, -1, 5), 0.3, 1e-7));
}
