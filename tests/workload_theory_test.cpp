// Which loads theory is said to cover, and that the FTL agrees where it is, on drives of several
// pools, with requests of several pages and with data that are not written.
#include "sim/model/workload_theory.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "ftl/functional.hpp"
#include "ftl/page_ftl.hpp"
#include "nand/random.hpp"
#include "sim/model/space.hpp"
#include "sim/model/wear.hpp"
#include "sim/model/write_amplification.hpp"
#include "sim/workload/generator.hpp"
#include "tests/near.hpp"

using namespace x25sim;
using namespace x25sim::model;
using x25sim::test::near;

namespace {

using ftl::GcPolicy;
using workload::Direction;
using workload::Job;

constexpr Bytes page{4096};

// Pools of blocks of 64 pages, one block of each reserved.
drive::DriveConfig drive_of(std::uint32_t pools, GcPolicy policy = GcPolicy::greedy,
                            std::uint32_t blocks_per_pool = 129) {
  drive::DriveConfig config;
  config.geometry.channels = pools;
  config.geometry.blocks_per_die = blocks_per_pool;
  config.geometry.pages_per_block = 64;
  config.ftl.gc_policy = policy;
  return config;
}

std::uint64_t gc_pages(const drive::DriveConfig& config) {
  return config.geometry.pages() - std::uint64_t{config.geometry.dies()} * 64;
}

// Random writes of `pages` pages from `first` on, with independent draws.
Job random_writes(std::uint64_t first, std::uint64_t pages, std::uint64_t request_pages = 1) {
  Job job;
  job.direction = Direction::write;
  job.random = true;
  job.no_random_map = true;
  job.offset = page * first;
  job.size = page * pages;
  job.io_size = job.size;
  job.sizes.fill(workload::fixed_size(page * request_pages));
  return job;
}

Job sequential_writes(std::uint64_t first, std::uint64_t pages) {
  Job job = random_writes(first, pages);
  job.random = false;
  job.no_random_map = false;
  return job;
}

std::string problem_of(const std::vector<Job>& jobs) { return write_load(jobs, page).problem; }

// Theory for a drive of ten pools and a nominal spare factor of 10 %, full of data in order.
struct Case {
  drive::DriveConfig config = drive_of(10);
  std::uint64_t user_pages = gc_pages(config) * 9 / 10;
  Job job = random_writes(0, user_pages);
  std::uint64_t other_pages = 0;
  std::uint64_t other_pages_mixed = 0;
  std::uint64_t pages_out_of_order = 0;
  double passes = 1;

  explicit Case(GcPolicy policy = GcPolicy::greedy) { config.ftl.gc_policy = policy; }

  WorkloadTheory theory() const {
    const WriteLoad load = write_load({job}, page);
    return workload_theory(
        config, load, {gc_pages(config), other_pages, other_pages_mixed, pages_out_of_order},
        page * static_cast<std::uint64_t>(passes * static_cast<double>(load.pages)));
  }
  double value() const {
    const WorkloadTheory result = theory();
    CAPTURE(result.reason);
    REQUIRE(result.write_amplification.has_value());
    return *result.write_amplification;
  }
  std::string reason() const {
    const WorkloadTheory result = theory();
    CHECK_FALSE(result.write_amplification.has_value());
    return result.reason;
  }
};

// A drive without the clock.
class World {
 public:
  World(const drive::DriveConfig& config, std::uint64_t logical_pages)
      : config_(config),
        ftl_(config.geometry, config.ftl, logical_pages, 3),
        array_(config.geometry),
        executor_(array_) {}

  void perform(Job job, double passes) {
    job.number = ++jobs_;
    job.io_size = Bytes{static_cast<std::uint64_t>(passes * static_cast<double>(job.size.count))};
    workload::RequestGenerator generator(job, 11);
    while (const auto request = generator.next()) {
      for (Bytes done; done < request->length; done += page) {
        const auto number = static_cast<std::uint32_t>((request->offset + done) / page);
        ftl_.write(Lpn{number}, ftl::Cause::host, executor_);
      }
    }
  }

  void fill() { perform(sequential_writes(0, ftl_.logical_pages()), 1); }

  WorkloadTheory theory(const Job& job) const {
    const WriteLoad load = write_load({job}, page);
    CHECK(load.problem.empty());
    return workload_theory(config_, load, survey(ftl_, config_, load), job.size);
  }

  // What theory says before the job, and what it then comes to.
  void check_agreement(const Job& job, double tolerance, double warm_up = 6, double measured = 6) {
    const WorkloadTheory expected = theory(job);
    CAPTURE(expected.reason);
    REQUIRE(expected.write_amplification.has_value());
    perform(job, warm_up);
    const ftl::Counters before = ftl_.counters();
    perform(job, measured);
    const double simulated = (ftl_.counters() - before).write_amplification_gc();
    CHECK(
        near(simulated, *expected.write_amplification, tolerance * *expected.write_amplification));
  }

  const ftl::PageFtl& ftl() const { return ftl_; }

 private:
  drive::DriveConfig config_;
  ftl::PageFtl ftl_;
  nand::FlashArray array_;
  ftl::FunctionalExecutor executor_;
  std::uint32_t jobs_ = 0;
};

}  // namespace

TEST_CASE("what jobs write has to be of one kind, in whole pages") {
  const Job writer = random_writes(8, 96, 2);
  const WriteLoad load = write_load({writer}, page);
  CHECK(load.problem.empty());
  CHECK(load.random);
  CHECK_FALSE(load.every_block_once);
  CHECK(load.first_page == 8);
  CHECK(load.pages == 96);
  CHECK(load.request_pages == 2);
  // What a region has beyond its last whole block is not written.
  CHECK(write_load({random_writes(0, 100, 3)}, page).pages == 99);
  Job once = writer;
  once.no_random_map = false;
  CHECK(write_load({once}, page).every_block_once);

  Job reader = random_writes(50, 7);
  reader.direction = Direction::read;
  Job mixed = writer;
  mixed.direction = Direction::mixed;
  mixed.sizes[0] = workload::fixed_size(Bytes{512});  // of the reads
  CHECK(problem_of({reader, writer, mixed}).empty());
  CHECK(problem_of({writer, writer}).empty());
  mixed.read_percent = 100;
  CHECK(problem_of({reader, mixed}) == "nothing is written");
  CHECK(problem_of({}) == "nothing is written");

  Job trimmer = writer;
  trimmer.direction = Direction::trim;
  CHECK(problem_of({writer, trimmer}) == "trims among the writes");
  CHECK(problem_of({writer, random_writes(0, 96, 2)}) == "jobs that do not write alike");
  CHECK(problem_of({writer, random_writes(8, 98, 2)}) == "jobs that do not write alike");
  CHECK(problem_of({writer, random_writes(8, 96, 1)}) == "jobs that do not write alike");
  CHECK(problem_of({writer, once}) == "jobs that do not write alike");
  CHECK(problem_of({writer, sequential_writes(8, 96)}) == "jobs that do not write alike");
  const Job sequential = sequential_writes(8, 96);
  CHECK(problem_of({sequential}).empty());
  CHECK(problem_of({sequential, sequential}) == "several sequential jobs");
  Job partial = writer;
  partial.sizes[1] = workload::fixed_size(Bytes{6144});
  CHECK(problem_of({partial}) == "writes that are not of whole pages");
  partial = writer;
  partial.offset = Bytes{512};
  CHECK(problem_of({partial}) == "writes that are not of whole pages");
}

TEST_CASE("no theory is claimed for orders and sizes that it is not about") {
  const Job writer = random_writes(0, 96);
  const auto problem = [&](const auto& change, bool random = true) {
    Job job = random ? writer : sequential_writes(0, 96);
    change(job);
    return problem_of({job});
  };
  using workload::OffsetDistribution;
  for (const auto kind : {OffsetDistribution::Kind::zipf, OffsetDistribution::Kind::pareto,
                          OffsetDistribution::Kind::normal, OffsetDistribution::Kind::zoned,
                          OffsetDistribution::Kind::zoned_abs}) {
    CHECK(problem([kind](Job& job) { job.distribution.kind = kind; }) ==
          "writes of which some places have more than others");
  }
  CHECK(problem([](Job& job) { job.sizes[1].max = page * 4; }) == "writes of several sizes");
  CHECK(problem([](Job& job) { job.sizes_by_order = true; }) == "writes of several sizes");
  CHECK(problem([](Job& job) { job.sizes[1].align = Bytes{512}; }) == "writes that overlap");
  CHECK(problem([](Job& job) { job.random_percent[1] = 99; }) == "random and sequential writes");
  CHECK(problem([](Job& job) { job.random_every = 2; }) == "random and sequential writes");
  CHECK(problem([](Job& job) { job.sequential_step = 4096; }, false) ==
        "sequential writes with gaps");
  CHECK(problem([](Job& job) { job.direction = Direction::trim_write; }) ==
        "trims among the writes");
  CHECK(problem([](Job& job) { job.replay.path = "a.log"; }) == "recorded requests");
  // What reads do does not matter, nor do flushes.
  CHECK(problem([](Job& job) { job.random_percent[0] = 0; }).empty());
  CHECK(problem([](Job& job) { job.durability.flush_every = 1; }).empty());
  Job once = writer;
  once.lfsr = true;
  CHECK(write_load({once}, page).every_block_once);
}

TEST_CASE("uniform writes to everything have the formula of their policy") {
  const double spare = Case().theory().spare_factor;
  CHECK(near(spare, 0.1, 1e-4));
  const WorkloadTheory greedy = Case().theory();
  CHECK(greedy.write_amplification == greedy_write_amplification(spare, 64));
  CHECK(greedy.formula == "greedy, uniform");
  CHECK(greedy.pages_per_block == 64);
  CHECK(greedy.gc_pages == 10 * 128 * 64);
  CHECK(greedy.valid_pages == Case().user_pages);
  CHECK_FALSE(greedy.choices.has_value());
  CHECK(Case(GcPolicy::fifo).value() == fifo_write_amplification(spare));
  CHECK_FALSE(Case(GcPolicy::fifo).theory().pages_per_block.has_value());
  CHECK(Case(GcPolicy::random).value() == 1 / spare);
  Case choices(GcPolicy::d_choices);
  choices.config.ftl.gc_choices = 4;
  CHECK(choices.value() == d_choices_write_amplification(spare, 64, 4));
  CHECK(choices.theory().choices == 4);
  for (const GcPolicy policy : {GcPolicy::windowed_greedy, GcPolicy::cost_benefit, GcPolicy::cat}) {
    CHECK(Case(policy).reason().starts_with("no closed form of "));
  }
}

TEST_CASE("a drive without spare blocks, and one with hardly anything else, have no surprises") {
  Case full;
  full.job = random_writes(0, gc_pages(full.config) - 2 * 64 * 10);
  CHECK(full.value() > 1);
  full.job = random_writes(0, gc_pages(full.config) - 2 * 64 * 10 + 1);
  CHECK(full.reason() == "less than two spare blocks in a pool");
  full.job = random_writes(0, 10);
  full.other_pages = gc_pages(full.config);
  CHECK(full.reason() == "less than two spare blocks in a pool");
  for (const GcPolicy policy : {GcPolicy::greedy, GcPolicy::fifo, GcPolicy::d_choices}) {
    Case empty(policy);
    empty.job = random_writes(0, 1);
    CHECK(near(empty.value(), 1, 1e-9));
  }
}

TEST_CASE("requests of several pages count by what falls to each pool") {
  const auto pages_per_block = [](std::uint64_t request_pages) {
    Case requests;
    requests.job = random_writes(0, requests.user_pages, request_pages);
    return requests.theory().pages_per_block;
  };
  CHECK(pages_per_block(7) == 64);
  CHECK(pages_per_block(10) == 64);
  CHECK(pages_per_block(20) == 32);
  for (const std::uint64_t request_pages : {11, 30, 40, 640}) {
    CAPTURE(request_pages);
    Case requests;
    requests.job = random_writes(0, requests.user_pages, request_pages);
    CHECK(requests.reason().starts_with("requests of "));
    // Age alone, or nothing at all, decides there.
    for (const GcPolicy policy : {GcPolicy::fifo, GcPolicy::random}) {
      requests.config.ftl.gc_policy = policy;
      CHECK(requests.value() > 1);
    }
  }
}

TEST_CASE("passes that write every block once are uniform only at their begin") {
  for (const GcPolicy policy : {GcPolicy::greedy, GcPolicy::fifo, GcPolicy::d_choices}) {
    Case once(policy);
    const double uniform = once.value();
    once.job.no_random_map = false;
    CHECK(once.reason().starts_with("every block is written once per pass"));
    once.passes = 0.099;
    CHECK(once.value() == uniform);
  }
  Case once(GcPolicy::random);
  once.job.no_random_map = false;
  CHECK(near(once.value(), 10, 0.01));
}

TEST_CASE("data that are not written count as each policy treats them") {
  const auto beside = [](GcPolicy policy, double mixed_share) {
    Case partial(policy);
    partial.job = random_writes(0, partial.user_pages / 2);
    partial.other_pages = partial.user_pages / 2;
    partial.other_pages_mixed =
        static_cast<std::uint64_t>(mixed_share * static_cast<double>(partial.other_pages));
    return partial;
  };
  const Span span{10, 9, 4.5};
  const Collection greedy{VictimPolicy::greedy, 0, 64};
  const Case segregated = beside(GcPolicy::greedy, 0);
  CHECK(near(segregated.value(), stale_write_amplification(greedy, span), 1e-3));
  CHECK(segregated.theory().formula == "greedy, uniform beside stale data");
  CHECK(near(beside(GcPolicy::greedy, 0.02).value(), segregated.value(), 0.1));
  CHECK(beside(GcPolicy::greedy, 0.1).reason() == "stale data among those that are written");
  const Collection fifo{VictimPolicy::fifo, 0, 64};
  for (const double mixed : {0.0, 1.0}) {
    CHECK(near(beside(GcPolicy::fifo, mixed).value(), stale_write_amplification(fifo, span), 1e-2));
    CHECK(near(beside(GcPolicy::random, mixed).value(), 10, 0.01));
    CHECK(beside(GcPolicy::d_choices, mixed).reason() ==
          "stale data beside those that are written, under d-choices");
  }
}

TEST_CASE("erases spread as each policy lets them where no stale data keep blocks out of it") {
  const double spare = Case().theory().spare_factor;
  const auto spread = [](const Case& of) { return of.theory().erase_dispersion; };
  CHECK(spread(Case()) == erase_dispersion({VictimPolicy::greedy, 1, 64}, spare));
  CHECK(spread(Case(GcPolicy::d_choices)) ==
        erase_dispersion({VictimPolicy::d_choices, 10, 64}, spare));
  CHECK(spread(Case(GcPolicy::fifo)) == 0.0);
  CHECK(spread(Case(GcPolicy::random)) == 1.0);
  for (const GcPolicy policy : {GcPolicy::greedy, GcPolicy::fifo}) {
    Case beside(policy);
    beside.job = random_writes(0, beside.user_pages / 2);
    beside.other_pages = beside.user_pages / 2;
    CHECK(beside.theory().write_amplification.has_value());
    CHECK(spread(beside).has_value() == (policy == GcPolicy::fifo));
    Case sequential(policy);
    sequential.job = sequential_writes(0, sequential.user_pages);
    CHECK_FALSE(spread(sequential).has_value());
  }
  CHECK_FALSE(spread(Case(GcPolicy::cat)).has_value());
  // From hardly any spare page to hardly any other.
  for (const GcPolicy policy : {GcPolicy::greedy, GcPolicy::d_choices}) {
    Case extreme(policy);
    const std::uint64_t most = gc_pages(extreme.config) - 2 * 64 * 10;
    for (const std::uint64_t pages : {std::uint64_t{1}, std::uint64_t{100}, most / 2, most}) {
      extreme.job = random_writes(0, pages);
      CAPTURE(pages);
      REQUIRE(spread(extreme).has_value());
      CHECK(*spread(extreme) > 0);
      CHECK(*spread(extreme) <= 1 + 1e-9);
    }
  }
}

TEST_CASE("sequential writes copy nothing where data lie in order") {
  const auto sequential = [](GcPolicy policy) {
    Case result(policy);
    result.job = sequential_writes(0, result.user_pages);
    return result;
  };
  for (const GcPolicy policy : {GcPolicy::greedy, GcPolicy::fifo}) {
    Case ordered = sequential(policy);
    CHECK(ordered.value() == 1);
    ordered.pages_out_of_order = ordered.user_pages / 20;
    CHECK(ordered.reason().starts_with("sequential writes over data out of order"));
  }
  CHECK(sequential(GcPolicy::d_choices).reason() ==
        "sequential writes have no closed form under d-choices");
  CHECK(near(sequential(GcPolicy::random).value(), 10, 0.01));
  Case beside = sequential(GcPolicy::greedy);
  beside.job = sequential_writes(0, beside.user_pages / 2);
  beside.other_pages = beside.user_pages / 2;
  CHECK(beside.value() == 1);
  beside.config.ftl.gc_policy = GcPolicy::fifo;
  CHECK(beside.reason() == "sequential writes with other data to be copied among them");
  beside.config.ftl.gc_policy = GcPolicy::greedy;
  beside.other_pages_mixed = beside.other_pages;
  CHECK(beside.reason() == "sequential writes with other data to be copied among them");
}

TEST_CASE("a survey tells data in order and in blocks of their own from the rest") {
  const drive::DriveConfig config = drive_of(4);
  const std::uint64_t pages = gc_pages(config) * 9 / 10;
  World world(config, pages);
  const WriteLoad half = write_load({sequential_writes(0, pages / 2)}, page);
  Occupancy found = survey(world.ftl(), config, half);
  CHECK(found.gc_pages == gc_pages(config));
  CHECK(found.other_pages == 0);
  CHECK(found.pages_out_of_order == 0);
  world.fill();
  found = survey(world.ftl(), config, half);
  CHECK(found.other_pages == pages - pages / 2);
  CHECK(found.other_pages_mixed <= 2 * 4 * 64);
  CHECK(found.pages_out_of_order == 0);
  world.perform(random_writes(0, pages / 2), 1);
  found = survey(world.ftl(), config, half);
  CHECK(found.other_pages_mixed <= 2 * 4 * 64);
  CHECK(found.pages_out_of_order > half.pages / 2);
  world.perform(random_writes(0, pages), 1);
  found = survey(world.ftl(), config, half);
  CHECK(found.other_pages == pages - pages / 2);
  CHECK(found.other_pages_mixed > found.other_pages / 2);
}

TEST_CASE("pages and requests striped over pools amplify as theory says") {
  for (const std::uint32_t pools : {1U, 4U}) {
    for (const std::uint64_t request_pages : {1U, 2U, 4U, 8U}) {
      CAPTURE(pools);
      CAPTURE(request_pages);
      if (request_pages > 2 * pools) continue;
      const drive::DriveConfig config = drive_of(pools, GcPolicy::greedy, 257);
      const std::uint64_t pages = gc_pages(config) * 85 / 100;
      World world(config, pages);
      world.fill();
      world.check_agreement(random_writes(0, pages, request_pages), 0.015);
    }
  }
}

TEST_CASE("parts of a drive amplify as theory says, with the rest empty or stale") {
  for (const GcPolicy policy : {GcPolicy::greedy, GcPolicy::fifo, GcPolicy::random}) {
    CAPTURE(static_cast<int>(policy));
    const drive::DriveConfig config = drive_of(2, policy, 513);
    const std::uint64_t pages = gc_pages(config) * 85 / 100;
    const Job part = random_writes(1000, pages * 3 / 4);
    World(config, pages).check_agreement(part, 0.02);
    World stale(config, pages);
    stale.fill();
    stale.check_agreement(part, 0.02, 8, 16);
  }
  World choices(drive_of(2, GcPolicy::d_choices, 513), 40'000);
  choices.check_agreement(random_writes(0, 40'000), 0.02);
}

TEST_CASE("passes that write every block once amplify less than uniform writes") {
  // What the limit of a tenth of a pass rests on.
  const drive::DriveConfig config = drive_of(1, GcPolicy::greedy, 1025);
  const std::uint64_t pages = gc_pages(config) * 8 / 10;
  Job once = random_writes(0, pages);
  World world(config, pages);
  world.fill();
  world.perform(once, 6);
  const double uniform = *world.theory(once).write_amplification;
  once.no_random_map = false;
  const auto amplification = [&](double passes) {
    const ftl::Counters before = world.ftl().counters();
    world.perform(once, passes);
    return (world.ftl().counters() - before).write_amplification_gc();
  };
  CHECK(near(amplification(0.1), uniform, 0.015 * uniform));
  CHECK(near(amplification(4), 0.92 * uniform, 0.03 * uniform));
}

TEST_CASE("sequential writes come to what theory says, or theory says nothing") {
  for (const GcPolicy policy : {GcPolicy::greedy, GcPolicy::fifo}) {
    const drive::DriveConfig config = drive_of(4, policy);
    const std::uint64_t pages = gc_pages(config) * 9 / 10;
    const Job job = sequential_writes(0, pages);
    World fresh(config, pages);
    fresh.check_agreement(job, 1e-3);
    fresh.check_agreement(job, 1e-3);
    World used(config, pages);
    used.fill();
    used.perform(random_writes(0, pages), 2);
    CHECK_FALSE(used.theory(job).write_amplification.has_value());
  }
  const drive::DriveConfig config = drive_of(4);
  const std::uint64_t pages = gc_pages(config) * 9 / 10;
  World beside(config, pages);
  beside.fill();
  beside.check_agreement(sequential_writes(0, pages / 2), 1e-3);
}
