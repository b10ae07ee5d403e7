// Traces written in each format: read back, and read by the tools that the formats are of.
#include <cstdint>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "sim/trace/writer.hpp"
#include "tests/trace_events_fixture.hpp"

using namespace x25sim;
using namespace x25sim::test;
using trace::Kind;
using trace::Record;

namespace {

using Texts = std::vector<std::string>;

struct Written {
  std::string text;
  std::uint64_t written = 0;
  trace::Notes left_out;
  trace::Notes changed;
};

Written write(const std::string& format, const std::vector<Record>& records, const Texts& devices) {
  std::ostringstream out;
  const auto writer = trace::writer_format(format).open(out);
  for (const Record& record : records) writer->write(record, devices[record.device]);
  writer->finish();
  return {out.str(), writer->written(), writer->left_out(), writer->changed()};
}

Record record_of(std::uint64_t time_ns, Kind kind, std::uint64_t offset, std::uint64_t length) {
  Record record;
  record.time_ns = time_ns;
  record.kind = kind;
  record.offset = Bytes{offset};
  record.length = Bytes{length};
  return record;
}

// Reads and writes, trims and flushes, at times that are multiples of `unit` ns from 0 on, some of
// them equal.
std::vector<Record> random_records(std::uint64_t unit, bool only_transfers, std::uint32_t devices) {
  std::mt19937_64 random(7);
  std::vector<Record> records;
  std::uint64_t time = 0;
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t choice = random() % (only_transfers ? 8 : 10);
    const Kind kind = choice < 4   ? Kind::read
                      : choice < 8 ? Kind::write
                      : choice < 9 ? Kind::trim
                                   : Kind::flush;
    const std::uint64_t sectors = 1 + random() % 256;
    Record record = record_of(time, kind, random() % (1ull << 40) * 512, sectors * 512);
    if (kind == Kind::flush) record.offset = record.length = Bytes{0};
    if (kind == Kind::write && !only_transfers) {
      record.flush_first = random() % 4 == 0;
      record.durable = random() % 4 == 0;
    }
    record.device = i == 0 ? 0 : static_cast<std::uint32_t>(random() % devices);
    records.push_back(record);
    time += random() % 4 * 1000 * unit;
  }
  return records;
}

std::uint64_t count_of(const trace::Notes& notes) {
  std::uint64_t count = 0;
  for (const auto& note : notes.all()) count += note.count;
  return count;
}

// What is read of what was written is what was written.
void check_round_trip(const std::string& format, const std::vector<Record>& records,
                      const Texts& devices) {
  CAPTURE(format);
  const Written written = write(format, records, devices);
  CHECK(written.written == records.size());
  CHECK(count_of(written.left_out) == 0);
  CHECK(count_of(written.changed) == 0);
  const ReadTrace read = read_trace_text(format, written.text);
  CHECK(texts_of(read.records) == texts_of(records));
  for (std::size_t i = 0; i < read.records.size(); ++i) {
    CHECK(read.device_of(i) == devices[records[i].device]);
  }
}

std::vector<Record> without_flush_and_fua(std::vector<Record> records) {
  for (Record& record : records) record.flush_first = record.durable = false;
  return records;
}

const Texts block_devices{"8,16", "259,0", "8,0"};

Texts sentences(const trace::Notes& notes) {
  Texts texts;
  for (const auto& note : notes.all()) {
    texts.push_back(std::to_string(note.count) + " " + note.text);
  }
  return texts;
}

// All that some format can't hold.
std::vector<Record> odd_records() {
  std::vector<Record> records{
      record_of(1'000'000'050, Kind::write, 4096, 4096),
      record_of(2'000'000'000, Kind::trim, 0, 512),
      record_of(3'000'000'000, Kind::flush, 0, 0),
      record_of(4'000'000'000, Kind::other, 0, 512),
      record_of(3'999'999'000, Kind::read, 1000, 512),
      record_of(5'000'000'000, Kind::read, 512, 0),
      record_of(3'500'000'000, Kind::read, 512, 8ull << 30),
      record_of(500'000'000, Kind::write, 512, 512),
  };
  records[0].flush_first = true;
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].line = static_cast<std::int64_t>(i) + 1;
  }
  return records;
}

}  // namespace

TEST_CASE("what was written in a format reads back as it was") {
  const auto all = random_records(1, false, 3);
  check_round_trip("blkparse", all, block_devices);
  check_round_trip("blktrace", all, block_devices);
  check_round_trip("fio-iolog", without_flush_and_fua(random_records(1000, false, 3)),
                   {"/dev/sda", "b", "c.0.0"});
  check_round_trip("mqsim", random_records(1, true, 3), {"5", "0", "17"});
  check_round_trip("msr", random_records(100, true, 3), {"usr.0", "usr.1", "proj.0"});
}

TEST_CASE("what a format can't hold is left out and counted by reason, never lost") {
  const auto odd = odd_records();
  const auto left_out = [&odd](const std::string& format) {
    const Written written = write(format, odd, {"8,0"});
    CHECK(written.written + count_of(written.left_out) == odd.size());
    return sentences(written.left_out);
  };
  CHECK(left_out("msr") == Texts{"1 trims: the format has none", "1 flushes: the format has none",
                                 "1 requests of another kind: the format has none"});
  CHECK(left_out("mqsim") == Texts{"1 trims: MQSim would take them for reads",
                                   "1 flushes: the format has none",
                                   "1 requests of another kind: the format has none",
                                   "1 requests that are not in whole sectors of 512 bytes"});
  CHECK(left_out("fio-iolog") ==
        Texts{"1 requests of another kind: the format has none",
              "1 requests without data, at which fio stops",
              "1 requests of 4 GiB and more, whose length fio reads as another one"});
  CHECK(left_out("blkparse") == Texts{"1 requests of another kind with data: the format has none",
                                      "1 requests that are not in whole sectors of 512 bytes",
                                      "1 reads without data, which would be of another kind"});
  CHECK(left_out("blktrace") ==
        Texts{"1 requests of another kind with data: the format has none",
              "1 requests that are not in whole sectors of 512 bytes",
              "1 reads without data, which would be of another kind",
              "1 requests of 4 GiB and more, which don't fit the format's 32 bits"});
}

TEST_CASE("what is changed in writing is counted: times, names, and what a write asks for") {
  const auto odd = odd_records();
  CHECK(sentences(write("msr", odd, {"8,0"}).changed) ==
        Texts{"1 writes with flush or forced unit access, written as plain ones",
              "1 times that are no multiples of 100 ns, rounded down",
              "5 names of devices, written as numbers"});
  CHECK(sentences(write("fio-iolog", odd, {"a b"}).changed) ==
        Texts{"1 writes with flush or forced unit access, written as plain ones",
              "5 names of devices that are no path for fio, written as others",
              "4 times that are no whole microseconds, rounded down",
              "1 times before the first record's, written as its time",
              "1 times before the preceding record's, written as its time"});
  CHECK(sentences(write("blkparse", odd, {"sda"}).changed) ==
        Texts{"5 names of devices, written as numbers",
              "1 times before the first record's, written as its time"});
  const Written mqsim = write("mqsim", odd, {""});
  CHECK(mqsim.text ==
        "0 0 8 8 0\n"
        "3999999950 0 1 0 1\n"
        "3999999950 0 1 16777216 1\n"
        "3999999950 0 1 1 0\n");
  CHECK(write("msr", odd, {"h.3"}).text ==
        "10000000,h,3,Write,4096,4096,0\n"
        "39999990,h,3,Read,1000,512,0\n"
        "50000000,h,3,Read,512,0,0\n"
        "35000000,h,3,Read,512,8589934592,0\n"
        "5000000,h,3,Write,512,512,0\n");
  // Two devices never become one.
  const std::vector<Record> two{record_of(0, Kind::read, 0, 512), [] {
                                  Record record = record_of(1, Kind::read, 0, 512);
                                  record.device = 1;
                                  return record;
                                }()};
  CHECK(write("mqsim", two, {"sda", "0"}).text == "0 0 0 1 1\n1 1 0 1 1\n");
  CHECK(write("mqsim", two, {"0", "sda"}).text == "0 0 0 1 1\n1 1 0 1 1\n");
}

TEST_CASE("blkparse prints of a binary file that was written what is written as its text") {
  if (!is_installed("blkparse")) return;
  const TemporaryFolder folder;
  // Of one device: blkparse prints those of a file one after the other otherwise.
  const auto records = random_records(1, false, 1);
  folder.write("a.blktrace.0", write("blktrace", records, {"8,16"}).text);
  REQUIRE(run_shell(folder, "blkparse -q -i a >printed.txt 2>errors.txt") == 0);
  const ReadTrace read = read_trace("blkparse", {folder.file("printed.txt")});
  CHECK(texts_of(read.records) == texts_of(records));
  CHECK(read.devices == Texts{"8,16"});
  CHECK(read.noted("requests as issued to the driver (action D)") == 500);
  const std::string printed = read_file(folder.file("printed.txt"));
  const std::string text = write("blkparse", records, {"8,16"}).text;
  CHECK(printed.substr(0, text.size()) == text);
  CHECK(printed.substr(text.size()) == "Input file a.blktrace.0 added\n");
}

TEST_CASE("btt finds the requests of a binary file that was written") {
  if (!is_installed("btt")) return;
  const TemporaryFolder folder;
  auto records = random_records(1000, true, 1);
  folder.write("a.blktrace.0", write("blktrace", records, {"8,16"}).text);
  REQUIRE(run_shell(folder, "btt -i a.blktrace.0 >btt.txt 2>errors.txt") == 0);
  std::istringstream lines(read_file(folder.file("btt.txt")));
  std::string line;
  std::string counts;
  while (std::getline(lines, line)) {
    // Behind the device in its table of merges: requests queued, requests issued.
    if (line.find("#Q") == line.npos) continue;
    std::getline(lines, line);
    std::getline(lines, counts);
    break;
  }
  std::istringstream fields(counts.substr(counts.find('|') + 1));
  std::uint64_t queued = 0;
  std::uint64_t issued = 0;
  fields >> queued >> issued;
  CHECK(counts.find("(  8, 16)") != std::string::npos);
  CHECK(queued == records.size());
  CHECK(issued == records.size());
}

TEST_CASE("fio replays a log that was written, request by request") {
  if (!is_installed("fio")) return;
  const TemporaryFolder folder;
  // Without trims, which fio 3.33 passes over.
  auto records = random_records(1, true, 2);
  folder.write("a.iolog", write("fio-iolog", records, {"first", "second"}).text);
  REQUIRE(run_shell(folder,
                    "fio --name=a --ioengine=null --read_iolog=a.iolog --write_lat_log=a "
                    "--log_offset=1 >fio.txt 2>errors.txt") == 0);
  CHECK(read_file(folder.file("errors.txt")).empty());
  // time, latency, 0 read 1 write, size, offset, priority
  std::string expected;
  for (const Record& record : records) {
    expected += (record.kind == Kind::read ? "0, " : "1, ") + std::to_string(record.length.count) +
                ", " + std::to_string(record.offset.count) + "\n";
  }
  std::string replayed;
  std::istringstream lines(read_file(folder.file("a_clat.1.log")));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t direction = line.find(", ", line.find(", ") + 1) + 2;
    replayed += line.substr(direction, line.rfind(", ") - direction) + "\n";
  }
  CHECK(replayed == expected);
}

TEST_CASE("the log that fio writes of a job is read as fio counts it") {
  if (!is_installed("fio")) return;
  const TemporaryFolder folder;
  REQUIRE(run_shell(folder,
                    "fio --name=a --ioengine=null --size=1m --io_size=2m --bs=4k --rw=randrw "
                    "--fsync=16 --nrfiles=2 --time_based=0 --write_iolog=a.iolog "
                    "--output-format=json --output=fio.json 2>errors.txt") == 0);
  const auto job = nlohmann::json::parse(read_file(folder.file("fio.json")))["jobs"][0];
  const ReadTrace read = read_trace("auto", {folder.file("a.iolog")});
  std::uint64_t reads = 0, writes = 0, flushes = 0;
  for (const Record& record : read.records) {
    reads += record.kind == Kind::read ? 1 : 0;
    writes += record.kind == Kind::write ? 1 : 0;
    flushes += record.kind == Kind::flush ? 1 : 0;
  }
  CHECK(reads == job["read"]["total_ios"]);
  CHECK(writes == job["write"]["total_ios"]);
  CHECK(flushes == job["sync"]["total_ios"]);
  CHECK(reads + writes == 512);
  CHECK(flushes > 0);
  CHECK(read.devices.size() == 2);
}

TEST_CASE("a format that is not written is an error with those that are") {
  CHECK_THROWS_WITH_AS(trace::writer_format("msq"),
                       doctest::Contains("expected a format to write (blkparse, blktrace, "
                                         "fio-iolog, mqsim, msr), found 'msq'"),
                       InputError);
}
