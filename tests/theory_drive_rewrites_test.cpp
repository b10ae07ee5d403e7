// The identity of FIFO collection, which holds for any load: a page that is still valid is copied
// once in every cycle of the drive, so with L host writes from a page's write to its next overwrite
// or trim, and tau = T / A host writes in a cycle, A = E[1 + floor(L / tau)]. A suffix like (T8) in
// a test's name is the number of the check in the theory's notes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/trace/formats.hpp"
#include "tests/near.hpp"
#include "tests/one_pool.hpp"

using namespace x25sim;
using ftl::GcPolicy;
using test::OnePool;
using test::within;

namespace {

// Writes and trims of a pool, and the right side of the identity for those since start(). Pages
// that are never overwritten count too: one copy in each cycle.
class Observed {
 public:
  explicit Observed(OnePool& pool) : pool_(pool), written_(pool.pages()) {}

  void write(std::uint64_t page) {
    const double programs = now().programs;  // those of this write come after the old page's end
    pool_.write(page);
    note(page, true, {now().writes, programs});
  }
  void trim(std::uint64_t page) {
    pool_.trim(page);
    note(page, false, now());
  }
  void fill() {
    for (std::uint32_t page = 0; page < pool_.pages(); ++page) write(page);
  }

  // From here on.
  void start() {
    events_.clear();
    written_before_ = written_;
    start_ = now();
    before_ = pool_.ftl().counters();
  }

  double amplification() const {
    return (pool_.ftl().counters() - before_).write_amplification_gc();
  }

  // E[1 + floor(L / tau)], L in host writes, at the tau of the write amplification measured.
  double from_writes() const { return evaluate(&Clock::writes, raw() / amplification()); }
  // The same with L in pages programmed and tau = T: exact where the load, and so the number of
  // host writes in a cycle, changes from cycle to cycle.
  double from_programs() const { return evaluate(&Clock::programs, raw()); }

 private:
  struct Clock {
    double writes = never;
    double programs = never;
  };
  static constexpr double never = -1;

  struct Event {
    std::uint32_t page;
    bool write;
    Clock end;    // of the page's old data
    Clock begin;  // of its new data, if it is a write
  };

  double raw() const { return static_cast<double>(pool_.ftl().space().gc_pages); }

  Clock now() const {
    const ftl::Counters& counters = pool_.ftl().counters();
    return {static_cast<double>(counters.host_pages()),
            static_cast<double>(counters.program_total())};
  }

  void note(std::uint64_t page, bool write, const Clock& end) {
    written_[page] = write ? now() : Clock{};
    events_.push_back({static_cast<std::uint32_t>(page), write, end, written_[page]});
  }

  // Copies since the start: the multiples of `cycle` in the age of each page between its write, or
  // the start, and its end.
  double evaluate(double Clock::*clock, double cycle) const {
    std::vector<Clock> written = written_before_;
    double copies = 0;
    double writes = 0;
    const auto end_life = [&](std::uint32_t page, double end) {
      const double begin = written[page].*clock;
      if (begin == never) return;
      copies += std::floor((end - begin) / cycle);
      if (begin < start_.*clock) copies -= std::floor((start_.*clock - begin) / cycle);
    };
    for (const Event& event : events_) {
      end_life(event.page, event.end.*clock);
      written[event.page] = event.begin;
      if (event.write) ++writes;
    }
    for (std::uint32_t page = 0; page < written.size(); ++page) end_life(page, now().*clock);
    return 1 + copies / writes;
  }

  OnePool& pool_;
  std::vector<Clock> written_;  // when each page was written last
  std::vector<Clock> written_before_;
  std::vector<Event> events_;
  Clock start_;
  ftl::Counters before_;
};

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

struct Sides {
  double measured;
  double from_writes;
  double from_programs;
};

// The two sides for so many drive writes by `write`, after a warm-up.
template <typename Write>
Sides sides_of(Policy policy, std::uint64_t warm_up, std::uint64_t measured, Write write) {
  OnePool pool(blocks, pages_per_block, pages, config_of(policy));
  Observed observed(pool);
  observed.fill();
  Random random = random_stream(1, "test", 0);
  for (std::uint64_t i = 0; i < warm_up * pages; ++i) write(observed, random);
  observed.start();
  for (std::uint64_t i = 0; i < measured * pages; ++i) write(observed, random);
  pool.check_invariants();
  return {observed.amplification(), observed.from_writes(), observed.from_programs()};
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

  void operator()(Observed& observed, Random& random) {
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
  const auto uniform = [](Observed& observed, Random& random) {
    observed.write(random.below(pages));
  };
  check_identity(sides_of(Policy::fifo_blocking, 4, 4, uniform));
  check_identity(sides_of(Policy::fifo_paced, 4, 4, uniform));
  const Sides greedy = sides_of(Policy::greedy, 4, 4, uniform);
  CHECK(std::abs(greedy.from_writes / greedy.measured - 1) > 4 * tolerance);
}

TEST_CASE("FIFO copies hot, cold and trimmed pages once in a cycle (T8)") {
  check_identity(sides_of(Policy::fifo_blocking, 4, 4, [](Observed& observed, Random& random) {
    constexpr std::uint64_t hot = pages / 10;
    observed.write(random.unit() < 0.9 ? random.below(hot) : hot + random.below(pages - hot));
  }));
  test::TrimLoad load(pages, 0.1, random_stream(2, "test", 0));
  check_identity(
      sides_of(Policy::fifo_blocking, 4, 4,
               [&load](Observed& observed, Random& /*random*/) { load.next(observed); }));
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
    check_identity(sides_of(Policy::fifo_blocking, 8, 10, [&](Observed& observed, Random& random) {
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

namespace {

// The pages that a real trace writes, in order, or none where its folder does not exist.
std::vector<std::uint32_t> pages_of_trace() {
  const char* variable = std::getenv("X25SIM_TRACES");
  const std::filesystem::path folder =
      variable != nullptr ? std::filesystem::path(variable)
                          : std::filesystem::path(X25SIM_SOURCE_DIR) / "../shared/traces";
  const std::filesystem::path path = folder / "ssdsim_example.ascii";
  if (!std::filesystem::exists(path)) {
    MESSAGE("skipped: there is no ", path.string(), "; X25SIM_TRACES names the folder of traces");
    return {};
  }
  const auto reader = trace::open_trace(*trace::named_format("mqsim").format, {path.string()}, {});
  std::vector<std::uint32_t> written;
  while (const auto record = reader->next()) {
    if (record->kind != trace::Kind::write) continue;
    const std::uint64_t end = (record->offset + record->length).count;
    for (std::uint64_t page = record->offset.count / 4096; page * 4096 < end; ++page) {
      written.push_back(static_cast<std::uint32_t>(page));
    }
  }
  return written;
}

// A pool with this share of spare pages.
OnePool pool_for(std::uint64_t user_pages, double spare, std::uint32_t block, Policy policy) {
  const auto raw = static_cast<double>(user_pages) / (1 - spare);
  return {static_cast<std::uint32_t>(std::lround(raw / block)), block, user_pages,
          config_of(policy)};
}

Sides replay(OnePool& pool, const std::vector<std::uint32_t>& trace, int warm_up, int measured,
             bool fill) {
  Observed observed(pool);
  if (fill) observed.fill();
  for (int i = 0; i < warm_up; ++i) {
    for (const std::uint32_t page : trace) observed.write(page);
  }
  observed.start();
  for (int i = 0; i < measured; ++i) {
    for (const std::uint32_t page : trace) observed.write(page);
  }
  pool.check_invariants();
  return {observed.amplification(), observed.from_writes(), observed.from_programs()};
}

constexpr double trace_tolerance = 0.005;

}  // namespace

TEST_CASE("FIFO copies pages of a real trace once in a cycle on a drive as large as it asks (T8)") {
  const std::vector<std::uint32_t> trace = pages_of_trace();
  if (trace.empty()) return;
  const std::uint64_t last = *std::max_element(trace.begin(), trace.end());
  {
    // Empty, it takes the trace without a copy.
    OnePool pool = pool_for(last + 1, 0.0687, pages_per_block, Policy::fifo_blocking);
    const Sides once = replay(pool, trace, 0, 1, false);
    CHECK(once.measured == 1);
    CHECK(once.from_writes == 1);
  }
  // Filled before, most of its pages are copied in every cycle and never overwritten.
  for (const double spare : {0.0687, 0.10}) {
    CAPTURE(spare);
    OnePool pool = pool_for(last + 1, spare, pages_per_block, Policy::fifo_blocking);
    const Sides sides = replay(pool, trace, 20, 40, true);
    CHECK(pool.ftl().counters().gc_runs > 0);
    CHECK(sides.from_writes == within(sides.measured, trace_tolerance));
    CHECK(sides.from_programs == within(sides.measured, tolerance));
  }
}

TEST_CASE("FIFO copies pages of a real trace once in a cycle on a drive of its footprint (T8)") {
  std::vector<std::uint32_t> trace = pages_of_trace();
  if (trace.empty()) return;
  // Only the pages that are written, numbered in their order.
  std::map<std::uint32_t, std::uint32_t> number;
  for (const std::uint32_t page : trace) number[page] = 0;
  std::uint32_t footprint = 0;
  for (auto& entry : number) entry.second = footprint++;
  for (std::uint32_t& page : trace) page = number[page];
  for (const Policy policy : {Policy::fifo_blocking, Policy::fifo_paced}) {
    for (const double spare : {0.03, 0.0687, 0.10, 0.30}) {
      CAPTURE(spare);
      OnePool pool = pool_for(footprint, spare, 4, policy);  // small blocks, so that there are many
      const Sides sides = replay(pool, trace, 10, 20, false);
      CHECK(pool.ftl().counters().gc_runs > 1000);
      // Not every cycle has as many host writes as the mean. Where many cycles pass in one replay,
      // that cancels; with more spare pages it does not: the sides differ by 0.6 % at a spare
      // factor of 10 %, and by 1.5 % at 30 %, unless L is counted in programs.
      if (spare < 0.07) CHECK(sides.from_writes == within(sides.measured, trace_tolerance));
      CHECK(sides.from_programs == within(sides.measured, tolerance));
    }
  }
}
