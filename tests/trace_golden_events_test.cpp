// Recorded traces of Linux's block layer and logs of fio, which are not part of the project,
// against counts that were made without it.
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "sim/trace/counts.hpp"
#include "sim/trace/formats.hpp"
#include "tests/trace_events_fixture.hpp"

using namespace x25sim;
using namespace x25sim::test;
using trace::Action;
using trace::Record;

namespace {

struct Golden {
  std::string format;
  std::string file;
  Action action = Action::issued;
  std::uint64_t records, reads, writes, trims, other;
  std::uint64_t bytes_read, bytes_written, bytes_trimmed;
  std::uint64_t first_ns, last_ns;
  std::uint64_t min_byte, max_end_byte, pages_written;
};

const std::vector<Golden> goldens{
    {"blkparse", "derived_blkparse_keks_default.txt", Action::issued, 1192, 0, 1158, 10, 24, 0,
     13099008, 425984, 0, 56332277322, 0, 512110088192, 2282},
    {"blkparse", "derived_blkparse_keks_default.txt", Action::completed, 1206, 0, 1153, 5, 48, 0,
     13058048, 212992, 843237, 56335055983, 0, 512110088192, 2282},
    {"blkparse", "blkparse_apress.txt", Action::queued, 5826, 38, 5788, 0, 0, 4726784, 23707648, 0,
     1850, 4344572269, 479095690240, 1748313887744, 5799},
    {"blkparse", "blkparse_apress.txt", Action::issued, 87, 37, 50, 0, 0, 4726784, 11460608, 0,
     31865, 4341033783, 479095690240, 1748313887744, 2809},
    {"blkparse", "blkparse_apress.txt", Action::completed, 56, 37, 19, 0, 0, 4726784, 3420160, 0,
     356669, 4341028675, 0, 1748313887744, 845},
    {"blkparse", "blkparse_wiscsee_output.txt", Action::issued, 677, 161, 512, 0, 4, 659456,
     134217728, 0, 0, 451546700, 0, 276824064, 32768},
    {"fio-iolog", "derived_fio333_v3_randrw.iolog", Action::issued, 400, 237, 163, 0, 0, 7491584,
     5181440, 0, 183000, 51740000, 36864, 66981888, 1265},
    {"fio-iolog", "derived_fio333_v2_randrw.iolog", Action::issued, 400, 237, 163, 0, 0, 7491584,
     5181440, 0, 0, 0, 36864, 66981888, 1265},
    {"fio-iolog", "derived_fio333_v3_trim.iolog", Action::issued, 60, 0, 0, 60, 0, 0, 0, 3932160,
     104000, 168000, 65536, 16777216, 0},
};

// The records without what depends on how the trace was written: line, file and start of time.
std::vector<std::string> comparable(const ReadTrace& read) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < read.records.size(); ++i) {
    Record record = read.records[i];
    record.time_ns -= read.records[0].time_ns;
    texts.push_back(text_of(record));
  }
  return texts;
}

}  // namespace

TEST_CASE("recorded traces of the block layer have the counts that are known of them") {
  const std::string folder = trace_folder();
  if (folder.empty()) return;
  for (const Golden& golden : goldens) {
    CAPTURE(golden.file);
    const ReadTrace read = read_trace(
        golden.format, {folder + "/" + golden.file},
        golden.format == "blkparse" ? with_action(golden.action) : trace::ReaderOptions{});
    trace::Counter counter;
    for (const Record& record : read.records) counter.add(record);
    const trace::Counts counts = counter.counts();
    CHECK(counts.records == golden.records);
    CHECK(counts.reads == golden.reads);
    CHECK(counts.writes == golden.writes);
    CHECK(counts.trims == golden.trims);
    CHECK(counts.flushes + counts.other == golden.other);
    CHECK(counts.bytes_read == Bytes{golden.bytes_read});
    CHECK(counts.bytes_written == Bytes{golden.bytes_written});
    CHECK(counts.bytes_trimmed == Bytes{golden.bytes_trimmed});
    CHECK(counts.first_ns == golden.first_ns);
    CHECK(counts.last_ns == golden.last_ns);
    CHECK(counts.backward_steps == 0);
    CHECK(counts.min_byte == Bytes{golden.min_byte});
    CHECK(counts.max_end_byte == Bytes{golden.max_end_byte});
    CHECK(counts.unique_4k_pages_written == golden.pages_written);
  }
}

TEST_CASE("one trace in five forms of blktrace's and blkparse's is the same requests") {
  const std::string folder = trace_folder();
  if (folder.empty()) return;
  std::vector<std::string> files;
  for (int cpu = 0; cpu < 8; ++cpu) {
    files.push_back(folder + "/blktrace_keks.blktrace." + std::to_string(cpu));
  }
  const std::string derived = folder + "/derived_blkparse_keks_";
  const std::string custom = "blkparse:%D %2c %s %T.%t %p %a %d %S + %n [%C]\\n";
  const std::string bytes = "blkparse:%a|%d|%S|%N|%T.%t|%e\\n";
  for (const Action action : {Action::issued, Action::completed}) {
    const auto options = with_action(action);
    const auto expected = comparable(read_trace("blktrace", files, options));
    CHECK(expected.size() == (action == Action::issued ? 1192 : 1206));
    CHECK(comparable(read_trace("blktrace", {derived + "merged.bin"}, options)) == expected);
    CHECK(comparable(read_trace("blkparse", {derived + "default.txt"}, options)) == expected);
    CHECK(comparable(read_trace(custom, {derived + "custom1.txt"}, options)) == expected);
    if (action == Action::issued) {
      CHECK(comparable(read_trace("blkparse:%T.%t,%d,%S,%n\\n", {derived + "issue.csv"})) ==
            expected);
    } else {
      CHECK(comparable(read_trace(bytes, {derived + "complete_bytes.txt"}, options)) == expected);
    }
  }
}

TEST_CASE("fio's log in versions 2 and 3 differs in its times only") {
  const std::string folder = trace_folder();
  if (folder.empty()) return;
  ReadTrace second = read_trace("fio-iolog", {folder + "/derived_fio333_v2_randrw.iolog"});
  ReadTrace third = read_trace("fio-iolog", {folder + "/derived_fio333_v3_randrw.iolog"});
  REQUIRE(third.records.size() == 400);
  for (Record& record : third.records) record.time_ns = 0;
  CHECK(texts_of(second.records) == texts_of(third.records));
  CHECK(second.devices == third.devices);
}

TEST_CASE("tables of biosnoop and iosnoop amid prose are found, that of bpftrace is refused") {
  const std::string folder = trace_folder();
  if (folder.empty()) return;
  CHECK(read_trace("auto", {folder + "/bcc_biosnoop_example.txt"}).records.size() == 21);
  CHECK(read_trace("auto", {folder + "/perftools_iosnoop_example.txt"}).records.size() == 95);
  CHECK_THROWS_WITH(read_trace("biosnoop", {folder + "/bpftrace_biosnoop_example.txt"}),
                    doctest::Contains("bpftrace_biosnoop_example.txt:9: "));
  trace::ReaderOptions skip;
  skip.skip_malformed = true;
  CHECK(read_trace("ftrace", {folder + "/perftools_tpoint_example.txt"}, skip).records.size() ==
        16);
  CHECK(
      read_trace("auto", {folder + "/excerpt_diskplorer_blkparse_discard.txt"}).records[0].length ==
      Bytes{1172272ull * 512});
}
