// When a drive has settled: SNIA's criterion, the drive's history of write amplification that is
// judged by it, and the preparation that goes on until then.
#include "sim/measure/steady_state.hpp"

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "nand/random.hpp"
#include "sim/drive/steady_history.hpp"
#include "sim/model/transient.hpp"
#include "sim/model/write_amplification.hpp"
#include "tests/near.hpp"
#include "tests/tiny_drive.hpp"

using namespace x25sim;
using drive::SteadyHistory;
using measure::judge_steady_state;
using test::near;

namespace {

// A history that is fed with rounds of 200 pages.
class FedHistory {
 public:
  static constexpr std::uint64_t logical_pages = 1000;

  // A round of this write amplification; whether the drive has settled then.
  bool add_round(double write_amplification, std::uint64_t erases = 1) {
    const auto copies = static_cast<std::uint64_t>(std::llround(200 * (write_amplification - 1)));
    counters_.programs[static_cast<std::size_t>(ftl::Cause::gc)] += copies;
    counters_.erases += erases;
    for (std::uint64_t left = 200; left > 0; --left) {
      CHECK(history.pages_left() == left);
      CHECK(history.add_host_page() == (left == 1));
    }
    history.end_round(counters_, space);
    return judge().reached();
  }

  drive::SteadyState judge() const { return history.judge(space); }

  SteadyHistory history{logical_pages};
  ftl::SpaceSummary space{.gc_pages = 1100, .valid_pages = 1000};

 private:
  ftl::Counters counters_;
};

// As the tiny drive, with enough blocks for a smooth write amplification: `share` of the pages that
// take part in garbage collection are the user's.
drive::DriveConfig small_drive(double share) {
  drive::DriveConfig config = test::tiny_drive();
  config.geometry.blocks_per_die = 256;
  config.geometry.pages_per_block = 16;
  const double pages = share * 2 * 255 * 16;
  config.sectors = static_cast<std::uint64_t>(pages) * 8;
  return config;
}

// A drive that is written and trimmed without the clock.
class Untimed {
 public:
  explicit Untimed(const drive::DriveConfig& config) : simulation_(config) {}

  drive::Ssd& drive() { return simulation_.drive(); }
  bool steady() { return drive().steady_state().reached(); }
  double drive_writes() {
    return static_cast<double>(drive().ftl().counters().host_pages()) /
           static_cast<double>(drive().ftl().logical_pages());
  }

  void write_anywhere() {
    const std::uint64_t page = random_.below(drive().ftl().logical_pages());
    drive().apply({workload::Operation::write, Bytes{4096 * page}, Bytes{4096}});
  }
  void trim_all() { drive().apply({workload::Operation::trim, Bytes{0}, drive().capacity()}); }
  void prepare(const char* state) {
    simulation_.prepare({backend::parse_preparation(state, drive().capacity())}, 1);
  }

 private:
  backend::Simulation simulation_;
  Random random_ = random_stream(1, "test", 0);
};

}  // namespace

TEST_CASE("the worked example of a test suite's manual is steady at its fifth round") {
  constexpr std::array rounds{228.90, 240.21, 240.60, 240.71, 240.71};
  const measure::SteadyStateWindow window = judge_steady_state(rounds, {});
  CHECK(near(window.average, 238.226, 1e-9));
  CHECK(near(window.range, 11.81, 1e-9));
  CHECK(near(window.slope, 2.412, 1e-9));
  CHECK(near(window.excursion, 9.648, 1e-9));
  CHECK(window.steady);
}

TEST_CASE("rounds that spread or drift are not steady") {
  const auto steady = [](const std::array<double, 5>& rounds) {
    return judge_steady_state(rounds, {}).steady;
  };
  CHECK(steady({100, 100, 100, 100, 100}));
  CHECK(steady({0, 0, 0, 0, 0}));
  CHECK(steady({-100, -100, -101, -100, -100}));
  CHECK(steady({91, 109, 100, 109, 91}));        // range 18 %, no drift
  CHECK_FALSE(steady({89, 111, 100, 111, 89}));  // range 22 %
  CHECK(steady({95.1, 97.5, 100, 102.5, 104.9}));
  CHECK_FALSE(steady({94.9, 97.45, 100, 102.55, 105.1}));  // drift 10.2 %
  CHECK_FALSE(steady({105.1, 102.55, 100, 97.45, 94.9}));
  const std::array<double, 3> three{1, 1.5, 1};
  CHECK(judge_steady_state(three, {.rounds = 3, .range_max = 0.5, .excursion_max = 0}).steady);
}

TEST_CASE("a drive is judged by its last five rounds after two drive writes") {
  FedHistory fed;
  for (int round = 0; round < 14; ++round) {
    CHECK_FALSE(fed.add_round(5));
    CHECK(fed.judge().rounds == static_cast<std::uint32_t>(std::max(0, round - 9)));
    CHECK_FALSE(fed.judge().window.has_value());
  }
  CHECK(fed.add_round(5));
  CHECK(fed.judge().window->average == 5);
  CHECK(fed.judge().window->range == 0);
  // Now the values of the worked example, whose first is 5 % below the others.
  for (const double value : {2.289, 2.4021, 2.406, 2.4071}) CHECK_FALSE(fed.add_round(value));
  CHECK(fed.add_round(2.4071));
  const measure::SteadyStateWindow window = *fed.judge().window;
  CHECK(near(window.average, 2.38226, 0.002));  // as 200 pages allow
  CHECK(near(window.excursion / window.average, 0.0405, 0.002));
}

TEST_CASE("a round without an erased block does not count, and neither does what came before") {
  FedHistory fed;
  for (int round = 0; round < 100; ++round) CHECK_FALSE(fed.add_round(1, 0));
  for (int round = 0; round < 4; ++round) CHECK_FALSE(fed.add_round(1, 1));
  CHECK(fed.add_round(1, 1));
  CHECK_FALSE(fed.add_round(1, 0));
  CHECK(fed.judge().rounds == 0);
  for (int round = 0; round < 4; ++round) CHECK_FALSE(fed.add_round(1, 1));
  CHECK(fed.add_round(1, 1));
}

TEST_CASE("a drive is not steady while its spare area is not") {
  FedHistory fed;
  for (int round = 0; round < 15; ++round) fed.add_round(5);
  CHECK(fed.judge().reached());
  fed.space.valid_pages = 980;
  CHECK(fed.judge().reached());
  CHECK(near(fed.judge().spare_range, 20 / (620.0 / 6), 1e-9));
  fed.space.valid_pages = 979;
  CHECK_FALSE(fed.judge().reached());
  CHECK(fed.judge().window->steady);
  fed.space.valid_pages = 500;
  for (int round = 0; round < 4; ++round) CHECK_FALSE(fed.add_round(5));
  CHECK(fed.add_round(5));
  fed.space.valid_pages = 1100;  // no spare page at all
  CHECK_FALSE(fed.judge().reached());
  for (int round = 0; round < 5; ++round) fed.add_round(5);
  CHECK(fed.judge().spare_range == 0);
}

TEST_CASE("an empty drive whose amplification grows as theory says does not pass for steady") {
  constexpr model::Collection fifo{model::VictimPolicy::fifo, 0, 128};
  FedHistory fed;
  double drive_writes = 0;
  for (bool steady = false; !steady; drive_writes += 0.2) {
    const double amplification = model::empty_write_amplification(fifo, 0.1, drive_writes + 0.1);
    steady = fed.add_round(amplification, amplification > 1 ? 1 : 0);
  }
  CHECK(drive_writes > 3);
  CHECK(model::empty_write_amplification(fifo, 0.1, drive_writes) > 4);
}

TEST_CASE("an empty drive written at random is not steady on its plateau of 1") {
  for (const double share : {0.9, 0.6, 0.25}) {
    CAPTURE(share);
    Untimed untimed(small_drive(share));
    const ftl::Counters& counters = untimed.drive().ftl().counters();
    while (counters.gc_runs == 0) {
      untimed.write_anywhere();
      REQUIRE_FALSE(untimed.steady());
    }
    const double begin = untimed.drive_writes();
    CHECK(near(begin, 1 / share, 0.1));
    while (!untimed.steady()) untimed.write_anywhere();
    CHECK(untimed.drive_writes() >= std::max(3.0, begin + 0.8));
    const double expected = model::greedy_write_amplification(1 - share, 16);
    const double found = untimed.drive().steady_state().window->average;
    CHECK(near(found, expected, 0.15 * expected));
  }
}

TEST_CASE("a steady drive that is trimmed has to settle again") {
  Untimed untimed(small_drive(0.8));
  untimed.prepare("steady");
  CHECK(untimed.steady());
  const double before = untimed.drive().steady_state().window->average;
  untimed.trim_all();
  CHECK_FALSE(untimed.steady());
  const double begin = untimed.drive_writes();
  while (!untimed.steady()) untimed.write_anywhere();
  // Blocks without data are collected for a while, so that the write amplification stays at 1.
  CHECK(untimed.drive_writes() > begin + 3);
  CHECK(untimed.drive_writes() < begin + 6);
  CHECK(near(untimed.drive().steady_state().window->average, before, 0.15 * before));
}

TEST_CASE("the timed drive keeps the same history") {
  const drive::DriveConfig config = small_drive(0.8);
  backend::Simulation simulation(config);
  simulation.prepare({backend::parse_preparation("filled", config.capacity())}, 1);
  const std::uint64_t pages = config.logical_pages();
  const backend::RunResult result =
      simulation.run(test::jobs_of("[job]\nrw=randwrite\nbs=4k\nnorandommap\niodepth=4\nio_size=" +
                                       std::to_string(2 * pages * 4096) + "\n",
                                   config.capacity()),
                     1);
  const SteadyHistory::State& state = simulation.drive().steady_history().state();
  const std::uint64_t round = (pages + 4) / 5;
  const std::uint64_t written = simulation.drive().ftl().counters().host_pages();
  CHECK(state.rounds == written / round);
  CHECK(state.pages_left == round - written % round);
  CHECK_FALSE(result.preparation_steps[0][0].steady.reached());
  CHECK_FALSE(result.prepared[0].steady.reached());
  // A few pages were overwritten in the write buffer and so never written.
  CHECK(result.drives[0].steady.rounds == 4);
  simulation.prepare({backend::parse_preparation("steady", config.capacity())}, 1);
  CHECK(simulation.drive().steady_state().reached());
}

TEST_CASE("the steady preparation overwrites twice at least, and ends when the drive has settled") {
  for (const std::uint64_t sectors : {192u * 8, 191u * 8, 190u * 8 + 3, 300u * 8}) {
    CAPTURE(sectors);
    drive::DriveConfig config = small_drive(0.8);
    config.sectors = sectors * 20;
    Untimed untimed(config);
    untimed.prepare("steady");
    CHECK(untimed.steady());
    CHECK(untimed.drive_writes() >= 3);
    CHECK(untimed.drive_writes() < 3.3);
    CHECK(untimed.drive().ftl().space().valid_pages == config.logical_pages());
    untimed.drive().check_invariants();
  }
}

TEST_CASE("pages of other sizes than 4 KiB come to a steady state as well") {
  for (const std::uint64_t page_size : {2048u, 8192u, 16384u}) {
    CAPTURE(page_size);
    drive::DriveConfig config = small_drive(0.8);
    config.geometry.page_size = Bytes{page_size};
    config.sectors = 6528 * (page_size / 512) - 1;
    Untimed untimed(config);
    untimed.prepare("steady");
    CHECK(untimed.steady());
    CHECK(untimed.drive_writes() >= 3);
    CHECK(untimed.drive_writes() < 4);
    untimed.drive().check_invariants();
  }
}

TEST_CASE("a drive that does not settle is overwritten forty times, and that is said") {
  // Blocks that hold more than a round of host pages: rounds without an erase come again and again.
  drive::DriveConfig config = test::tiny_drive();
  config.geometry = {
      .channels = 1, .planes_per_die = 1, .blocks_per_die = 4, .pages_per_block = 256};
  config.controller.channels = 1;
  config.sectors = 400 * 8;
  backend::Simulation simulation(config);
  const auto steady = backend::parse_preparation("steady", config.capacity());
  const std::vector<std::string> notices = simulation.prepare({steady}, 1);
  REQUIRE(notices.size() == 1);
  CHECK(
      notices[0].starts_with("--prepare steady: the drive's write amplification has not settled "
                             "within 40 drive writes"));
  CHECK(simulation.drive().ftl().counters().host_pages() == 41 * 400);
  CHECK_FALSE(simulation.drive().steady_state().reached());
}

TEST_CASE("progress of the steady preparation is not given once its end is not known") {
  drive::DriveConfig config = small_drive(0.8);
  config.geometry.blocks_per_die = 8192;
  config.sectors = 200'000 * 8;
  kernel::Kernel kernel;
  struct Nobody final : drive::CompletionListener {
    void on_complete(std::uint64_t /*id*/) override {}
  } nobody;
  drive::Ssd ssd(config, kernel, nobody);
  std::vector<double> shares;
  const auto steady = backend::parse_preparation("steady", config.capacity());
  CHECK_FALSE(backend::prepare(ssd, steady, 0, 1, [&shares](double share) {
    shares.push_back(share);
    return shares.size() < 2;  // the first is that of the fill
  }));
  CHECK(shares == std::vector<double>{0, 262144.0 / 400000.0});
  CHECK(ssd.ftl().counters().host_pages() < 200'000 + 262'144);
}
