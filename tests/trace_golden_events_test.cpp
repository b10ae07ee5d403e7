// Recorded traces of Linux's block layer and logs of fio, which are not part of the project,
// against counts that were made without it.
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "sim/trace/formats.hpp"
#include "tests/trace_events_fixture.hpp"
#include "tests/trace_fixture.hpp"

using namespace x25sim;
using namespace x25sim::test;
using trace::Action;
using trace::Record;

namespace {

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

TEST_CASE("one trace in five forms of blktrace's and blkparse's is the same requests") {
  const std::string folder = trace::real_traces().string();
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
  const std::string folder = trace::real_traces().string();
  if (folder.empty()) return;
  ReadTrace second = read_trace("fio-iolog", {folder + "/derived_fio333_v2_randrw.iolog"});
  ReadTrace third = read_trace("fio-iolog", {folder + "/derived_fio333_v3_randrw.iolog"});
  REQUIRE(third.records.size() == 400);
  for (Record& record : third.records) record.time_ns = 0;
  CHECK(texts_of(second.records) == texts_of(third.records));
  CHECK(second.devices == third.devices);
}

TEST_CASE("tables of biosnoop and iosnoop amid prose are found, that of bpftrace is refused") {
  const std::string folder = trace::real_traces().string();
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
