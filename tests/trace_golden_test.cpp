// Real traces, where they are at hand (real_traces()): every count that was computed for them
// independently, equalities between them, and which of them are recognized.
#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "nand/errors.hpp"
#include "sim/trace/line.hpp"
#include "tests/trace_fixture.hpp"

using namespace x25sim;
using namespace x25sim::trace;

namespace {

constexpr std::uint64_t all = ~std::uint64_t{0};

// How a row of the table of counts is read. Its name is a file's, with what it is about behind it.
struct Reading {
  std::string format;
  std::optional<Action> action = {};
  std::uint64_t records_max = all;
};

// Every row of GOLDEN.tsv that is checked.
const std::map<std::string, Reading> readings{
    {"mqsim_tpcc-small.trace", {"mqsim"}},
    {"mqsim_wsrch-small.trace", {"mqsim"}},
    {"mqsim_hijackthe2_tpcc-small.trace", {"mqsim"}},
    {"mqsim_zns-nysong.trace", {"mqsim"}},
    {"ssdsim_example.ascii", {"ssdsim"}},
    {"ssdsim_example_crlf.ascii", {"ssdsim"}},
    {"ssdsim_hm_1_5000.txt", {"ssdsim"}},
    {"ssdsim_DTRS100M.trace", {"ssdsim"}},
    {"ssdsim_tm_sample1.trace", {"ssdsim"}},
    {"ssdsim_write-large-random.trace", {"ssdsim"}},
    {"ssdsim_write-same.trace", {"ssdsim"}},
    {"ssdsim_supermt_head_sample", {"ssdsim"}},
    {"disksim_ascii.trace", {"disksim"}},
    {"disksim_ssd-iozone.trace", {"disksim"}},
    {"disksim_wd_latencyskew.txt", {"disksim"}},
    {"ucare_test_trace.txt", {"disksim"}},
    {"cloudphysics_libcachesim.vscsi", {"vscsi"}},
    {"cloudphysics_libcachesim.csv", {"vscsi-csv"}},
    {"cloudphysics_libcachesim.csv (first 35000)", {"vscsi-csv", {}, 35000}},
    {"wiscsee_events_sqlitewal.txt action=D", {"wiscsee", Action::issued}},
    {"excerpt_msr_mds_0.csv", {"msr"}},
    {"excerpt_msr_prxy_0.csv", {"msr"}},
    {"derived_blkparse_keks_default.txt action=D", {"blkparse", Action::issued}},
    {"derived_blkparse_keks_default.txt action=C", {"blkparse", Action::completed}},
    {"blkparse_apress.txt action=Q", {"blkparse", Action::queued}},
    {"blkparse_apress.txt action=D", {"blkparse", Action::issued}},
    {"blkparse_apress.txt action=C", {"blkparse", Action::completed}},
    {"blkparse_wiscsee_output.txt action=D", {"blkparse", Action::issued}},
    {"derived_fio333_v3_randrw.iolog", {"fio-iolog"}},
    {"derived_fio333_v2_randrw.iolog", {"fio-iolog"}},
    {"derived_fio333_v3_trim.iolog", {"fio-iolog"}},
};

// What --format auto makes of each of the real traces in a format that is read. Of a trace in the
// five columns of integers nothing tells the unit of time, nor what its operations mean.
const std::map<std::string, std::string> recognized{
    {"bcc_biosnoop_example.txt", "biosnoop"},
    {"blkparse_apress.txt", "blkparse"},
    {"blkparse_wiscsee_output.txt", "blkparse"},
    {"blktrace_keks.blktrace.0", "blktrace"},
    {"blktrace_keks.blktrace.1", "blktrace"},
    {"blktrace_keks.blktrace.2", "blktrace"},
    {"blktrace_keks.blktrace.3", "blktrace"},
    {"blktrace_keks.blktrace.4", "blktrace"},
    {"blktrace_keks.blktrace.5", "blktrace"},
    {"blktrace_keks.blktrace.6", "blktrace"},
    {"blktrace_keks.blktrace.7", "blktrace"},
    {"derived_blkparse_keks_custom1.txt", "blkparse"},
    {"derived_blkparse_keks_default.txt", "blkparse"},
    {"derived_blkparse_keks_merged.bin", "blktrace"},
    {"derived_fio333_v2_randrw.iolog", "fio-iolog"},
    {"derived_fio333_v3_randrw.iolog", "fio-iolog"},
    {"derived_fio333_v3_trim.iolog", "fio-iolog"},
    {"excerpt_diskplorer_blkparse_discard.txt", "blkparse"},
    {"excerpt_ycsb_rocksdb_blkparse.txt", "blkparse"},
    {"perftools_iosnoop_example.txt", "biosnoop"},
    {"cloudphysics_libcachesim.csv", "vscsi-csv"},
    {"cloudphysics_libcachesim.vscsi", "vscsi"},
    {"disksim_ascii.trace", "disksim"},
    {"disksim_atlas10k.trace", "disksim-validate"},
    {"disksim_ssd-iozone.trace", "disksim"},
    {"disksim_wd_latencyskew.txt", "disksim"},
    {"excerpt_alibaba.csv", "alibaba"},
    {"excerpt_etw_exchange.csv", "etw"},
    {"excerpt_fiu.txt", "fiu"},
    {"excerpt_k5cloud.csv", "k5"},
    {"excerpt_msr_mds_0.csv", "msr"},
    {"excerpt_msr_prxy_0.csv", "msr"},
    {"excerpt_systor17.csv", "systor17"},
    {"excerpt_tencent_cbs.csv", "tencent"},
    {"ssdsim_1020xyr_test_trace", "disksim"},
    {"ucare_test_trace.txt", "disksim"},
    {"wiscsee_events_small.txt", "wiscsee"},
    {"wiscsee_events_sqlitewal.txt", "wiscsee"},
};
const std::set<std::string> ambiguous{
    "mqsim_hijackthe2_tpcc-small.trace",
    "mqsim_ronshih_ssdtrace_onlywrite.txt",
    "mqsim_tpcc-small.trace",
    "mqsim_wsrch-small.trace",
    "mqsim_yjcup_test.trace",
    "mqsim_yjcup_test2.trace",
    "mqsim_zns-nysong.trace",
    "ssdsim_DTRS100M.trace",
    "ssdsim_example.ascii",
    "ssdsim_example_crlf.ascii",
    "ssdsim_hm_1_5000.txt",
    "ssdsim_supermt_head_sample",
    "ssdsim_tm_sample1.trace",
    "ssdsim_tm_sample2.trace",
    "ssdsim_write-large-random.trace",
    "ssdsim_write-same.trace",
};
// In no format that can be told from its content: other columns, no operations, prose, tables.
const std::set<std::string> foreign{
    "GOLDEN.tsv",
    "PROVENANCE.tsv",
    "bpftrace_biosnoop_example.txt",
    "codeblitz_sample.trace",
    "dandin_test.csv",
    "derived_blkparse_keks_complete_bytes.txt",
    "derived_blkparse_keks_issue.csv",
    "excerpt_iofsl_ionode.tsv",
    "excerpt_orangefs_pfs.txt",
    "perftools_tpoint_example.txt",
    "py_ssd_sim_test_workload1.csv",
    "simplessd_freshliver_trace.test",
    "ssdsim_write-same.dat",
};

using Row = std::map<std::string, std::string>;  // column to cell

// The rows of the table of counts, by name.
std::map<std::string, Row> read_golden(const std::filesystem::path& folder) {
  std::map<std::string, Row> rows;
  std::ifstream file(folder / "GOLDEN.tsv");
  std::string line;
  std::vector<std::string> names;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) rows[cells[0]][names[i]] = cells[i];
  }
  return rows;
}

void check_golden(const Counts& counts, const Row& row) {
  const auto expected = [&row](const std::string& column) { return std::stoull(row.at(column)); };
  CHECK(counts.records == expected("records"));
  CHECK(counts.reads == expected("reads"));
  CHECK(counts.writes == expected("writes"));
  CHECK(counts.trims == expected("trims"));
  CHECK(counts.flushes + counts.other == expected("other"));
  CHECK(counts.bytes_read.count == expected("bytes_read"));
  CHECK(counts.bytes_written.count == expected("bytes_written"));
  CHECK(counts.bytes_trimmed.count == expected("bytes_trimmed"));
  CHECK(counts.first_ns == expected("first_ts_ns"));
  CHECK(counts.last_ns == expected("last_ts_ns"));
  CHECK(counts.backward_steps == expected("backward_steps"));
  CHECK(counts.min_byte.count == expected("min_byte"));
  CHECK(counts.max_end_byte.count == expected("max_end_byte"));
  CHECK(counts.unique_4k_pages_written == expected("uniq_4k_pages_written"));
}

// Without the line, which says where in its file a record is.
Record without_line(Record record) {
  record.line = 0;
  return record;
}

std::vector<Record> without_lines(std::vector<Record> records) {
  std::transform(records.begin(), records.end(), records.begin(), without_line);
  return records;
}

}  // namespace

TEST_CASE("counts of real traces equal those computed independently") {
  const auto folder = real_traces();
  if (folder.empty()) return;
  std::vector<std::string> without_reading;
  std::size_t checked = 0;
  for (const auto& [name, row] : read_golden(folder)) {
    CAPTURE(name);
    const auto reading = readings.find(name);
    if (reading == readings.end()) {
      without_reading.push_back(name);
      continue;
    }
    const auto& [format, action, records_max] = reading->second;
    ReaderOptions options;
    options.action = action;
    const std::string file = name.substr(0, name.find(' '));
    check_golden(count(format, (folder / file).string(), options, records_max), row);
    ++checked;
  }
  CHECK(checked == readings.size());
  CHECK(without_reading.empty());
}

TEST_CASE("real traces without a table of counts are read to their end") {
  const auto folder = real_traces();
  if (folder.empty()) return;
  const std::vector<std::tuple<std::string, std::string, std::uint64_t>> records{
      {"mqsim", "mqsim_yjcup_test.trace", 2},
      {"mqsim", "mqsim_yjcup_test2.trace", 1},
      {"mqsim", "mqsim_ronshih_ssdtrace_onlywrite.txt", 61603},
      {"ssdsim", "ssdsim_tm_sample2.trace", 28},
      {"disksim", "ssdsim_1020xyr_test_trace", 100},
      {"disksim-validate", "disksim_atlas10k.trace", 10000},
      {"simplessd", "simplessd_freshliver_trace.test", 5},
      {"alibaba", "excerpt_alibaba.csv", 6},
      {"tencent", "excerpt_tencent_cbs.csv", 9},
      {"k5", "excerpt_k5cloud.csv", 6},
      {"systor17", "excerpt_systor17.csv", 1},
      {"fiu", "excerpt_fiu.txt", 1},
      {"etw", "excerpt_etw_exchange.csv", 1},
      {"wiscsee", "wiscsee_events_small.txt", 1},
  };
  for (const auto& [format, name, expected] : records) {
    CAPTURE(name);
    CHECK(count(format, (folder / name).string()).records == expected);
  }
}

TEST_CASE("single records of real traces are what their lines say") {
  const auto folder = real_traces();
  if (folder.empty()) return;
  const auto first = [&folder](const std::string& format, const std::string& name) {
    return shown(read_file(format, (folder / name).string()).records.front());
  };
  CHECK(first("alibaba", "excerpt_alibaba.csv") == "W 8792731648+16384 @1577808144360767000");
  CHECK(first("k5", "excerpt_k5cloud.csv") == "W 7155568640+4096 @3828359000");
  CHECK(first("tencent", "excerpt_tencent_cbs.csv") == "R 6610407424+65536 @1538323200000000000");
  CHECK(first("systor17", "excerpt_systor17.csv") == "R 899056122368+131072 @1456095145133076000");
  CHECK(first("fiu", "excerpt_fiu.txt") == "W 462983966720+4096 @0");
  // 8612 us less the 283 us that the request took.
  CHECK(first("etw", "excerpt_etw_exchange.csv") == "R 6694862848+4096 @8329000");
  CHECK(first("simplessd", "simplessd_freshliver_trace.test") == "W 0+8192 @0");
}

TEST_CASE("the same SSDsim trace with other line ends has the same records") {
  const auto folder = real_traces();
  if (folder.empty()) return;
  const auto records = read_file("ssdsim", (folder / "ssdsim_example.ascii").string()).records;
  CHECK(records.size() == 10000);
  CHECK(records == read_file("ssdsim", (folder / "ssdsim_example_crlf.ascii").string()).records);
}

TEST_CASE("the same CloudPhysics trace as text and binary has the same requests") {
  const auto folder = real_traces();
  if (folder.empty()) return;
  const auto path = [&folder](const char* end) {
    return (folder / ("cloudphysics_libcachesim" + std::string(end))).string();
  };
  auto text = without_lines(read_file("vscsi-csv", path(".csv")).records);
  auto binary = without_lines(read_file("vscsi", path(".vscsi")).records);
  REQUIRE(binary.size() == 35000);
  REQUIRE(text.size() > binary.size());
  text.resize(binary.size());
  std::size_t whole_seconds = 0;
  for (std::size_t i = 0; i < binary.size(); ++i) {
    if (text[i].time_ns == binary[i].time_ns / second_ns * second_ns) ++whole_seconds;
    text[i].time_ns = binary[i].time_ns = 0;
  }
  CHECK(text == binary);
  CHECK(whole_seconds > 0);
}

TEST_CASE("an MQSim trace from which lines were taken is the rest of the whole one") {
  const auto folder = real_traces();
  if (folder.empty()) return;
  const auto whole =
      without_lines(read_file("mqsim", (folder / "mqsim_tpcc-small.trace").string()).records);
  const auto part = without_lines(
      read_file("mqsim", (folder / "mqsim_hijackthe2_tpcc-small.trace").string()).records);
  CHECK(whole.size() - part.size() == 77);
  // Devices are numbered as they appear, which is another order in the part.
  std::size_t found = 0;
  for (const Record& record : whole) {
    if (found < part.size() && shown(record) == shown(part[found])) ++found;
  }
  CHECK(found == part.size());
}

TEST_CASE("a request of Financial1 is the same in SSDsim's form and in SPC's") {
  const auto folder = real_traces();
  if (folder.empty()) return;
  const auto spc = read_text("spc", "0,303574,3584,w,0.026214\n");
  const auto ssdsim = read_file("ssdsim", (folder / "ssdsim_example.ascii").string()).records;
  CHECK(std::count_if(ssdsim.begin(), ssdsim.end(), [&](const Record& record) {
          return shown(record) == shown(spc.at(0));
        }) == 1);
}

TEST_CASE("real traces are recognized where their content tells the format, and else refused") {
  const auto folder = real_traces();
  if (folder.empty()) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    std::string error;
    std::string format;
    try {
      format = recognized_format(entry.path().string()).name;
    } catch (const InputError& refused) {
      error = refused.what();
    }
    if (recognized.contains(name)) {
      CHECK(format == recognized.at(name));
    } else if (ambiguous.contains(name)) {
      CHECK(error.find("fits disksim, mqsim, ssdsim") != std::string::npos);
    } else if (foreign.contains(name)) {
      CHECK(error.find("found none; give its --format") != std::string::npos);
    } else {
      FAIL_CHECK("a real trace that no table names");
    }
  }
}
