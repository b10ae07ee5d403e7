// Reports of results as text and in fio's terse format; timelines, tables and counters.
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <unistd.h>

#include "ftl/counters.hpp"
#include "nand/errors.hpp"
#include "sim/drive/counters.hpp"
#include "sim/report/endurance_report.hpp"
#include "sim/report/fio_json.hpp"
#include "sim/report/table.hpp"
#include "sim/report/terse.hpp"
#include "sim/report/text.hpp"
#include "sim/report/timeline.hpp"
#include "tests/report_fixture.hpp"

namespace x25sim::report {

namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

Json report_of(const backend::RunResult& result) {
  return Json::parse(fio_json(result, context_of(result)));
}

// A file that exists for one test.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_(std::filesystem::temp_directory_path() /
              ("x25sim_report_test_" + std::to_string(getpid()) + ".json")) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }
  std::string text() const {
    std::ostringstream text;
    text << std::ifstream{path_}.rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("trims have latencies, percentiles and a status line") {
  backend::RunResult result;
  result.jobs.push_back(mixed_job("trims", 1s));
  result.jobs[0].job.direction = workload::Direction::trim;
  result.jobs[0].job.random = false;
  add_requests(result.jobs[0], trim_direction, 100);
  const Json of_job = report_of(result)["jobs"][0];
  CHECK(of_job["trim"]["total_ios"] == 100);
  CHECK(of_job["trim"]["clat_ns"]["min"] == 100'000);
  CHECK(of_job["trim"]["clat_ns"]["percentile"]["99.990000"] == 199'000);
  CHECK(of_job["read"]["total_ios"] == 0);
  const std::string text = text_report(result, context_of(result));
  CHECK(contains(text, "trims: (g=0): rw=trim, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) "));
  CHECK(contains(text, "  trim: IOPS=100, BW=400KiB/s (410kB/s)(400KiB/1000msec)\n"));
  CHECK(contains(text, "    clat (usec): min=100, max=199, avg=149.50, stdev=29.01\n"));
  CHECK(contains(text, "issued rwts: total=0,0,100,0 short=0,0,0,0 dropped=0,0,0,0\n"));
  CHECK(contains(text,
                 "   TRIM: bw=400KiB/s (410kB/s), 400KiB/s-400KiB/s (410kB/s-410kB/s), "
                 "io=400KiB (410kB), run=1000-1000msec\n"));
}

TEST_CASE("flushes are fio's sync") {
  backend::RunResult result;
  result.jobs.push_back(mixed_job("flushes", 1s));
  result.jobs[0].statistics.flush.add(5ms);
  const Json sync = report_of(result)["jobs"][0]["sync"];
  CHECK(sync["total_ios"] == 1);
  CHECK(sync["lat_ns"]["max"] == 5'000'000);
  CHECK(sync["lat_ns"]["percentile"]["1.000000"] == 5'000'000);
  const std::string text = text_report(result, context_of(result));
  CHECK(contains(text, "  fsync/fdatasync/sync_file_range:\n    sync (nsec): min=5000.0k, "));
  CHECK(contains(text, "total=0,0,0,1 "));
}

TEST_CASE("text has fio's block for a job") {
  const backend::RunResult result = mixed_result();
  const std::string text = text_report(result, context_of(result));
  CHECK(contains(text,
                 "mixed: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, "
                 "ioengine=x25sim, iodepth=8\n"
                 "x25sim-1.2.3, seed 42\n"
                 "\n"
                 "mixed: (groupid=0, jobs=1): err= 0: pid=0: simulated\n"
                 "  read: IOPS=500, BW=2000KiB/s (2048kB/s)(4000KiB/2000msec)\n"
                 "    slat (nsec): min=500, max=500, avg=500.00, stdev= 0.00\n"
                 "    clat (usec): min=100, max=1099, avg=599.50, stdev=288.82\n"
                 "     lat (usec): min=100, max=1099, avg=600.00, stdev=288.82\n"
                 "    clat percentiles (usec):\n"
                 "     |  1.00th=[  110],  5.00th=["));
  CHECK(contains(text,
                 "     | 99.99th=[ 1099]\n"
                 "   bw (  KiB/s): min= 2000, max= 2000, per=100.00%, avg=2000.00, stdev= 0.00, "
                 "samples=4\n"
                 "   iops        : min=  500, max=  500, avg=500.00, stdev= 0.00, samples=4\n"
                 "  write: IOPS=500, BW="));
  CHECK(contains(text,
                 "  lat (usec)   : 250=15.00%, 500=25.00%, 750=25.00%, 1000=25.00%\n"
                 "  lat (msec)   : 2=10.00%\n"
                 "  IO depths    : 1=0.0%, 2=0.0%, 4=0.0%, 8=100.0%, 16=0.0%, 32=0.0%, "
                 ">=64=0.0%\n"));
  CHECK(contains(text,
                 "     issued rwts: total=1000,1000,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
                 "     latency   : target=0, window=0, percentile=100.00%, depth=8\n"
                 "\n"
                 "Run status group 0 (all jobs):\n"
                 "   READ: bw=2000KiB/s (2048kB/s), 2000KiB/s-2000KiB/s (2048kB/s-2048kB/s), "
                 "io=4000KiB (4096kB), run=2000-2000msec\n"));
}

TEST_CASE("text describes the drives with the definitions of their figures") {
  const backend::RunResult result = mixed_result();
  const std::string text = text_report(result, context_of(result));
  CHECK(contains(text, "Drive 0 (test-drive), measured for 2.000000 s of simulated time:\n"));
  CHECK(contains(text, "write ampl.  : 1.325 = bytes programmed / bytes written by the host\n"));
  CHECK(contains(text, "by cause   : host=0.900, gc=0.300, wear=0.000, metadata=0.025, rmw=0.100"));
  CHECK(contains(text, "of GC      : 1.300 = (host + rmw + gc) / (host + rmw), in pages\n"));
  CHECK(contains(
      text, "erase counts : min=1, max=9, avg=4.50, stdev=1.25; wear factor=2.000 = max / avg\n"));
  CHECK(contains(text, "10.0% = (T - U) / T with U = all user pages; 55.0% with U = in use\n"));
  CHECK(contains(text, "11.1% = (T - U) / U with U = all user pages; 122.2% with U = in use\n"));
  CHECK(contains(text, "busy         : program slots=95.0%, channels=50.0%, link=25.0%, "));
  CHECK(contains(text, "bound by     : program_slots\n"));
  CHECK(contains(text, "prepared     : filled: write=4000KiB (4096kB), "));
  CHECK(contains(
      text,
      "Simulated 2.000000 s, 2735 flash operations\n"
      "Wall-clock time 0.500 s, of it 0.250 s timed: 10.9k flash operations per second\n"));
  CHECK_FALSE(contains(text, "GC never ran"));
}

TEST_CASE("text has theory's value beside the simulated one, or the reason why there is none") {
  const backend::RunResult result = mixed_result();
  ReportContext context = context_of(result);
  CHECK_FALSE(contains(text_report(result, context), "theory"));
  context.drives[0].theory = model::no_theory("trims among the writes");
  CHECK(contains(text_report(result, context), "    theory     : none: trims among the writes\n"));
  model::WorkloadTheory& theory = *context.drives[0].theory;
  theory = {};
  theory.write_amplification = 1.25;
  theory.formula = "d-choices, uniform";
  theory.spare_factor = 0.0687;
  theory.pages_per_block = 128;
  theory.choices = 10;
  CHECK(contains(text_report(result, context),
                 "    theory     : 1.250 in steady state (d-choices, uniform; spare factor 6.9%, "
                 "b=128, d=10); simulated +4.0%\n"));
  // A run that wrote nothing has nothing to put theory beside.
  backend::RunResult idle = result;
  idle.drives[0].counters = {};
  CHECK_FALSE(contains(text_report(idle, context), "theory"));
}

TEST_CASE("text says whether a drive is in its steady state, and by what") {
  backend::RunResult result = mixed_result();
  const auto line = [&result] {
    const std::string text = text_report(result, context_of(result));
    const std::size_t begin = text.find("  steady state : ");
    REQUIRE(begin != std::string::npos);
    return text.substr(begin + 17, text.find('\n', begin) - begin - 17);
  };
  drive::SteadyState& steady = result.drives[0].steady;
  steady.rounds = 3;
  CHECK(line() ==
        "no (it takes 5 rounds of 0.2 drive writes with GC in each, after 2 drive writes; so far "
        "3)");
  steady.rounds = 5;
  steady.window = {.average = 5, .range = 0.25, .slope = -0.05, .excursion = 0.2, .steady = true};
  const std::string judged =
      "(write amplification of the last 5 rounds of 0.2 drive writes within ";
  CHECK(line() == "yes " + judged + "5.0%, drift 4.0%)");
  CHECK(report_of(result)["x25sim"]["drives"][0]["in_steady_state"] == true);
  steady.spare_range = 0.5;
  CHECK(line() == "no " + judged +
                      "5.0%, drift 4.0%, spare area within 50.0%; steady are 20.0% "
                      "and 10.0%)");
  steady.spare_range = 0;
  steady.window->excursion = 0.6;
  steady.window->steady = false;
  CHECK(line() == "no " + judged + "5.0%, drift 12.0%; steady are 20.0% and 10.0%)");
  CHECK(report_of(result)["x25sim"]["drives"][0]["in_steady_state"] == false);
}

TEST_CASE("a workload too short for GC is not passed off as steady") {
  backend::RunResult result = mixed_result();
  result.drives[0].counters.ftl.gc_runs = 0;
  CHECK(contains(text_report(result, context_of(result)),
                 "GC never ran: write amplification is not in steady state\n"));
}

TEST_CASE("jobs of a group share its bandwidth, groups follow one another") {
  backend::RunResult result;
  for (const char* const name : {"a", "b", "c"}) result.jobs.push_back(mixed_job(name, 2s));
  result.jobs[2].job.group = 1;
  result.jobs[2].job.report_group = 1;
  add_requests(result.jobs[0], read_direction, 1000);
  add_requests(result.jobs[1], read_direction, 3000);
  add_requests(result.jobs[2], write_direction, 1000);
  const Json jobs = report_of(result)["jobs"];
  CHECK(jobs[0]["read"]["bw_agg"].get<double>() == doctest::Approx(25));
  CHECK(jobs[1]["read"]["bw_agg"].get<double>() == doctest::Approx(75));
  CHECK(jobs[2]["groupid"] == 1);
  const std::string text = text_report(result, context_of(result));
  CHECK(contains(text,
                 "Run status group 0 (all jobs):\n"
                 "   READ: bw=8000KiB/s (8192kB/s), 2000KiB/s-6000KiB/s (2048kB/s-6144kB/s), "
                 "io=15.6MiB (16.4MB), run=2000-2000msec\n"
                 "\n"
                 "Run status group 1 (all jobs):\n"
                 "  WRITE: bw=2000KiB/s"));
}

TEST_CASE("terse has as many fields as fio's version 3") {
  const backend::RunResult result = mixed_result();
  const std::string ours = terse_report(result, context_of(result));
  CHECK(ours.starts_with("3;x25sim-1.2.3;mixed;0;0;4000;2000;500;2000;0;0;0.500000;0.000000;100;"));
  CHECK(std::count(ours.begin(), ours.end(), '\n') == 1);
  // The field list of fio's manual, without the nine fields of a disk.
  const auto fields = std::count(ours.begin(), ours.end(), ';') + 1;
  CHECK(fields == 121);
  const auto fios = fio_output("terse");
  if (!fios) return;
  // Warnings, if any, come first.
  const std::string line = fios->substr(fios->find("3;fio-"));
  CHECK(fields == std::count(line.begin(), line.end(), ';') + 1);
}

TEST_CASE("a timeline is valid JSON with exact times") {
  const TemporaryFile file;
  {
    TimelineWriter timeline{file.path()};
    timeline.on_span({.resource = drive::Resource::die,
                      .number = 3,
                      .what = "read",
                      .start = Time{1'234'567ns},
                      .duration = 107'850ns,
                      .detail = 99});
    timeline.span({drive::Resource::link, 0}, "a \"quoted\" \\ name\n", Time{5ns}, 0ns);
    timeline.span({drive::Resource::die, 3}, "erase", Time{9'007'199'254'740'993ns}, 1ns);
    timeline.close();
  }
  const std::string text = file.text();
  CHECK(contains(text, R"("ts":1234.567,"dur":107.850)"));
  CHECK(contains(text, R"("ts":0.005,"dur":0.000)"));
  CHECK(contains(text, R"("ts":9007199254740.993,"dur":0.001)"));
  const Json events = Json::parse(text)["traceEvents"];
  // Two tracks with name and position, three spans.
  REQUIRE(events.size() == 7);
  CHECK(events[0]["ph"] == "M");
  CHECK(events[0]["args"]["name"] == "die 3");
  CHECK(events[2]["ph"] == "X");
  CHECK(events[2]["tid"] == events[0]["tid"]);
  CHECK(events[2]["args"]["detail"] == 99);
  CHECK(events[3]["args"]["name"] == "link");
  CHECK(events[5]["name"] == "a \"quoted\" \\ name\n");
  CHECK(events[6]["tid"] == events[0]["tid"]);
}

TEST_CASE("a timeline of a run that stops early is complete JSON") {
  const TemporaryFile file;
  constexpr int spans = 10'000;
  {
    TimelineWriter timeline{file.path()};
    for (int i = 0; i < spans; ++i) {
      timeline.span({drive::Resource::channel, 0}, "transfer", Time{i * 1us}, 1us);
    }
  }
  CHECK(Json::parse(file.text())["traceEvents"].size() == spans + 2);
  { const TimelineWriter empty{file.path()}; }
  CHECK(Json::parse(file.text())["traceEvents"].empty());
}

TEST_CASE("a timeline that can't be written is an error of the system") {
  CHECK_THROWS_WITH_AS(
      TimelineWriter{"/nonexistent/timeline.json"},
      doctest::Contains("/nonexistent/timeline.json: can't write the timeline: No"), SystemError);
  if (!std::filesystem::exists("/dev/full")) return;
  TimelineWriter full{"/dev/full"};
  CHECK_THROWS_AS(full.close(), SystemError);
}

TEST_CASE("tables align their columns") {
  Table table{{{"drive"}, {"IOPS", Align::right}, {"note"}}};
  table.add_row({"x25-v-40", "35000", "±1 %"});
  table.add_row({"x", "9", ""});
  CHECK(table.text() ==
        "drive      IOPS  note\n"
        "--------  -----  ----\n"
        "x25-v-40  35000  ±1 %\n"
        "x             9\n");
  CHECK(Table{{{"a"}}}.text() == "a\n-\n");
}

TEST_CASE("differences of counters are those of their parts") {
  drive::Counters earlier;
  earlier.host_write = Bytes{10};
  earlier.ftl.programs[0] = 5;
  earlier.link_busy = 3ns;
  drive::Counters later = written_drive().counters;
  later.link_busy = 10ns;
  const drive::Counters difference = later - earlier;
  CHECK(difference.host_write == Bytes{4'095'990});
  CHECK(difference.ftl.programs_of(ftl::Cause::host) == 895);
  CHECK(difference.link_busy == 7ns);
  CHECK(difference.commands == 2000);
  CHECK(later.ftl.program_total() == 1325);
  CHECK(later.ftl.read_total() == 1400);
  CHECK(later.flash_operations() == 1325 + 1400 + 10);
}

TEST_CASE("a run is bound by the resource nearest to its limit") {
  CHECK(name(drive::bound_by({})) == "queue_depth");
  CHECK(name(drive::bound_by({.channels = 0.89, .link = 0.7})) == "queue_depth");
  CHECK(name(drive::bound_by({.channels = 0.9})) == "channels");
  CHECK(name(drive::bound_by({.channels = 0.9, .dies = 0.95})) == "channels");
  CHECK(name(drive::bound_by({.channels = 0.7, .dies = 0.9, .write_buffer = 1})) == "dies");
  CHECK(name(drive::bound_by({.dies = 0.7, .write_buffer = 0.9})) == "write_buffer");
  CHECK(name(drive::bound_by({.dies = 0.7}, true)) == "arrivals");
  CHECK(name(drive::bound_by({.program_slots = 0.92, .link = 0.95})) == "link");
  CHECK(name(drive::bound_by({.link = 0.92, .firmware_back = 0.95})) == "firmware");
}

TEST_CASE("a life that was interrupted before it began has a valid report") {
  backend::EnduranceResult result;
  result.jobs = {"caf\xe9", "b"};
  result.capacity = Bytes{1'000'000};
  result.raw = Bytes{1'200'000};
  result.rated_cycles = 5000;
  result.interrupted = true;
  ReportContext context = context_of(mixed_result());
  const std::string json = endurance_json(result, context);
  check_no_undefined_number(json);
  const Json report = Json::parse(json);
  CHECK(report["interrupted"] == true);
  CHECK(report["host_written_bytes"] == 0);
  CHECK(report["theory"].is_null());
  for (const char* const undefined :
       {"write_amplification", "write_amplification_gc", "wear_factor", "cycles_formula",
        "lifetime_formula_bytes", "lifetime_formula_relative_difference"}) {
    CAPTURE(undefined);
    CHECK(report[undefined].is_null());
  }
  const std::string text = endurance_text(result, context);
  check_no_undefined_number(text);
  CHECK(contains(text, "Interrupted: what follows is what had been reached so far.\n"));
  CHECK(contains(text, "  end of life  : not reached; complete passes=0\n"));
  CHECK(contains(text, "    lifetime   : n/a = raw bytes x 5000 cycles / "));
}

}  // namespace x25sim::report
