// Traces: the lines of the formats, damaged ones, counts, and requests beyond the device.
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/formats.hpp"
#include "sim/trace/out_of_range.hpp"
#include "tests/trace_fixture.hpp"

using namespace x25sim;
using namespace x25sim::trace;
using workload::Operation;
using workload::Request;

namespace {

Record record_of(Kind kind, std::uint64_t offset, std::uint64_t length, int line = 7) {
  Record record;
  record.kind = kind;
  record.offset = Bytes{offset};
  record.length = Bytes{length};
  record.line = line;
  return record;
}

std::vector<Request> issued(OutOfRangeRule& rule, const Record& record) {
  const IssueList list = rule.apply(record).requests;
  return {list.begin(), list.end()};
}

std::string rule_error(OutOfRange policy, const Record& record) {
  OutOfRangeRule rule(policy, Bytes{1 << 20}, {{"a.trace"}});
  try {
    rule.apply(record);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

constexpr Request write(std::uint64_t offset, std::uint64_t length) {
  return {Operation::write, Bytes{offset}, Bytes{length}};
}

}  // namespace

TEST_CASE("the five columns of an MQSim trace are time, device, sector, sectors, operation") {
  const auto records = read_text("mqsim",
                                 "100 3 8 16 0\n"
                                 "100 4 9 1 1\n"
                                 "250 0 0 0 2\n");
  REQUIRE(records.size() == 3);
  CHECK(records[0].time_ns == 100);
  CHECK(records[0].device == 0);
  CHECK(request_of(records[0]) == write(4096, 8192));
  CHECK(records[0].line == 1);
  CHECK(request_of(records[1]) == Request{Operation::read, Bytes{4608}, Bytes{512}});
  CHECK(request_of(records[2]) == Request{Operation::trim, Bytes{0}, Bytes{0}});
  CHECK(records[2].line == 3);
}

TEST_CASE("the fields of an MSR trace are bytes and units of 100 ns") {
  const auto records = read_text("msr",
                                 "128166372003061629,host,1,Read,7014609920,24576,41286\n"
                                 "128166372016382155, host , 0 , Write , 512 , 1024 , 0\n");
  REQUIRE(records.size() == 2);
  CHECK(records[0].time_ns == 12816637200306162900U);  // more than a signed 64-bit integer holds
  CHECK(records[0].device == 0);
  CHECK(request_of(records[0]) == Request{Operation::read, Bytes{7014609920}, Bytes{24576}});
  CHECK(request_of(records[1]) == write(512, 1024));
}

TEST_CASE("line ends, byte-order marks, blanks, comments and blank lines do not change a trace") {
  const std::vector<std::string> variants{
      "1 0 8 8 1\n2 0 16 8 0\n",
      "1 0 8 8 1\r\n2 0 16 8 0\r\n",
      "1 0 8 8 1\n2 0 16 8 0",
      "1 0 8 8 1\r\n2 0 16 8 0\r",
      "\xef\xbb\xbf"
      "1 0 8 8 1\n2 0 16 8 0\n",
      "\t1\t0   8 8\t1  \n  2 0\t\t16 8 0 \t\n",
      "# a comment\n\n1 0 8 8 1\n   \n// 9 9 9 9 9\n  # 1\n2 0 16 8 0\n\n//\n#\n",
  };
  for (const auto& text : variants) {
    CAPTURE(text);
    const auto records = read_text("mqsim", text);
    REQUIRE(records.size() == 2);
    CHECK(request_of(records[0]) == Request{Operation::read, Bytes{4096}, Bytes{4096}});
    CHECK(records[1].time_ns == 2);
    CHECK(request_of(records[1]) == write(8192, 4096));
  }
  CHECK(read_text("mqsim", "").empty());
  CHECK(read_text("mqsim", "\n\n# nothing\n").empty());
}

TEST_CASE("line numbers count the lines that are passed over") {
  const auto records = read_text("mqsim", "# one\n\n1 0 8 8 1\n// four\n2 0 16 8 0");
  REQUIRE(records.size() == 2);
  CHECK(records[0].line == 3);
  CHECK(records[1].line == 5);
}

TEST_CASE("a damaged MQSim line is an error with line, expectation and finding") {
  const auto error = [](const std::string& line) {
    return error_of("mqsim", "1 0 8 8 1\n" + line + "\n3 0 8 8 1\n");
  };
  CHECK(error("2 0 8 8") ==
        "2: expected 5 fields (time, device, sector, sectors, operation), found 4 in '2 0 8 8'");
  CHECK(error("2 0 8 8 1 1").find("found 6 in '2 0 8 8 1 1'") != std::string::npos);
  CHECK(error("2 0 8 8 3") ==
        "2: expected operation 0 (write), 1 (read) or 2 (zone erase), found '3'");
  CHECK(error("2 0 8 8 01").find("found '01'") != std::string::npos);
  CHECK(error("1151.274 0 8 8 1") == "2: expected time as an unsigned integer, found '1151.274'");
  CHECK(error("-2 0 8 8 1").find("found '-2'") != std::string::npos);
  CHECK(error("+2 0 8 8 1").find("found '+2'") != std::string::npos);
  CHECK(error("2 x 8 8 1") == "2: expected device number as an unsigned integer, found 'x'");
  CHECK(error("2 0 0x8 8 1") == "2: expected first sector as an unsigned integer, found '0x8'");
  CHECK(error("2 0 8 8; 1") == "2: expected number of sectors as an unsigned integer, found '8;'");
  CHECK(error("18446744073709551616 0 8 8 1") ==
        "2: expected time below 2^64, found '18446744073709551616'");
}

TEST_CASE("addresses are 64-bit: sectors beyond 2 TiB are kept, bytes beyond 2^64 refused") {
  const auto records = read_text("mqsim", "1 0 4294967296 8 0\n");
  REQUIRE(records.size() == 1);
  CHECK(records[0].offset == Bytes{std::uint64_t{1} << 41});

  CHECK(error_of("mqsim", "1 0 36028797018963968 8 0\n") ==
        "1: expected first sector of which 512 times is below 2^64, found '36028797018963968'");
  CHECK(error_of("mqsim", "1 0 36028797018963967 1 0\n") ==
        "1: expected a request whose last byte is below 2^64, found offset 18446744073709551104 "
        "and length 512 bytes");
  CHECK(error_of("msr", "184467440737095517,h,0,Read,0,512,1\n") ==
        "1: expected time of which 100 times is below 2^64, found "
        "'184467440737095517'");
  CHECK(read_text("msr", "184467440737095516,h,0,Read,0,512,1\n").size() == 1);
}

TEST_CASE("a damaged MSR line is an error with line, expectation and finding") {
  const auto error = [](const std::string& line) { return error_of("msr", line); };
  CHECK(error("1,h,0,Read,0,512\n") ==
        "1: expected 7 fields (time, host, disk, Read or Write, offset, size, response time), "
        "found 6 in '1,h,0,Read,0,512'");
  CHECK(error("1,h,0,read,0,512,1\n") == "1: expected Read or Write, found 'read'");
  CHECK(error("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n") ==
        "1: expected time as an unsigned integer, found 'Timestamp'");
  CHECK(error("1,h,,Read,0,512,1\n") == "1: expected disk number as an unsigned integer, found ''");
  CHECK(error("1,h,0,Read,0,512,1.5\n").find("response time") != std::string::npos);
  // A trace that is cut off in its last line.
  CHECK(error("1,h,0,Read,0,512,1\n2,h,0,Wri").starts_with("2: expected 7 fields"));
}

TEST_CASE("a file in another format, or none at all, is an error") {
  CHECK(error_of("mqsim", "1,h,0,Read,0,512,1\n").starts_with("1: expected 5 fields"));
  CHECK(error_of("msr", "1 0 8 8 1\n").starts_with("1: expected 7 fields"));
  CHECK(error_of("mqsim", std::string(70000, '1')) ==
        "1: expected a line of at most 65536 characters, found a longer one");
  CHECK(error_of("mqsim", std::string(65536, '1')).starts_with("1: expected 5 fields"));
  CHECK_THROWS_WITH_AS(open_trace(*named_format("mqsim").format, {"/no/such/trace"}, {}),
                       "/no/such/trace: can't open the trace: No such file or directory",
                       InputError);
  CHECK_THROWS_WITH_AS(open_trace(*named_format("msr").format, {"/"}, {}),
                       "/: expected a trace, found a directory", InputError);
  CHECK(named_format("msr").format->name == "msr");
  CHECK(named_format("auto").format == nullptr);
  CHECK_THROWS_WITH_AS(named_format("mqsin"), doctest::Contains("did you mean 'mqsim'?"),
                       InputError);
  CHECK_THROWS_WITH_AS(named_format("msr:1"),
                       "expected nothing behind the format 'msr', found ':1'", InputError);
}

TEST_CASE("counts follow the file, and first and last time are those of its ends") {
  Counter counter;
  CHECK(counter.counts().records == 0);
  auto record = record_of(Kind::trim, 1 << 30, 0);
  record.time_ns = 50;
  counter.add(record);
  record = record_of(Kind::write, 8192, 4096);
  record.time_ns = 40;
  counter.add(record);
  record = record_of(Kind::read, 4096, 512);
  record.time_ns = 40;
  counter.add(record);
  record = record_of(Kind::flush, 0, 0);
  record.time_ns = 30;
  counter.add(record);
  const Counts counts = counter.counts();
  CHECK(counts.records == 4);
  CHECK(counts.trims == 1);
  CHECK(counts.writes == 1);
  CHECK(counts.reads == 1);
  CHECK(counts.flushes == 1);
  CHECK(counts.bytes_written == Bytes{4096});
  CHECK(counts.bytes_read == Bytes{512});
  CHECK(counts.bytes_trimmed == Bytes{0});
  CHECK(counts.first_ns == 50);
  CHECK(counts.last_ns == 30);
  CHECK(counts.backward_steps == 2);   // 50 to 40 and 40 to 30, but not 40 to 40
  CHECK(counts.min_byte == Bytes{0});  // the flush's
  CHECK(counts.max_end_byte == Bytes{1 << 30});
  CHECK(counts.unique_4k_pages_written == 1);
}

TEST_CASE("pages written are counted once, whichever way they are covered") {
  PageSet pages;
  pages.add(Bytes{4095}, Bytes{2});  // the last byte of page 0 and the first of page 1
  CHECK(pages.size() == 2);
  pages.add(Bytes{0}, Bytes{8192});
  CHECK(pages.size() == 2);
  pages.add(Bytes{4096 * 100}, Bytes{0});
  CHECK(pages.size() == 2);
  // A write of nearly the whole address space costs no more memory than a small one.
  pages.add(Bytes{4096}, Bytes{std::numeric_limits<std::uint64_t>::max() - 8192});
  CHECK(pages.size() == (std::uint64_t{1} << 52) - 1);
}

TEST_CASE("pages written equal those of a plain set over random requests") {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    PageSet pages;
    std::set<std::uint64_t> expected;
    for (int i = 0; i < 60; ++i) {
      // Up to four chunks of 2 MiB long, over twenty of them.
      const std::uint64_t offset = random() % (20 * 512 * 8) * 512;
      const std::uint64_t length = (1 + random() % (i % 4 == 0 ? 4 * 512 * 8 : 64)) * 512;
      pages.add(Bytes{offset}, Bytes{length});
      for (std::uint64_t page = offset / 4096; page * 4096 < offset + length; ++page) {
        expected.insert(page);
      }
    }
    CHECK(pages.size() == expected.size());
  }
}

TEST_CASE("requests within the device are issued as they are, up to the last sector") {
  OutOfRangeRule rule(OutOfRange::error, Bytes{1 << 20}, {{"a.trace"}});
  CHECK(issued(rule, record_of(Kind::write, (1 << 20) - 512, 512)) ==
        std::vector{write((1 << 20) - 512, 512)});
  CHECK(issued(rule, record_of(Kind::read, 0, 1 << 20)).size() == 1);
  CHECK(issued(rule, record_of(Kind::flush, 0, 0)).size() == 1);
  CHECK(rule_error(OutOfRange::error, record_of(Kind::write, 1 << 20, 512)) ==
        "a.trace:7: expected a request within the device of 1048576 bytes, found a write of 512 "
        "bytes at byte 1048576");
  CHECK(rule_error(OutOfRange::error, record_of(Kind::write, (1 << 20) - 512, 1024)) != "none");
  // An end that would not fit 64 bits if it were computed.
  CHECK(rule_error(OutOfRange::error, record_of(Kind::write, ~std::uint64_t{511}, 1024)) != "none");
}

TEST_CASE("wrap takes the offset modulo the device and loses no byte at its end") {
  constexpr std::uint64_t device = 1 << 20;
  OutOfRangeRule rule(OutOfRange::wrap, Bytes{device}, {{"a.trace"}});
  CHECK(issued(rule, record_of(Kind::write, 5 * device + 4096, 512)) ==
        std::vector{write(4096, 512)});
  CHECK(issued(rule, record_of(Kind::write, device - 512, 2048)) ==
        std::vector{write(device - 512, 512), write(0, 1536)});
  CHECK(issued(rule, record_of(Kind::write, 3 * device - 1024, 1024)) ==
        std::vector{write(device - 1024, 1024)});
  Counts counts;
  rule.add_to(counts);
  CHECK(counts.wrapped == 3);
  CHECK(rule_error(OutOfRange::wrap, record_of(Kind::trim, 0, device + 512)) ==
        "a.trace:7: expected a request of at most the device's 1048576 bytes to wrap, found a trim "
        "of 1049088 bytes at byte 0");
}

TEST_CASE("clip keeps what lies within, skip nothing, and both count") {
  constexpr std::uint64_t device = 1 << 20;
  OutOfRangeRule clip(OutOfRange::clip, Bytes{device}, {{"a.trace"}});
  CHECK(issued(clip, record_of(Kind::write, device - 1024, 4096)) ==
        std::vector{write(device - 1024, 1024)});
  CHECK(issued(clip, record_of(Kind::write, device, 4096)).empty());
  Counts counts;
  clip.add_to(counts);
  CHECK(counts.clipped == 1);

  OutOfRangeRule skip(OutOfRange::skip, Bytes{device}, {{"a.trace"}});
  CHECK(issued(skip, record_of(Kind::write, device - 1024, 4096)).empty());
  CHECK(issued(skip, record_of(Kind::write, device - 1024, 1024)).size() == 1);
  counts = {};
  skip.add_to(counts);
  CHECK(counts.clipped == 0);
}

TEST_CASE("a rule for requests out of range has one of the names that are listed") {
  CHECK(out_of_range_policy("wrap") == OutOfRange::wrap);
  CHECK_THROWS_WITH_AS(
      out_of_range_policy("fold"),
      "expected a rule for requests out of range (error, wrap, clip, skip, scale), found 'fold'",
      InputError);
}
