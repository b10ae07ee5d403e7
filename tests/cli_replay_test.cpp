// Replays through the program: what becomes of every record, and when it is issued.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/cli_fixture.hpp"
#include "tests/trace_fixture.hpp"

using namespace x25sim::test;

namespace {

Json replay_on(const Words& drive, const std::string& format, const std::string& trace,
               const Words& options = {}) {
  return run_json(Words{"replay"} + drive + Words{"--format", format, trace} + options);
}

// Replays a trace of one's own on the small drive of 32,000 sectors.
Json replay(const std::string& format, const std::string& text, const Words& options = {}) {
  const TemporaryFolder folder;
  return replay_on(small_drive(), format, folder.write("a.trace", text), options);
}

// That each record went one way, and that what was issued was also completed.
void check_records(const Json& report) {
  const Json& trace = report.at("x25sim").at("trace");
  const auto count = [&trace](const char* key) { return trace.at(key).get<std::uint64_t>(); };
  CHECK(count("issued") + count("skipped") + count("refused") + count("merged") ==
        count("records"));
  CHECK(count("reads") + count("writes") + count("trims") + count("flushes") + count("other") ==
        count("records"));
  if (count("clipped") + count("skipped") > 0) return;
  const Json& job = report.at("jobs").at(0);
  CHECK(job["read"]["io_bytes"] == count("bytes_read"));
  CHECK(job["write"]["io_bytes"] == count("bytes_written"));
  CHECK(job["trim"]["io_bytes"] == count("bytes_trimmed"));
}

// The row of the table of expected counts for `trace`: column to value.
std::map<std::string, std::string> expected_row(const std::filesystem::path& folder,
                                                const std::string& trace) {
  std::ifstream file(folder / "GOLDEN.tsv");
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    if (names.empty()) names = cells;
    if (cells.front() != trace) continue;
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[names.at(i)] = cells[i];
    return row;
  }
  FAIL("no row for " << trace);
  return {};
}

void check_expected(const Json& trace, std::map<std::string, std::string> row) {
  const std::map<std::string, std::string> column_of{
      {"first_ns", "first_ts_ns"},
      {"last_ns", "last_ts_ns"},
      {"unique_4k_pages_written", "uniq_4k_pages_written"}};
  for (const char* const key :
       {"records", "reads", "writes", "trims", "bytes_read", "bytes_written", "bytes_trimmed",
        "first_ns", "last_ns", "backward_steps", "min_byte", "max_end_byte",
        "unique_4k_pages_written"}) {
    CAPTURE(key);
    const auto column = column_of.find(key);
    const std::string& expected = row.at(column == column_of.end() ? key : column->second);
    CHECK(trace.at(key) == std::stoull(expected));
  }
  CHECK(trace["flushes"].get<std::uint64_t>() + trace["other"].get<std::uint64_t>() ==
        std::stoull(row.at("other")));
}

void check_real_trace(const std::string& format, const std::string& name, const Words& options) {
  const std::filesystem::path folder = x25sim::trace::real_traces();
  if (folder.empty()) return;
  const Json report = replay_on({"-d", "x25-m-g2-80"}, format, (folder / name).string(), options);
  check_records(report);
  check_expected(report["x25sim"]["trace"], expected_row(folder, name));
  CHECK(report["jobs"][0]["jobname"] == name);
}

}  // namespace

TEST_CASE("a real MQSim trace is replayed record by record, and wrapped where it does not fit") {
  check_real_trace("mqsim", "mqsim_tpcc-small.trace", {"--out-of-range", "wrap"});
}

TEST_CASE("a real MSR trace is replayed record by record") {
  check_real_trace("msr", "excerpt_msr_mds_0.csv", {});
}

TEST_CASE("A37: reads, writes and trims of an MQSim trace each arrive as what they are") {
  const Json report = replay("mqsim", "0 0 0 16 0\n5000000 0 0 8 1\n9000000 0 8 8 2\n");
  check_records(report);
  const Json& trace = report["x25sim"]["trace"];
  CHECK(trace["reads"] == 1);
  CHECK(trace["writes"] == 1);
  CHECK(trace["trims"] == 1);
  CHECK(drive_of(report)["host_trim_bytes"] == 4096);
  CHECK(drive_of(report)["valid_pages"] == 1);
  CHECK(report["jobs"][0]["trim"]["total_ios"] == 1);

  const Json trims = replay("mqsim", "0 0 0 16 2\n1 0 800 64 2\n");
  check_records(trims);
  CHECK(trims["jobs"][0]["trim"]["total_ios"] == 2);
  CHECK(trims["jobs"][0]["trim"]["clat_ns"]["min"] > 0);
}

TEST_CASE("an MSR trace counts bytes, and its times are units of 100 ns") {
  const Json report = replay("msr",
                             "128166372003061629,host,0,Write,4096,8192,100\n"
                             "128166372013061629,host,0,Read,4096,512,100\n");
  check_records(report);
  CHECK(report["x25sim"]["trace"]["bytes_written"] == 8192);
  CHECK(report["x25sim"]["trace"]["bytes_read"] == 512);
  CHECK(report["x25sim"]["simulated_s"] >= 1.0);
  CHECK(report["x25sim"]["simulated_s"] < 1.01);
}

TEST_CASE("A25: addresses are sectors of 512 bytes, eight to a page") {
  const Json report = replay("mqsim", "0 0 8 1 0\n5000000 0 8 1 1\n9000000 0 0 8 1\n");
  CHECK(drive_of(report)["valid_pages"] == 1);
  CHECK(drive_of(report)["nand_read_pages"]["host"] == 1);
  CHECK(drive_of(report)["unmapped_read_pages"] == 1);
  CHECK(report["x25sim"]["trace"]["min_byte"] == 0);
  CHECK(report["x25sim"]["trace"]["max_end_byte"] == 9 * 512);
}

TEST_CASE("records beyond the drive are wrapped, clipped or skipped, and counted") {
  // Within, across the end, beyond.
  const std::string text = "0 0 0 8 0\n1000 0 31992 16 0\n2000 0 64008 8 0\n";
  const Json wrapped = replay("mqsim", text, {"--out-of-range", "wrap"});
  check_records(wrapped);
  CHECK(wrapped["x25sim"]["trace"]["wrapped"] == 2);
  CHECK(wrapped["x25sim"]["trace"]["issued"] == 3);
  CHECK(drive_of(wrapped)["host_write_bytes"] == 4 * 4096);
  CHECK(drive_of(wrapped)["valid_pages"] == 3);

  const Json clipped = replay("mqsim", text, {"--out-of-range", "clip"});
  check_records(clipped);
  CHECK(clipped["x25sim"]["trace"]["clipped"] == 1);
  CHECK(clipped["x25sim"]["trace"]["skipped"] == 1);
  CHECK(drive_of(clipped)["host_write_bytes"] == 2 * 4096);

  const Json skipped = replay("mqsim", text, {"--out-of-range", "skip"});
  check_records(skipped);
  CHECK(skipped["x25sim"]["trace"]["skipped"] == 2);
  CHECK(skipped["x25sim"]["trace"]["issued"] == 1);
  CHECK(drive_of(skipped)["host_write_bytes"] == 4096);
}

TEST_CASE("A62: the last sector can be used, and a record without length is skipped") {
  const Json report = replay("mqsim", "0 0 31999 1 0\n100 0 0 0 1\n200 0 31999 1 1\n");
  check_records(report);
  CHECK(report["x25sim"]["trace"]["issued"] == 2);
  CHECK(report["x25sim"]["trace"]["skipped"] == 1);
}

TEST_CASE("A39: requests arrive at their recorded times, however long each takes") {
  const TemporaryFolder folder;
  const std::string timeline = folder.file("timeline.json");
  replay("mqsim", "5000 0 0 8 0\n15000 0 8 8 0\n25000 0 16 8 0\n", {"--timeline", timeline});
  std::vector<double> starts;
  const Json report = Json::parse(read_file(timeline));
  for (const Json& event : report.at("traceEvents")) {
    // The host's spans are those of whole requests.
    if (event["ph"] == "X" && event["name"] == "write") starts.push_back(event["ts"]);
  }
  std::sort(starts.begin(), starts.end());
  CHECK(starts == std::vector<double>{0, 10, 20});
}

TEST_CASE("A6: a time of an MQSim trace is nanoseconds, or what --time-unit says") {
  const Json report = replay("mqsim", "0 0 0 8 1\n1000000000 0 8 8 1\n");
  CHECK(report["x25sim"]["simulated_s"] == doctest::Approx(1).epsilon(0.001));
  const std::map<std::string, double> seconds_of{
      {"ns", 1e-6}, {"100ns", 1e-4}, {"us", 1e-3}, {"ms", 1}, {"s", 1000}};
  for (const auto& [unit, seconds] : seconds_of) {
    CAPTURE(unit);
    const Json scaled = replay("mqsim", "0 0 0 8 1\n1000 0 8 8 1\n", {"--time-unit", unit});
    // The second read takes less than 1 ms.
    CHECK(scaled["x25sim"]["simulated_s"] > seconds);
    CHECK(scaled["x25sim"]["simulated_s"] < seconds + 0.001);
    CHECK(scaled["x25sim"]["trace"]["last_ns"] == std::llround(seconds * 1e9));
  }
}

TEST_CASE("several files are one trace, merged by time") {
  const TemporaryFolder folder;
  const std::string first = folder.write("a.trace", "0 0 0 8 0\n2000000 0 16 8 0\n");
  const std::string second = folder.write("b.trace", "1000000 0 8 8 0\n");
  const Json report =
      run_json(Words{"replay"} + small_drive() + Words{"--format", "mqsim", first, second});
  check_records(report);
  CHECK(report["x25sim"]["trace"]["records"] == 3);
  CHECK(report["x25sim"]["trace"]["backward_steps"] == 0);
  CHECK(drive_of(report)["valid_pages"] == 3);
}

TEST_CASE("a damaged line is passed over with --skip-malformed, and counted") {
  const Json report = replay("mqsim", "0 0 0 8 0\n1 0 broken\n2 0 8 8 0\n", {"--skip-malformed"});
  check_records(report);
  CHECK(report["x25sim"]["trace"]["records"] == 2);
  CHECK(report["x25sim"]["trace"]["malformed"] == 1);
}

TEST_CASE("--queue-depth leaves the recorded times aside and keeps so many requests in flight") {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += std::to_string(i) + "000000000 0 " + std::to_string(8 * i) + " 8 1\n";
  const Json report = replay("mqsim", text, {"--queue-depth", "4", "--prepare", "filled"});
  check_records(report);
  CHECK(report["x25sim"]["simulated_s"] < 1.0);
  CHECK(report["jobs"][0]["iodepth_level"]["4"] > 97.0);
  CHECK(report["jobs"][0]["latency_depth"] == 4);
  const Json open = replay("mqsim", text, {"--prepare", "filled"});
  check_records(open);
  CHECK(open["x25sim"]["simulated_s"] >= 199.0);
  CHECK(open["jobs"][0]["iodepth_level"]["1"] == 100.0);
}

TEST_CASE("A56: a record before its predecessor is counted, and issued together with it") {
  const Json report = replay("mqsim", "5000 0 0 8 1\n9000 0 8 8 1\n7000 0 16 8 1\n3000 0 24 8 1\n");
  check_records(report);
  CHECK(report["x25sim"]["trace"]["backward_steps"] == 2);
  CHECK(report["x25sim"]["trace"]["first_ns"] == 5000);
  CHECK(report["x25sim"]["trace"]["last_ns"] == 3000);
  CHECK(report["jobs"][0]["read"]["total_ios"] == 4);
  CHECK(report["x25sim"]["simulated_s"] < 0.001);
}

TEST_CASE("A57: a request of 128 KiB is 32 pages, and names in place of numbers are refused") {
  const Json report = replay("mqsim", "0 0 64 256 0\n");
  CHECK(drive_of(report)["nand_program_pages"]["host"] == 32);
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program(Words{"replay"} + small_drive() +
                  Words{"--format", "mqsim", folder.write("a.trace", "0 0 A 8 0\n")});
  CHECK(result.status == 2);
  CHECK(result.err.find("'A'") != std::string::npos);
}

TEST_CASE("A30: the first record may read what was never written") {
  const Json report = replay("mqsim", "0 0 40 8 1\n");
  check_records(report);
  CHECK(drive_of(report)["unmapped_read_pages"] == 1);
  CHECK(drive_of(report)["nand_read_pages"]["host"] == 0);
  CHECK(report["jobs"][0]["read"]["clat_ns"]["min"] > 0);
}

TEST_CASE("A8: two writes to one page at the same time, and a read between them, all complete") {
  const Json report = replay("mqsim", "0 0 8 8 0\n0 0 8 8 1\n0 0 8 8 0\n");
  check_records(report);
  CHECK(drive_of(report)["valid_pages"] == 1);
  CHECK(drive_of(report)["nand_program_pages"]["host"].get<std::uint64_t>() +
            drive_of(report)["buffer_merged_pages"].get<std::uint64_t>() ==
        2);
}
