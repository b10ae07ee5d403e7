// group_reporting and unified_rw_reporting: what reports say of jobs and directions together.
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/fio_json.hpp"
#include "sim/report/terse.hpp"
#include "sim/report/text.hpp"
#include "tests/report_fixture.hpp"

namespace x25sim::report {

using namespace std::chrono_literals;
using Json = nlohmann::json;
using workload::UnifiedReporting;

namespace {

// Two jobs of 1 s and 2 s with 1000 reads and 500 writes each.
backend::RunResult two_jobs() {
  backend::RunResult result = mixed_result();
  result.jobs = {mixed_job("first", 1s), mixed_job("second", 2s)};
  for (backend::JobResult& job : result.jobs) {
    add_requests(job, read_direction, 1000);
    add_requests(job, write_direction, 500);
    job.statistics.outcome.generated = job.statistics.outcome.completed = 1500;
    job.job.group_reporting = true;
  }
  return result;
}

Json json_of(const backend::RunResult& result) {
  return Json::parse(fio_json(result, context_of(result)));
}

Json keys_of(const Json& object) {
  Json keys = Json::array();
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

}  // namespace

TEST_CASE("group_reporting merges the jobs of a group into one entry") {
  backend::RunResult result = two_jobs();
  const Json report = json_of(result);
  REQUIRE(report["jobs"].size() == 1);
  const Json& job = report["jobs"][0];
  CHECK(job["jobname"] == "first");
  CHECK(job["job_runtime"] == 3000);  // as fio: of all jobs together
  CHECK(job["read"]["total_ios"] == 2000);
  CHECK(job["read"]["runtime"] == 2000);
  CHECK(job["read"]["iops"] == 1000.0);  // in the longest of the run times
  CHECK(job["read"]["clat_ns"]["N"] == 2000);
  CHECK(job["read"]["clat_ns"]["mean"] == 599'500.0);
  // Intervals of 500 requests each in the first job, of 250 in the second: means add up.
  CHECK(job["read"]["iops_samples"] == 6);
  CHECK(job["read"]["iops_mean"] == 1500.0);
  CHECK(job["iodepth_level"]["8"] == 100.0);
  CHECK(report["x25sim"]["jobs"][0]["generated"] == 3000);
  CHECK(report["x25sim"]["jobs"][0]["completed"] == 3000);

  const std::string text = text_report(result, context_of(result));
  CHECK(contains(text, "\nfirst: (groupid=0, jobs=2): err= 0:"));
  CHECK_FALSE(contains(text, "\nsecond: (groupid=0, jobs"));
  CHECK(contains(text, "issued rwts: total=2000,1000,0,0"));
  const std::string terse = terse_report(result, context_of(result));
  CHECK(std::count(terse.begin(), terse.end(), '\n') == 1);

  result.jobs[1].job.report_group = 1;
  CHECK(json_of(result)["jobs"].size() == 2);
  result.jobs[1].job.report_group = 0;
  result.jobs[1].job.group_reporting = false;
  CHECK(json_of(result)["jobs"].size() == 2);
}

TEST_CASE("A50: the combined row of a job that only reads is that of its reads") {
  backend::RunResult result = mixed_result();
  result.jobs = {mixed_job("reads", 2s)};
  add_requests(result.jobs[0], read_direction, 1000);
  for (const UnifiedReporting unified : {UnifiedReporting::none, UnifiedReporting::both}) {
    result.jobs[0].job.unified_rw_reporting = unified;
    const Json job = json_of(result)["jobs"][0];
    if (unified == UnifiedReporting::none) {
      CHECK_FALSE(job.contains("mixed"));
      continue;
    }
    CHECK(job["mixed"] == job["read"]);
    CHECK(job["mixed"]["total_ios"] == 1000);
    const std::string text = text_report(result, context_of(result));
    const auto rows = [&text](const std::string& name) {
      const std::size_t begin = text.find("  " + name + ": IOPS");
      REQUIRE(begin != std::string::npos);
      const std::size_t line = text.find('\n', begin);
      return text.substr(begin + 4 + name.size(), line - begin);
    };
    CHECK(rows("read").substr(0, 30) == rows("mixed").substr(0, 30));
  }
}

TEST_CASE("unified_rw_reporting adds the directions up") {
  backend::RunResult result = two_jobs();
  result.jobs.pop_back();
  const Json apart = json_of(result)["jobs"][0];
  result.jobs[0].job.unified_rw_reporting = UnifiedReporting::mixed;
  const Json job = json_of(result)["jobs"][0];
  for (const char* const key : {"read", "write", "trim", "sync"}) CHECK_FALSE(job.contains(key));
  const Json& mixed = job["mixed"];
  CHECK(mixed["total_ios"] == 1500);
  CHECK(mixed["iops"] == 1500.0);
  CHECK(mixed["io_bytes"] == 1500 * 4096);
  CHECK(mixed["clat_ns"]["N"] == 1500);
  CHECK(mixed["iops_mean"] ==
        apart["read"]["iops_mean"].get<double>() + apart["write"]["iops_mean"].get<double>());
  const std::string text = text_report(result, context_of(result));
  CHECK(contains(text, "  mixed: IOPS=1500, "));
  CHECK(contains(text, "  MIXED: bw="));
  CHECK_FALSE(contains(text, "   READ: bw="));
  for (const auto& [unified, blocks] : {std::pair{UnifiedReporting::mixed, 1},
                                        {UnifiedReporting::none, 2},
                                        {UnifiedReporting::both, 3}}) {
    result.jobs[0].job.unified_rw_reporting = unified;
    const std::string terse = terse_report(result, context_of(result));
    // Fields of fio's version 3 line: 5 before, 41 for each direction, 41 behind.
    CHECK(std::count(terse.begin(), terse.end(), ';') + 1 == 5 + 41 * blocks + 34);
  }
}

TEST_CASE("entries have the keys that fio gives them") {
  for (const auto& [option, unified] : {std::pair{"none", UnifiedReporting::none},
                                        {"mixed", UnifiedReporting::mixed},
                                        {"both", UnifiedReporting::both}}) {
    CAPTURE(option);
    const auto output =
        fio_output(std::string("json --group_reporting --unified_rw_reporting=") + option);
    if (!output) return;
    const Json of_fio = Json::parse(*output)["jobs"][0];
    backend::RunResult result = two_jobs();
    for (backend::JobResult& job : result.jobs) job.job.unified_rw_reporting = unified;
    const Json own = json_of(result)["jobs"][0];
    CHECK(keys_of(own) == keys_of(of_fio));
    if (unified != UnifiedReporting::none) {
      CHECK(keys_of(own["mixed"]) == keys_of(of_fio["mixed"]));
    }
  }
}

TEST_CASE(
    "a latency target and its outcome are reported in fio's units, an error with its reason") {
  backend::RunResult result = mixed_result();
  result.jobs[0].job.latency_target = {.target = 2ms, .window = 5s, .percentile = 99.5};
  result.jobs[0].statistics.outcome.latency_depth = 5;
  result.jobs[0].statistics.outcome.failure = {110, "max latency exceeded", "mixed: too slow"};
  const Json report = json_of(result);
  const Json& job = report["jobs"][0];
  CHECK(job["latency_target"] == 2'000'000);
  CHECK(job["latency_window"] == 5'000'000);
  CHECK(job["latency_percentile"] == 99.5);
  CHECK(job["latency_depth"] == 5);
  CHECK(job["error"] == 110);
  CHECK(report["x25sim"]["jobs"][0]["failure"] == "mixed: too slow");
  const std::string text = text_report(result, context_of(result));
  CHECK(contains(text,
                 "     latency   : target=2000000, window=5000000, percentile=99.50%, depth=5\n"));
  CHECK(contains(text, "err=110 (func=max latency exceeded, error=Connection timed out): pid"));
}

}  // namespace x25sim::report
