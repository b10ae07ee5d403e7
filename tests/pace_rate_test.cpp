// Rates, thinking and start delays, on a device whose service time is known.
#include <chrono>
#include <cmath>
#include <doctest/doctest.h>

#include "nand/errors.hpp"
#include "tests/pace_device.hpp"

namespace x25sim::test {

namespace {

using namespace std::chrono_literals;
using workload::Direction;
using workload::Job;
using workload::Operation;

double three_sigma(double expected) { return 3 * std::sqrt(expected); }

}  // namespace

TEST_CASE("A48: a mixed job keeps a rate for each direction, not their sum for both") {
  for (const bool poisson : {false, true}) {
    for (const std::uint32_t depth : {1u, 8u}) {
      CAPTURE(poisson);
      CAPTURE(depth);
      Job job = timed_job(Direction::mixed, 100s, depth);
      job.rate.requests_per_s = {90, 10, 0};
      job.rate.poisson = poisson;
      const PacedRun run = run_paced({job}, always(100us));
      const auto reads = static_cast<double>(run.requests(0));
      const auto writes = static_cast<double>(run.requests(1));
      // Linear rates issue one request at the beginning, and then in even steps.
      CHECK(std::abs(reads - 9000) <= (poisson ? three_sigma(9000) : 1));
      CHECK(std::abs(writes - 1000) <= (poisson ? three_sigma(1000) : 1));
      CHECK(run.requests(2) == 0);
    }
  }
}

TEST_CASE("arrivals of a Poisson process have exponential gaps, and streams of their own") {
  Job job = timed_job(Direction::read, 100s, 64);
  job.rate.requests_per_s = {100, 0, 0};
  job.rate.poisson = true;
  const PacedRun run = run_paced({job}, always(1ns));
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 1; i < run.commands.size(); ++i) {
    const double gap = seconds(run.commands[i].arrival - run.commands[i - 1].arrival);
    sum += gap;
    squares += gap * gap;
  }
  const auto n = static_cast<double>(run.commands.size() - 1);
  const double mean = sum / n;
  CHECK(mean == doctest::Approx(0.01).epsilon(3 / std::sqrt(n)));
  // The deviation of an exponential distribution is its mean; its estimate deviates by mean
  // sqrt(2 / n).
  CHECK(std::sqrt(squares / n - mean * mean) ==
        doctest::Approx(0.01).epsilon(3 * std::sqrt(2 / n)));
  Job other = job;
  other.number = 1;
  const PacedRun both = run_paced({job, other}, always(1ns));
  CHECK(both.requests(0, 0) == run.requests(0));
  CHECK(both.requests(0, 0) != both.requests(0, 1));
}

TEST_CASE("a rate in bytes paces requests of any length, and 64 bits of it") {
  Job job = timed_job(Direction::write, 10s);
  job.sizes[1] = workload::fixed_size(Bytes{65536});
  job.rate.bytes_per_s = {0, 1'000'000, 0};
  const PacedRun run = run_paced({job}, always(1ms));
  // 10 MB are 152.6 blocks; the first is issued at once.
  CHECK(run.requests(1) == 153);
  // The next is due when the bytes before it have had their time.
  const double third = 2 * 65536 / 1e6;
  CHECK(seconds(run.commands[2].arrival.time_since_epoch()) ==
        doctest::Approx(third).epsilon(1e-8));

  Job fast = job;
  fast.number_ios = 1000;
  fast.time_based = false;
  fast.runtime = {};
  fast.rate.bytes_per_s = {0, std::uint64_t{1} << 40, 0};
  const PacedRun quick = run_paced({fast}, always(Duration{}));
  CHECK(seconds(quick.end.time_since_epoch()) ==
        doctest::Approx(999.0 * 65536 / 1099511627776.0).epsilon(1e-4));
}

TEST_CASE("who is late for a rate catches up, and never exceeds the device") {
  // The device takes 1 s for its first request, and then 1 ms.
  bool first = true;
  Job job = timed_job(Direction::read, 3s);
  job.rate.requests_per_s = {100, 0, 0};
  const PacedRun run = run_paced({job}, [&first](const workload::Request&) {
    return std::exchange(first, false) ? Duration{1s} : Duration{1ms};
  });
  CHECK(run.requests(0) == 300);
  // 100 are due after a second, one comes each millisecond, and ten more have become due meanwhile.
  CHECK(run.commands[100].arrival - Time{} == 1s + 99ms);
  CHECK(run.commands[150].arrival - Time{} == 1500ms);
  Job limit = timed_job(Direction::read, 1s);
  limit.rate.requests_per_s = {100'000, 0, 0};
  CHECK(run_paced({limit}, always(1ms)).requests(0) == 1000);
}

TEST_CASE("a rate begins again when the ramp time is over") {
  Job job = timed_job(Direction::read, 2s);
  job.ramp_time = 1005ms;  // with requests at 0, 10, ... 1000 ms
  job.rate.requests_per_s = {100, 0, 0};
  const PacedRun run = run_paced({job}, always(1ms));
  CHECK(run.requests(0) == 200);
  CHECK(run.jobs[0].outcome.generated == 301);
  // Asleep until the old schedule's 1010 ms, the job then follows the new one.
  CHECK(run.commands[101].arrival - Time{} == 1010ms);
  CHECK(run.commands[102].arrival - Time{} == 1015ms);
}

TEST_CASE("a job that misses its minimum rate ends in error, two seconds after it began") {
  Job job = timed_job(Direction::read, 20s);
  job.rate.min_requests_per_s = {100, 0, 0};
  const auto outcome = [](const PacedRun& run) { return run.jobs[0].outcome; };
  CHECK_FALSE(outcome(run_paced({job}, always(9ms))).failure);
  const PacedRun slow = run_paced({job}, always(20ms));
  REQUIRE(outcome(slow).failure);
  CHECK(outcome(slow).failure->error == 5);
  CHECK(outcome(slow).failure->function == "check_min_rate");
  CHECK(outcome(slow).failure->message == "job: rate_iops_min=100 not met, got 50 IOPS");
  // Looked at first after two seconds, and again a cycle of one second later.
  CHECK(slow.end - Time{} == 3s);
  CHECK(outcome(slow).generated == outcome(slow).completed);
  job.rate.min_requests_per_s = {};
  job.rate.min_bytes_per_s = {409'600, 0, 0};
  CHECK_FALSE(outcome(run_paced({job}, always(9ms))).failure);
  CHECK(outcome(run_paced({job}, always(20ms))).failure->message ==
        "job: rate_min=409600B/s not met, got 204800B/s");
}

TEST_CASE("thinktime comes after so many requests, once they are complete") {
  Job job = timed_job(Direction::read, 1s);
  job.think_time.time = 9ms;
  CHECK(run_paced({job}, always(1ms)).requests(0) == 100);
  job.think_time.blocks = 4;  // 4 ms and 9 ms: 76 rounds, and four in the last 12 ms
  CHECK(run_paced({job}, always(1ms)).requests(0) == 308);
  job.think_time.spin = 6ms;  // is part of thinking
  CHECK(run_paced({job}, always(1ms)).requests(0) == 308);
  job.think_time.spin = 16ms;  // unless it is longer: 20 ms a round
  CHECK(run_paced({job}, always(1ms)).requests(0) == 200);
}

TEST_CASE("thinktime counts what is issued or complete, and waits for what is in flight") {
  Job job = timed_job(Direction::read, 1s, 4);
  job.think_time.time = 9ms;
  job.think_time.blocks = 4;
  job.think_time.by_issue = true;
  // Four at a time: the fourth makes it think, when all have completed after 1 ms.
  CHECK(run_paced({job}, always(1ms)).requests(0) == 400);
  // Four complete after 1 ms; one is noticed after the other, and each of the first three makes
  // room for one more. Seven are complete after 2 ms, then it thinks; the three count for the next.
  job.think_time.by_issue = false;
  const PacedRun run = run_paced({job}, always(1ms));
  CHECK(run.commands[6].arrival - Time{} == 1ms);
  CHECK(run.commands[7].arrival - Time{} == 11ms);
}

TEST_CASE("thinktime_iotime thinks after a time of I/O") {
  Job job = timed_job(Direction::read, 1s);
  job.think_time.time = 50ms;
  job.think_time.io_time = 50ms;
  // Rounds of 50 requests in 50 ms.
  CHECK(run_paced({job}, always(1ms)).requests(0) == 500);
}

TEST_CASE("a rate catches up after thinking, unless rate_ignore_thinktime is set") {
  Job job = timed_job(Direction::read, 10s);
  job.rate.requests_per_s = {100, 0, 0};
  job.think_time.time = 500ms;
  job.think_time.blocks = 100;
  const auto near = [](std::uint64_t found, double expected) {
    return std::abs(static_cast<double>(found) - expected) <= 2;
  };
  CHECK(near(run_paced({job}, always(1ms)).requests(0), 1000));
  // fio goes on at once after thinking, without the gap of 10 ms: rounds of 100 requests begin
  // every 1.49 s, the seventh at 8.94 s.
  job.rate.ignore_think_time = true;
  CHECK(near(run_paced({job}, always(1ms)).requests(0), 700));
}

TEST_CASE("start_delay moves a job's times, and no other's") {
  Job late = timed_job(Direction::read, 1s);
  late.start_delay = 2s;
  late.ramp_time = 500ms;
  Job early = timed_job(Direction::write, 1s);
  early.number = 1;
  const PacedRun run = run_paced({late, early}, always(10ms));
  // One completes at 2.5 s, when measurement begins, the last at 3.5 s.
  CHECK(run.requests(0, 0) == 101);
  CHECK(run.jobs[0].outcome.generated == 150);
  CHECK(run.jobs[0].runtime == 1s);
  CHECK(run.requests(1, 1) == 100);
  CHECK(run.end - Time{} == 3500ms);
  CHECK(run.commands[100].arrival - Time{} == 2s);
}

TEST_CASE("a job that would sleep beyond the clock's reach is refused") {
  Job job = paced_job(Direction::read);
  job.where = {"job.fio", 3};
  job.think_time.time = 200h;
  CHECK_THROWS_WITH_AS(
      run_paced({job}, always(1ms)),
      "job.fio:3: job 'job': expected a start_delay, rate, thinktime and recorded times with which "
      "it ends within 100 days, found that it sleeps longer",
      InputError);
}

}  // namespace x25sim::test
