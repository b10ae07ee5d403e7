// Batches, the search for a depth, flushes: how a job fills its queue, on a device whose service
// time is known.
#include <chrono>
#include <doctest/doctest.h>

#include "tests/pace_device.hpp"

namespace x25sim::test {

namespace {

using namespace std::chrono_literals;
using workload::Direction;
using workload::Job;
using workload::Operation;

// How many commands arrive at each time at which any do.
std::vector<std::size_t> bursts(const PacedRun& run) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < run.commands.size(); ++i) {
    const bool same = i > 0 && run.commands[i].arrival == run.commands[i - 1].arrival;
    if (!same) sizes.push_back(0);
    ++sizes.back();
  }
  return sizes;
}

Job counted(std::uint64_t requests, std::uint32_t iodepth) {
  Job job = paced_job(Direction::read, iodepth);
  job.number_ios = requests;
  return job;
}

class FlushingSource final : public backend::RequestSource {
 public:
  std::optional<backend::TimedRequest> next() override {
    if (count_ == 9) return {};
    const bool flush = ++count_ % 3 == 0;
    if (flush) return backend::TimedRequest{{Operation::flush, {}, {}}, {}};
    return backend::TimedRequest{{Operation::write, Bytes{count_ * 4096}, Bytes{4096}}, {}};
  }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace

TEST_CASE("A47: completions are reaped in batches, and the queue is refilled by as many") {
  // One request is served at a time, 1 ms each.
  Job job = counted(32, 8);
  CHECK(bursts(run_paced({job}, always(1ms), true)) == [] {
    std::vector<std::size_t> sizes(25, 1);
    sizes.front() = 8;
    return sizes;
  }());
  job.batches.complete_min = job.batches.complete_max = 4;
  job.batches.submit = 4;
  const PacedRun run = run_paced({job}, always(1ms), true);
  CHECK(bursts(run) == std::vector<std::size_t>{8, 4, 4, 4, 4, 4, 4});
  // Of four that are noticed together at the last one's completion, the first is 3 ms older.
  CHECK(run.jobs[0].direction[0].completion.min() == 4ms);
  // Eight submissions of four; reaped by four, but at the end one by one.
  CHECK(run.jobs[0].submit == decltype(run.jobs[0].submit){0, 8, 0, 0, 0, 0, 0});
  CHECK(run.jobs[0].depth == decltype(run.jobs[0].depth){0, 0, 4, 28, 0, 0, 0});
}

TEST_CASE("a full queue drains to iodepth_low before it is refilled") {
  Job job = counted(32, 8);
  job.batches.low = 2;
  job.batches.submit = 8;
  const PacedRun run = run_paced({job}, always(1ms), true);
  CHECK(bursts(run) == std::vector<std::size_t>{8, 6, 6, 6, 6});
  CHECK(run.commands[8].arrival - Time{} == 6ms);
  // One submission of eight, four of six: both at fio's level "8".
  CHECK(run.jobs[0].submit[measure::batch_level(8)] == 5);
}

TEST_CASE("as in fio, a job that polls has one request in flight") {
  Job job = counted(10, 8);
  job.batches.complete_min = 0;
  CHECK(bursts(run_paced({job}, always(1ms))) == std::vector<std::size_t>(10, 1));
  // With a maximum it waits when its queue is full, and then takes all that are complete.
  job.batches.complete_max = 8;
  CHECK(bursts(run_paced({job}, always(1ms)))[0] == 8);
}

TEST_CASE("latency_target finds the largest depth that keeps latencies below it") {
  // With d in flight at a device of one server, each request takes d service times.
  for (const std::uint32_t expected : {1u, 3u, 9u, 21u, 32u}) {
    CAPTURE(expected);
    Job job = timed_job(Direction::read, 60s, 32);
    job.latency_target.target = expected * 100us + 50us;
    job.latency_target.window = 50ms;
    for (const double percentile : {100.0, 95.0}) {
      CAPTURE(percentile);
      job.latency_target.percentile = percentile;
      const PacedRun run = run_paced({job}, always(100us), true);
      const measure::JobStatistics& found = run.jobs[0];
      CHECK_FALSE(found.outcome.failure);
      CHECK(found.outcome.latency_depth == expected);
      // The final run is measured alone: one window, in which all are at the depth found.
      CHECK(run.end - Time{} < 20s);
      CHECK(found.direction[0].total.max() <= job.latency_target.target);
      CHECK(found.depth[measure::depth_level(expected)] >= found.direction[0].requests - expected);
      CHECK(found.runtime >= 50ms);
      CHECK(found.runtime < 51ms + expected * 100us);
      CHECK(found.outcome.generated == found.outcome.completed);
    }
    job.latency_target.run_on = true;
    job.runtime = 3s;
    const PacedRun run = run_paced({job}, always(100us), true);
    CHECK(run.end - Time{} >= 3s);
  }
}

TEST_CASE("a latency target that single requests exceed ends the job in error") {
  Job job = timed_job(Direction::read, 60s, 32);
  job.latency_target = {.target = 50us, .window = 50ms, .percentile = 100};
  const PacedRun run = run_paced({job}, always(100us));
  REQUIRE(run.jobs[0].outcome.failure);
  CHECK(run.jobs[0].outcome.failure->error == 110);
  CHECK(run.jobs[0].outcome.failure->function == "max latency exceeded");
  CHECK(run.jobs[0].outcome.latency_depth == 1);
}

TEST_CASE("a durable write is complete when the flush behind it is") {
  Job job = paced_job(Direction::mixed);
  job.number_ios = 100;
  job.durability.each_write = true;
  const PacedRun run = run_paced({job}, [](const workload::Request& request) -> Duration {
    return request.operation == Operation::flush ? 5ms : 1ms;
  });
  CHECK(run.requests(0) + run.requests(1) == 100);
  REQUIRE(run.requests(1) > 0);
  CHECK(run.commands.size() == 100 + run.requests(1));
  CHECK(run.jobs[0].direction[0].completion.max() == 1ms);
  CHECK(run.jobs[0].direction[1].completion.min() == 6ms);
  CHECK(run.jobs[0].direction[1].completion.max() == 6ms);
  CHECK(run.jobs[0].flush.count() == 0);
  for (std::size_t i = 0; i < run.commands.size(); ++i) {
    if (run.commands[i].request.operation != Operation::write) continue;
    CHECK(run.commands[i + 1].request.operation == Operation::flush);
  }
}

TEST_CASE("a flush of a job holds it up, is measured as sync, and is in no direction") {
  kernel::Kernel kernel;
  backend::Runner runner(kernel, Duration{});
  ServiceDevice device(kernel, runner, always(1ms), false);
  runner.attach(device);
  FlushingSource source;
  const Job job = paced_job(Direction::write, 8);
  const auto jobs = runner.run({{.source = &source, .queue_depth = 8, .runtime = {}, .job = &job}});
  // Two writes and a flush at once: it does not wait for them, and nothing is issued before its
  // end.
  PacedRun run;
  run.commands = device.commands;
  CHECK(bursts(run) == std::vector<std::size_t>{3, 3, 3});
  CHECK(run.commands[3].arrival - Time{} == 1ms);
  CHECK(jobs[0].flush.count() == 3);
  CHECK(jobs[0].direction[1].requests == 6);
  CHECK(jobs[0].outcome.generated == 9);
  CHECK(jobs[0].outcome.completed == 9);
}

TEST_CASE("end_fsync flushes once everything is complete, and counts as nothing") {
  Job job = paced_job(Direction::write, 4);
  job.number_ios = 10;
  job.durability.at_end = true;
  const PacedRun run = run_paced({job}, always(1ms));
  REQUIRE(run.commands.size() == 11);
  CHECK(run.commands.back().request.operation == Operation::flush);
  CHECK(run.commands.back().arrival - Time{} == 3ms);
  CHECK(run.jobs[0].flush.count() == 0);
  CHECK(run.jobs[0].runtime == 3ms);
  job.direction = Direction::read;
  CHECK(run_paced({job}, always(1ms)).commands.size() == 10);
}

}  // namespace x25sim::test
