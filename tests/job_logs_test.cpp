// Logs of jobs: their format is that of the logs that fio itself writes, their content that of the
// run.
#include "sim/report/job_logs.hpp"

#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "tests/pace_device.hpp"
#include "tests/program.hpp"

namespace x25sim::test {

namespace {

using namespace std::chrono_literals;
using workload::Direction;
using workload::Job;
using workload::Operation;

class LogFolder {
 public:
  std::string path(const std::string& name) const { return folder_.file(name); }

  std::vector<std::string> lines(const std::string& name) const {
    std::ifstream file(path(name));
    REQUIRE_MESSAGE(file.good(), name);
    std::vector<std::string> result;
    for (std::string line; std::getline(file, line);) result.push_back(line);
    return result;
  }

 private:
  TemporaryFolder folder_;
};

Job logging(Job job, const std::string& name) {
  job.logs.bandwidth = job.logs.latency = job.logs.iops = name;
  return job;
}

PacedRun run_logged(const std::vector<Job>& jobs, Duration service) {
  report::JobLogFiles files(jobs, "a drive", 0ms);
  PacedRun run = run_paced(jobs, always(service), false, files.observer(jobs[0]));
  files.close();
  return run;
}

std::vector<std::uint64_t> columns(const std::string& line) {
  std::istringstream stream(std::regex_replace(line, std::regex(","), ""));
  std::vector<std::uint64_t> result;
  for (std::uint64_t value = 0; stream >> value;) result.push_back(value);
  return result;
}

// A line with its numbers replaced: what is left is the format. Words stay.
std::string shape(const std::string& line) {
  return std::regex_replace(line, std::regex("[0-9]+"), "N");
}

constexpr const char* kinds[]{"bw", "iops", "lat", "slat", "clat"};

}  // namespace

TEST_CASE("logs have the names and the lines that fio gives them") {
  const LogFolder folder;
  for (const bool offsets : {false, true}) {
    CAPTURE(offsets);
    const std::string name = folder.path("fio");
    const std::string command =
        "cd " + folder.path("") +
        " && fio --name=job --ioengine=null --size=64k --bs=4k --rw=randrw --iodepth=4 "
        "--write_bw_log=fio --write_lat_log=fio --write_iops_log=fio --log_offset=" +
        (offsets ? "1" : "0") + " >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0) {
      MESSAGE("skipped: fio is not installed");
      return;
    }
    Job job = logging(paced_job(Direction::mixed, 4), folder.path("own"));
    job.number_ios = 16;
    job.logs.offsets = offsets;
    run_logged({job}, 100us);
    for (const std::string kind : kinds) {
      CAPTURE(kind);
      const auto of_fio = folder.lines("fio_" + kind + ".1.log");
      const auto own = folder.lines("own_" + kind + ".1.log");
      REQUIRE(of_fio.size() == 16);
      REQUIRE(own.size() == 16);
      for (const std::string& line : own) CHECK(shape(line) == shape(of_fio[0]));
      CHECK(columns(own[0])[3] == columns(of_fio[0])[3]);
    }
  }
}

TEST_CASE("logs of single requests say what the statistics say") {
  const LogFolder folder;
  Job job = logging(paced_job(Direction::mixed, 3), folder.path("own"));
  job.number_ios = 500;
  job.logs.offsets = true;
  job.batches.complete_min = 2;
  const PacedRun run = run_logged({job}, 1500us);
  std::uint64_t bytes[3]{};
  std::uint64_t total_ns = 0;
  std::uint64_t last_ms = 0;
  const auto latencies = folder.lines("own_clat.1.log");
  for (const std::string& line : latencies) {
    const auto values = columns(line);
    total_ns += values[1];
    bytes[values[2]] += values[3];
    CHECK(values[4] % 4096 == 0);
    CHECK(values[0] >= last_ms);
    last_ms = values[0];
  }
  CHECK(latencies.size() == 500);
  double expected_ns = 0;
  for (std::size_t direction = 0; direction < 3; ++direction) {
    const auto& statistics = run.jobs[0].direction[direction];
    CHECK(bytes[direction] == statistics.bytes.count);
    expected_ns +=
        statistics.completion.mean_ns() * static_cast<double>(statistics.completion.count());
  }
  CHECK(static_cast<double>(total_ns) == doctest::Approx(expected_ns).epsilon(1e-12));
  CHECK(last_ms == static_cast<std::uint64_t>((run.end - Time{}) / 1ms));
  // fio's kB/s of a request: 4096 bytes in 1.5 ms.
  CHECK(columns(folder.lines("own_bw.1.log")[0])[1] == 2730);
  CHECK(columns(folder.lines("own_iops.1.log")[0])[1] == 1);
}

TEST_CASE("log_avg_msec averages, and the rates of its intervals add up to the run") {
  const LogFolder folder;
  Job job = logging(timed_job(Direction::mixed, 2250ms), folder.path("own"));
  job.logs.average = 500ms;
  const PacedRun run = run_logged({job}, 1ms);
  for (const auto& [kind, unit] : {std::pair{std::string("bw"), 1024.0}, {"iops", 1.0}}) {
    double sums[3]{};
    double begin[3]{};
    for (const std::string& line : folder.lines("own_" + kind + ".1.log")) {
      const auto values = columns(line);
      const auto end = static_cast<double>(values[0]);
      sums[values[2]] += static_cast<double>(values[1]) * unit * (end - begin[values[2]]) / 1000;
      begin[values[2]] = end;
      CHECK(values[3] == 0);  // as fio: an interval has no block size
    }
    for (const std::size_t direction : {0u, 1u}) {
      const auto& statistics = run.jobs[0].direction[direction];
      const bool bytes = unit > 1;
      const auto expected =
          static_cast<double>(bytes ? statistics.bytes.count : statistics.requests);
      // Each of the five intervals is rounded down to a unit per second.
      CHECK(sums[direction] <= expected);
      CHECK(sums[direction] >= expected - 5 * unit);
    }
  }
  for (const std::string& line : folder.lines("own_clat.1.log")) {
    CHECK(columns(line)[1] == 1'000'000);
  }
}

TEST_CASE("log_max_value writes the largest value of each interval") {
  const LogFolder folder;
  Job job = paced_job(Direction::read);
  job.number_ios = 100;
  job.logs.latency = folder.path("own");
  job.logs.average = 1s;
  const auto value = [&](bool maximum) {
    job.logs.maximum = maximum;
    report::JobLogFiles files({job}, "drive", 0ms);
    std::uint64_t count = 0;
    run_paced(
        {job},
        [&count](const workload::Request&) -> Duration { return ++count % 4 == 0 ? 5ms : 1ms; },
        false, files.observer(job));
    files.close();
    return columns(folder.lines("own_clat.1.log").at(0))[1];
  };
  CHECK(value(true) == 5'000'000);
  CHECK(value(false) == 2'000'000);
}

TEST_CASE("jobs have logs of their own, or share one, but never an iolog") {
  const LogFolder folder;
  Job first = logging(paced_job(Direction::read), folder.path("own"));
  Job second = first;
  second.name = "second";
  second.number = 1;
  second.where = {"job.fio", 7};
  report::JobLogFiles({first, second}, "drive", 0ms).close();
  CHECK(folder.lines("own_bw.1.log").empty());
  CHECK(folder.lines("own_bw.2.log").empty());
  first.logs.per_job = second.logs.per_job = false;
  report::JobLogFiles({first, second}, "drive", 0ms).close();
  CHECK(folder.lines("own_bw.log").empty());
  first.logs.iolog = second.logs.iolog = folder.path("io");
  CHECK_THROWS_WITH_AS(report::JobLogFiles({first, second}, "drive", 0ms),
                       ("job.fio:7: job 'second': expected a log of its own, found '" +
                        folder.path("io") + "', which is the write_iolog of job job")
                           .c_str(),
                       InputError);
  first.logs.iolog = folder.path("missing/io");
  CHECK_THROWS_AS(report::JobLogFiles({first}, "drive", 0ms), SystemError);
}

TEST_CASE("A39: an iolog has the times of issue, and fio replays it") {
  const LogFolder folder;
  Job job = paced_job(Direction::mixed);
  job.where = {"job.fio", 1};
  job.number_ios = 20;
  job.size = Bytes{1 << 20};
  job.rate.requests_per_s = {1000, 1000, 0};
  job.durability.at_end = true;
  job.logs.iolog = folder.path("io");
  const PacedRun run = run_logged({job}, 100us);
  const auto lines = folder.lines("io");
  REQUIRE(lines.size() == 25);
  CHECK(lines[0] == "fio version 3 iolog");
  CHECK(lines[1] == "0 a_drive add");
  CHECK(lines[2] == "0 a_drive open");
  for (std::size_t i = 0; i < 20; ++i) {
    const ServiceDevice::Command& command = run.commands[i];
    CHECK(lines[3 + i] == std::to_string((command.arrival - Time{}) / 1us) + " a_drive " +
                              std::string(workload::name(command.request.operation)) + ' ' +
                              std::to_string(command.request.offset.count) + " 4096");
  }
  CHECK(lines[23].ends_with(" a_drive sync 0 0"));
  CHECK(lines[24].ends_with(" a_drive close"));

  const std::string command =
      "cd " + folder.path("") +
      " && fio --name=replay --ioengine=null --read_iolog=io --output-format=terse "
      "--terse-version=3 2>&1 > out";
  if (std::system("fio --version > /dev/null 2>&1") != 0) return;
  CHECK(std::system(command.c_str()) == 0);
  // Fields 6 and 47 of fio's line: KiB read and written.
  std::istringstream fields(folder.lines("out").at(0));
  std::vector<std::string> values;
  for (std::string field; std::getline(fields, field, ';');) values.push_back(field);
  CHECK(values.at(5) == std::to_string(run.requests(0) * 4));
  CHECK(values.at(46) == std::to_string(run.requests(1) * 4));
}

}  // namespace x25sim::test
