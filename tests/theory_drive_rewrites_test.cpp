// The identity of FIFO collection, which holds for any load: a page that is still valid is copied
// once in every cycle of the drive, so with L host writes from a page's write to its next overwrite
// or trim, and tau = T / A host writes in a cycle, A = E[1 + floor(L / tau)]. A suffix like (T8) in
// a test's name is the number of the check in the theory's notes.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "tests/fifo_identity.hpp"
#include "tests/near.hpp"
#include "tests/one_pool.hpp"

using namespace x25sim;
using ftl::GcPolicy;
using test::FifoIdentity;
using test::OnePool;
using test::Sides;
using test::within;

namespace {

constexpr std::uint32_t blocks = 2048;
constexpr std::uint32_t pages_per_block = 64;
constexpr std::uint64_t pages = 117'964;  // spare factor 0.1

// Under these loads the two sides of the identity differ by a tenth of what the write amplification
// is wrong by, as both are about 1 / (2 x 0.1): so the theory's 0.5 % would let 5 % pass. They
// agree to order 1 / N, which is 0.05 %.
constexpr double tolerance = 0.001;

enum class Policy { fifo_blocking, fifo_paced, greedy };

ftl::Config config_of(Policy policy) {
  ftl::Config config = test::blocking(policy == Policy::greedy ? GcPolicy::greedy : GcPolicy::fifo);
  if (policy == Policy::fifo_paced) config.gc_pacing = ftl::GcPacing::paced;
  return config;
}

// The two sides for so many drive writes by `write`, after a warm-up.
template <typename Write>
Sides sides_of(Policy policy, std::uint64_t warm_up, std::uint64_t measured, Write write) {
  OnePool pool(blocks, pages_per_block, pages, config_of(policy));
  FifoIdentity observed(pool);
  observed.fill();
  Random random = random_stream(1, "test", 0);
  for (std::uint64_t i = 0; i < warm_up * pages; ++i) write(observed, random);
  observed.start();
  for (std::uint64_t i = 0; i < measured * pages; ++i) write(observed, random);
  pool.check_invariants();
  return test::sides_of(observed);
}

void check_identity(const Sides& sides) {
  CHECK(sides.from_writes == within(sides.measured, tolerance));
  CHECK(sides.from_programs == within(sides.measured, tolerance));
}

// A share of the writes sweeps over the first `region` pages in order, the others are uniform over
// those from `rest` on.
struct Sweep {
  double share;
  std::uint64_t region;
  std::uint64_t rest;
  std::uint64_t position = 0;

  void operator()(FifoIdentity& observed, Random& random) {
    if (random.unit() < share) {
      observed.write(position);
      position = (position + 1) % region;
    } else {
      observed.write(rest + random.below(pages - rest));
    }
  }
};

}  // namespace

TEST_CASE("FIFO copies uniformly written pages once in a cycle, and greedy does not (T8)") {
  const auto uniform = [](FifoIdentity& observed, Random& random) {
    observed.write(random.below(pages));
  };
  check_identity(sides_of(Policy::fifo_blocking, 4, 4, uniform));
  check_identity(sides_of(Policy::fifo_paced, 4, 4, uniform));
  const Sides greedy = sides_of(Policy::greedy, 4, 4, uniform);
  CHECK(std::abs(greedy.from_writes / greedy.measured - 1) > 4 * tolerance);
}

TEST_CASE("FIFO copies hot, cold and trimmed pages once in a cycle (T8)") {
  check_identity(sides_of(Policy::fifo_blocking, 4, 4, [](FifoIdentity& observed, Random& random) {
    constexpr std::uint64_t hot = pages / 10;
    observed.write(random.unit() < 0.9 ? random.below(hot) : hot + random.below(pages - hot));
  }));
  test::TrimLoad load(pages, 0.1, random_stream(2, "test", 0));
  check_identity(
      sides_of(Policy::fifo_blocking, 4, 4,
               [&load](FifoIdentity& observed, Random& /*random*/) { load.next(observed); }));
}

TEST_CASE("FIFO copies pages of Zipf's distribution once in a cycle (T8)" *
          doctest::test_suite("long")) {
  for (const double exponent : {0.8, 0.99, 1.2}) {
    CAPTURE(exponent);
    std::vector<double> cumulative(pages);
    double sum = 0;
    for (std::uint64_t page = 0; page < pages; ++page) {
      cumulative[page] = sum += std::pow(page + 1, -exponent);
    }
    check_identity(
        sides_of(Policy::fifo_blocking, 8, 10, [&](FifoIdentity& observed, Random& random) {
          const auto place =
              std::upper_bound(cumulative.begin(), cumulative.end(), random.unit() * sum);
          observed.write(static_cast<std::uint64_t>(place - cumulative.begin()));
        }));
  }
}

TEST_CASE("FIFO copies pages once in a cycle where a sweep is mixed with random writes (T8)" *
          doctest::test_suite("long")) {
  // With a sweep the identity has several roots, of which history picks one, so the measured values
  // are not to be had from it. They are met within the 3 % that the theory allows.
  struct Row {
    double share;
    double region;    // of the pages; 1: the others are uniform over all pages too
    double measured;  // by an independent Monte Carlo in C
  };
  for (const Row& row :
       {Row{0.5, 0.5, 4.1107}, Row{0.9, 0.5, 1.7294}, Row{0.5, 0.1, 3.9818}, Row{0.3, 0.7, 5.0461},
        Row{0.25, 1, 5.1627}, Row{0.5, 1, 4.8214}, Row{0.75, 1, 3.9334}, Row{0.9, 1, 1.8937}}) {
    CAPTURE(row.share);
    CAPTURE(row.region);
    const auto region = static_cast<std::uint64_t>(pages * row.region);
    const Sides sides = sides_of(Policy::fifo_blocking, 15, 20,
                                 Sweep{row.share, region, region == pages ? 0 : region});
    check_identity(sides);
    CHECK(sides.measured == within(row.measured, 0.03));
  }
}
