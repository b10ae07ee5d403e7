// Reports of results as fio's JSON, and what holds for all formats.
#include <chrono>
#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "sim/report/fio_json.hpp"
#include "sim/report/terse.hpp"
#include "sim/report/text.hpp"
#include "tests/report_fixture.hpp"

namespace x25sim::report {

namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

Json report_of(const backend::RunResult& result, bool json_plus = false) {
  ReportContext context = context_of(result);
  context.json_plus = json_plus;
  return Json::parse(fio_json(result, context));
}

// Checks that `ours` has every key of `fios`, with the same type of value and in the same order.
void check_same_schema(const Json& fios, const Json& ours, const std::string& path) {
  CAPTURE(path);
  CHECK(std::string{fios.type_name()} == ours.type_name());
  CHECK(fios.is_number_float() == ours.is_number_float());
  if (!fios.is_object() || !ours.is_object()) return;
  // Free of schema: whatever the job file says, and one key for each bucket in use.
  if (path.ends_with("options") || path.ends_with("bins")) return;
  std::vector<std::string> fio_keys;
  for (const auto& [key, value] : fios.items()) fio_keys.push_back(key);
  std::vector<std::string> our_keys;
  for (const auto& [key, value] : ours.items()) {
    if (fios.contains(key)) our_keys.push_back(key);
  }
  CHECK(fio_keys == our_keys);
  for (const std::string& key : our_keys) {
    check_same_schema(fios[key], ours[key], path + '/' + key);
  }
}

}  // namespace

TEST_CASE("JSON has every key of fio's, with the same types and order") {
  const auto output = fio_output("json+");
  if (!output) return;
  const Json fios = Json::parse(*output);
  const Json ours = report_of(mixed_result(), true);
  check_same_schema(fios, ours, "");
  REQUIRE(fios["jobs"].size() == 1);
  REQUIRE(ours["jobs"].size() == 1);
  check_same_schema(fios["jobs"][0], ours["jobs"][0], "/jobs/0");
}

TEST_CASE("JSON figures follow from the statistics") {
  const Json report = report_of(mixed_result());
  CHECK(report["fio version"] == "x25sim-1.2.3");
  CHECK(report["timestamp"] == 1'234'567'890);
  CHECK(report["timestamp_ms"] == 1'234'567'890'123);
  const Json& of_job = report["jobs"][0];
  CHECK(of_job["jobname"] == "mixed");
  CHECK(of_job["job options"]["rw"] == "randrw");
  CHECK(of_job["job_runtime"] == 2000);
  CHECK(of_job["elapsed"] == 2);
  const Json& reads = of_job["read"];
  CHECK(reads["total_ios"] == 1000);
  CHECK(reads["io_bytes"] == 4'096'000);
  CHECK(reads["io_kbytes"] == 4000);
  CHECK(reads["runtime"] == 2000);
  CHECK(reads["iops"] == 500.0);
  CHECK(reads["bw_bytes"] == 2'048'000);
  CHECK(reads["bw"] == 2000);
  CHECK(reads["clat_ns"]["min"] == 100'000);
  CHECK(reads["clat_ns"]["max"] == 1'099'000);
  CHECK(reads["clat_ns"]["mean"] == 599'500.0);
  CHECK(reads["clat_ns"]["N"] == 1000);
  CHECK(reads["clat_ns"]["percentile"].size() == 17);
  CHECK(reads["clat_ns"]["percentile"]["50.000000"].get<double>() ==
        doctest::Approx(599'000).epsilon(0.008));
  CHECK(reads["clat_ns"]["percentile"]["99.990000"] == 1'099'000);
  CHECK_FALSE(reads["clat_ns"].contains("bins"));
  CHECK_FALSE(reads["slat_ns"].contains("percentile"));
  // Four complete intervals of 500 ms with 250 requests each.
  CHECK(reads["bw_samples"] == 4);
  CHECK(reads["bw_min"] == 2000);
  CHECK(reads["bw_mean"] == 2000.0);
  CHECK(reads["bw_dev"] == 0.0);
  CHECK(reads["bw_agg"] == 100.0);
  CHECK(reads["iops_max"] == 500);
  CHECK(reads["iops_samples"] == 4);
}

TEST_CASE("JSON distributions are in percent of the job's requests") {
  const Json of_job = report_of(mixed_result())["jobs"][0];
  CHECK(of_job["iodepth_level"]["8"] == 100.0);
  CHECK(of_job["iodepth_level"]["4"] == 0.0);
  CHECK(of_job["iodepth_submit"]["4"] == 100.0);
  // 100 us to 249 us: 150 of 1000 values; 1000 us to 1099 us: 100.
  CHECK(of_job["latency_us"]["100"] == 0.0);
  CHECK(of_job["latency_us"]["250"] == 15.0);
  CHECK(of_job["latency_us"]["500"] == 25.0);
  CHECK(of_job["latency_us"]["1000"] == 25.0);
  CHECK(of_job["latency_ms"]["2"] == 10.0);
  CHECK(of_job["latency_ms"].size() == 12);
  CHECK(of_job["latency_depth"] == 8);
}

TEST_CASE("json+ adds the histogram's bins") {
  const Json reads = report_of(mixed_result(), true)["jobs"][0]["read"];
  std::uint64_t total = 0;
  for (const auto& [value, count] : reads["clat_ns"]["bins"].items()) {
    CHECK(std::stoll(value) > 0);
    total += count.get<std::uint64_t>();
  }
  CHECK(total == 1000);
}

TEST_CASE("JSON describes the drives") {
  const Json report = report_of(mixed_result())["x25sim"];
  CHECK(report["version"] == "1.2.3");
  CHECK(report["seed"] == 42);
  CHECK(report["interrupted"] == false);
  CHECK(report["config"]["nand"]["program_time"] == "900 us");
  CHECK(report["config"]["drive"]["sectors"] == "7200");
  CHECK(report["simulated_s"] == 2.0);
  CHECK(report["wall_s"] == 0.5);
  CHECK(report["flash_ops"] == 2735);
  CHECK(report["flash_ops_per_s"] == 10'940.0);
  CHECK_FALSE(report.contains("trace"));
  REQUIRE(report["drives"].size() == 1);
  const Json& drive = report["drives"][0];
  CHECK(drive["name"] == "test-drive");
  CHECK(drive["nand_program_pages"].dump() ==
        R"({"host":900,"gc":300,"wear":0,"metadata":25,"rmw":100})");
  CHECK(drive["nand_read_pages"]["host"] == 1000);
  CHECK(drive["write_amplification"].get<double>() == doctest::Approx(1.325));
  CHECK(drive["write_amplification_gc"].get<double>() == doctest::Approx(1.3));
  CHECK(drive["erase_count"]["stddev"] == 1.25);
  CHECK(drive["spare_factor"].get<double>() == doctest::Approx(0.1));
  CHECK(drive["spare_factor_effective"].get<double>() == doctest::Approx(0.55));
  CHECK(drive["over_provisioning"].get<double>() == doctest::Approx(1.0 / 9));
  CHECK(drive["over_provisioning_effective"].get<double>() == doctest::Approx(11.0 / 9));
  CHECK(drive["wear_factor"] == 2.0);
  CHECK(drive["wear_runs"] == 0);
  CHECK(drive["gc_pages"] == 1000);
  CHECK(drive["gc_valid_pages"] == 450);
  CHECK(drive["energy_j"].is_null());
  CHECK(drive["in_steady_state"] == false);
  CHECK(drive["busy"]["program_slots"] == 0.95);
  CHECK(drive["busy"]["firmware"] == 0.2);
  CHECK(drive["bound_by"] == "program_slots");
  CHECK_FALSE(drive.contains("config"));
  CHECK(drive["prepare"]["host_write_bytes"] == 4'096'000);
  CHECK_FALSE(drive["prepare"].contains("busy"));
}

TEST_CASE("JSON has theory's value with what it follows from, or the reason why there is none") {
  const backend::RunResult result = mixed_result();
  ReportContext context = context_of(result);
  const auto theory_of = [&] {
    return Json::parse(fio_json(result, context))["x25sim"]["drives"][0]["theory"];
  };
  CHECK(theory_of().is_null());
  context.drives[0].theory = model::no_theory("trims among the writes");
  CHECK(theory_of() ==
        Json{{"write_amplification_gc", nullptr}, {"reason", "trims among the writes"}});
  model::WorkloadTheory& theory = *context.drives[0].theory;
  theory = {};
  theory.write_amplification = 1.25;
  theory.formula = "fifo, uniform";
  theory.gc_pages = 1000;
  theory.valid_pages = 700;
  theory.spare_factor = 0.3;
  const Json json = theory_of();
  CHECK(json["write_amplification_gc"] == 1.25);
  CHECK(json["formula"] == "fifo, uniform");
  CHECK(json["gc_pages"] == 1000);
  CHECK(json["gc_valid_pages"] == 700);
  CHECK(json["spare_factor"] == 0.3);
  CHECK(json["pages_per_block"].is_null());
  CHECK(json["choices"].is_null());
  CHECK(json["relative_difference"] == doctest::Approx(0.04));
}

TEST_CASE("a drive that differs from the first one of an array says how") {
  backend::RunResult result = mixed_result();
  result.drives.push_back(written_drive());
  ReportContext context = context_of(result);
  context.drives[1].configuration[0].second = "3600";
  const Json report = Json::parse(fio_json(result, context))["x25sim"];
  CHECK(report["config"]["drive"]["sectors"] == "7200");
  CHECK_FALSE(report["drives"][0].contains("config"));
  CHECK(report["drives"][1]["config"]["drive"]["sectors"] == "3600");
  CHECK(report["drives"][1]["prepare"].is_null());
}

TEST_CASE("equal runs differ in the wall-clock fields only") {
  const backend::RunResult first = mixed_result();
  backend::RunResult second = mixed_result();
  second.wall_s = 77;
  second.timed_wall_s = 66;
  ReportContext later = context_of(second);
  later.wall_clock += 100h;
  Json a = report_of(first);
  Json b = Json::parse(fio_json(second, later));
  CHECK(a != b);
  for (const std::string_view field : wall_clock_fields) {
    const Json::json_pointer pointer{std::string{field}};
    CHECK(a.at(pointer) != b.at(pointer));
    a[pointer] = nullptr;
    b[pointer] = nullptr;
  }
  CHECK(a.dump() == b.dump());

  const std::string text_a = text_report(first, context_of(first));
  const std::string text_b = text_report(second, later);
  const auto before_last_line = [](const std::string& text) {
    return text.substr(0, text.rfind('\n', text.size() - 2));
  };
  CHECK(text_a != text_b);
  CHECK(before_last_line(text_a) == before_last_line(text_b));
  CHECK(terse_report(first, context_of(first)) == terse_report(second, later));
}

TEST_CASE("a replay reports its trace") {
  backend::RunResult result = mixed_result();
  result.trace.emplace();
  result.trace->counts.records = 5;
  result.trace->counts.last_ns = 18'446'744'073'709'551'615U;
  result.trace->counts.unique_4k_pages_written = 3;
  const Json trace = report_of(result)["x25sim"]["trace"];
  CHECK(trace["records"] == 5);
  CHECK(trace["last_ns"] == 18'446'744'073'709'551'615U);
  CHECK(trace["unique_4k_pages_written"] == 3);
  std::set<std::string> keys;
  for (const auto& [key, value] : trace.items()) keys.insert(key);
  CHECK(keys ==
        std::set<std::string>{"records",  "reads",     "writes",        "trims",
                              "flushes",  "other",     "bytes_read",    "bytes_written",
                              "first_ns", "last_ns",   "bytes_trimmed", "backward_steps",
                              "min_byte", "malformed", "max_end_byte",  "unique_4k_pages_written",
                              "issued",   "merged",    "refused",       "skipped",
                              "clipped",  "wrapped",   "scaled",        "expanded",
                              "clamped",  "waiting",   "passes",        "devices",
                              "notes"});
  CHECK(contains(text_report(result, context_of(result)), "records      : 5 = reads 0 +"));
}

TEST_CASE("an empty run has valid reports") {
  backend::RunResult result;
  result.jobs.push_back(mixed_job("empty", 0ns));
  result.drives.emplace_back();
  const std::string json = fio_json(result, context_of(result));
  check_no_undefined_number(json);
  const Json report = Json::parse(json);
  const Json& of_job = report["jobs"][0];
  for (const char* const direction : {"read", "write", "trim"}) {
    CHECK(of_job[direction]["iops"] == 0.0);
    CHECK(of_job[direction]["runtime"] == 0);
    CHECK_FALSE(of_job[direction]["clat_ns"].contains("percentile"));
  }
  CHECK(of_job["iodepth_level"]["1"] == 0.0);
  CHECK(report["x25sim"]["flash_ops_per_s"].is_null());
  CHECK(report["x25sim"]["drives"][0]["spare_factor"].is_null());
  CHECK(report["x25sim"]["drives"][0]["over_provisioning"].is_null());
  CHECK(report["x25sim"]["drives"][0]["over_provisioning_effective"].is_null());
  CHECK(report["x25sim"]["drives"][0]["wear_factor"].is_null());

  const std::string text = text_report(result, context_of(result));
  check_no_undefined_number(text);
  CHECK(contains(text, "n/a flash operations per second"));
  check_no_undefined_number(terse_report(result, context_of(result)));

  const backend::RunResult nothing;
  CHECK(Json::parse(fio_json(nothing, context_of(nothing)))["jobs"].empty());
  CHECK(text_report(nothing, context_of(nothing)).back() == '\n');
  CHECK(terse_report(nothing, context_of(nothing)).empty());
}

TEST_CASE("a run without host writes has no write amplification") {
  backend::RunResult result;
  result.jobs.push_back(mixed_job("reads", 1s));
  add_requests(result.jobs[0], read_direction, 10);
  result.drives.emplace_back();
  result.drives[0].counters.host_read = Bytes{40'960};
  // The firmware may program pages of its own all the same.
  result.drives[0].counters.ftl.programs[static_cast<std::size_t>(ftl::Cause::metadata)] = 3;
  const std::string json = fio_json(result, context_of(result));
  check_no_undefined_number(json);
  const Json drive = Json::parse(json)["x25sim"]["drives"][0];
  CHECK(drive["write_amplification"].is_null());
  CHECK(drive["write_amplification_gc"].is_null());
  const std::string text = text_report(result, context_of(result));
  check_no_undefined_number(text);
  CHECK(contains(text, "write ampl.  : n/a ="));
  CHECK(contains(text, "host=n/a, gc=n/a"));
  CHECK_FALSE(contains(text, "GC never ran"));
}

TEST_CASE("numbers that are not finite and text that is not UTF-8 leave the JSON valid") {
  backend::RunResult result = mixed_result();
  result.jobs[0].job.name = "caf\xe9 \"quoted\"";
  result.wall_s = std::numeric_limits<double>::quiet_NaN();
  result.timed_wall_s = std::numeric_limits<double>::denorm_min();
  result.drives[0].busy.link = std::numeric_limits<double>::infinity();
  result.drives[0].wear.mean = std::numeric_limits<double>::quiet_NaN();
  const Json report = report_of(result);
  CHECK(report["jobs"][0]["jobname"] == "caf\xef\xbf\xbd \"quoted\"");
  CHECK(report["x25sim"]["wall_s"].is_null());
  CHECK(report["x25sim"]["flash_ops_per_s"].is_null());
  CHECK(report["x25sim"]["drives"][0]["busy"]["link"].is_null());
  CHECK(report["x25sim"]["drives"][0]["erase_count"]["mean"].is_null());
}

TEST_CASE("an interrupted run says so") {
  backend::RunResult result = mixed_result();
  result.interrupted = true;
  CHECK(report_of(result)["x25sim"]["interrupted"] == true);
  CHECK(contains(text_report(result, context_of(result)), "Interrupted: "));
}

}  // namespace x25sim::report
