// The text formats with one request a line in columns: what becomes of their fields, and damage.
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "tests/trace_fixture.hpp"

using namespace x25sim;
using namespace x25sim::trace;

namespace {

using Sentences = std::vector<std::string>;

std::vector<std::string> all_shown(const std::vector<Record>& records) {
  std::vector<std::string> lines;
  for (const Record& record : records) lines.push_back(shown(record));
  return lines;
}

// A line of each format, and the record that it is.
struct Sample {
  const char* format;
  const char* line;
  const char* record;
  std::uint64_t unit_ns;  // of its time
  const char* in_units_of_10ns;
};

const std::vector<Sample> samples{
    {"mqsim", "70 0 8 16 0", "W 4096+8192 @70", 1, "W 4096+8192 @700"},
    {"ssdsim", "70 0 8 16 1", "R 4096+8192 @70", 1, "R 4096+8192 @700"},
    {"disksim", "70.25 0 8 16 1", "R 4096+8192 @70250000", 1000000, "R 4096+8192 @703"},
    {"spc", "0,8,4608,w,70.25", "W 4096+4608 @70250000000", 1000000000, "W 4096+4608 @703"},
    {"systor17", "70.250000000,0.001,R,3,4096,8192", "R 4096+8192 @70250000000", 1000000000,
     "R 4096+8192 @703"},
    {"fiu", "70 1234 httpd 8 16 W 8 2 00112233445566778899aabbccddeeff", "W 4096+8192 @70", 1,
     "W 4096+8192 @700"},
    {"alibaba", "17,W,4096,8192,70", "W 4096+8192 @70000", 1000, "W 4096+8192 @700"},
    {"tencent", "70,8,16,1,2000", "W 4096+8192 @70000000000", 1000000000, "W 4096+8192 @700"},
    {"k5", "12,70.250000000,R,4096,8192", "R 4096+8192 @70250000000", 1000000000,
     "R 4096+8192 @703"},
    {"wiscsee", "321 D write 4096 8192 70.25 0.5 True", "W 4096+8192 @70250000000", 1000000000,
     "W 4096+8192 @703"},
};

}  // namespace

TEST_CASE("each format has its own units of address, size and time, and its own operations") {
  ReaderOptions tens;
  tens.time_unit_ns = 10;
  for (const Sample& sample : samples) {
    CAPTURE(sample.format);
    CHECK(all_shown(read_text(sample.format, sample.line)) == Sentences{sample.record});
    CHECK(all_shown(read_text(sample.format, sample.line, tens)) ==
          Sentences{sample.in_units_of_10ns});
  }
}

TEST_CASE("a line that is cut, has one field too many or a letter in a number is an error") {
  for (const Sample& sample : samples) {
    CAPTURE(sample.format);
    const std::string line = sample.line;
    const std::string good = line + "\n";
    const std::size_t last = line.find_last_of(" ,");
    CHECK(error_of(sample.format, good + line.substr(0, last)).starts_with("2: expected "));
    const std::string format = sample.format;
    // Whatever follows the fifth field is legal in these two.
    if (format != "spc" && format != "disksim") {
      const std::string longer = line + line[last] + "1";
      CHECK(error_of(format, good + longer).starts_with("2: expected "));
    }
    const std::size_t time = line.find("70");
    CHECK(error_of(format, good + good + line.substr(0, time) + "7x" + line.substr(time + 2))
              .starts_with("3: expected time"));
    CHECK(error_of(format, good + line.substr(0, time) + "-" + line.substr(time))
              .starts_with("2: expected time"));
  }
}

TEST_CASE("a damaged line can be passed over, is counted, and the others are read") {
  ReaderOptions skipping;
  skipping.skip_malformed = true;
  for (const Sample& sample : samples) {
    CAPTURE(sample.format);
    const std::string line = sample.line;
    const auto read = read_notes(sample.format, line + "\n?\n" + line + "\n", skipping);
    CHECK(read.records.size() == 2);
    CHECK(read.records.back().line == 3);
    CHECK(read.malformed == 1);
    CHECK(read.notes == Sentences{"damaged line, passed over: 1 time, first at line 2"});
  }
}

TEST_CASE("A63: in every format addresses beyond 2 TiB are kept and those beyond 2^64 refused") {
  const std::string sector = "4398046511104";             // 2^42
  const std::string byte = "2251799813685248";            // the same place
  const std::string sector_beyond = "36028797018963967";  // the last one below 2^64
  const std::string byte_beyond = "18446744073709551104";
  for (const Sample& sample : samples) {
    CAPTURE(sample.format);
    const std::string line = sample.line;
    const bool in_bytes = line.find("4096") != std::string::npos;
    const auto with_offset = [&](const std::string& offset) {
      std::string changed = line;
      if (in_bytes) return changed.replace(changed.find("4096"), 4, offset);
      const std::size_t at = changed.find_first_of("8", changed.find_first_of(" ,"));
      return changed.replace(at, 1, offset);
    };
    const auto records = read_text(sample.format, with_offset(in_bytes ? byte : sector));
    REQUIRE(records.size() == 1);
    CHECK(records[0].offset == Bytes{2251799813685248});
    const auto error = error_of(sample.format, with_offset(in_bytes ? byte_beyond : sector_beyond));
    CHECK(error.starts_with("1: expected a request whose last byte is below 2^64"));
    const auto overflow = error_of(sample.format, with_offset("18446744073709551616"));
    CHECK(overflow.find("below 2^64") != std::string::npos);
  }
}

TEST_CASE("times are exact where a floating-point number would not be") {
  // Beyond 2^53 ns, with a last digit that counts.
  CHECK(read_text("systor17", "1456095145.133076003,,W,0,0,512\n").at(0).time_ns ==
        1456095145133076003U);
  CHECK(read_text("disksim", "123456789012.345678 0 0 1 0\n").at(0).time_ns == 123456789012345678U);
  CHECK(read_text("spc", "0,0,512,R,0.0000000005\n").at(0).time_ns == 1);
  CHECK(read_text("spc", "0,0,512,R,0.00000000049999999999\n").at(0).time_ns == 0);
  CHECK(error_of("k5", "1,18446744073.709551616,R,0,512\n").find("below 2^64") !=
        std::string::npos);
  CHECK(read_text("k5", "1,18446744073.709551615,R,0,512\n").at(0).time_ns ==
        18446744073709551615U);
}

TEST_CASE("operation 2 of the five columns is a trim in SSDsim's form and an erase in MQSim's") {
  CHECK(all_shown(read_text("ssdsim", "1 0 8 8 2\n2 0 8 0 2\n")) ==
        Sentences{"T 4096+4096 @1", "T 4096+0 @2"});
  CHECK(error_of("ssdsim", "1 0 8 8 3\n") ==
        "1: expected operation 0 (write), 1 (read) or 2 (trim), found '3'");
}

TEST_CASE("DiskSim's flags are hexadecimal, and their lowest bit reads") {
  CHECK(all_shown(read_text("disksim",
                            "0.5\t0 1 1 b\n0.5 0 1 1 10\n0.5 0 1 1 8000\n"
                            "0.5 0 1 1 0x11\n")) ==
        Sentences{"R 512+512 @500000", "W 512+512 @500000", "W 512+512 @500000",
                  "R 512+512 @500000"});
  CHECK(error_of("disksim", "0.5 0 1 1 g\n") ==
        "1: expected flags as a hexadecimal number below 2^64, found 'g'");
  CHECK(error_of("disksim", "0. 0 1 1 1\n") == "1: expected time as a decimal number, found '0.'");
  CHECK(read_notes("disksim", "0 0 1 1 1 7 extra\n1 0 1 1 1\n").notes ==
        Sentences{"columns behind the fifth, ignored: 1 time, first at line 1"});
}

TEST_CASE("times of DiskSim's closed validation traces are sums of service times and gaps") {
  const auto read = read_notes("disksim-validate",
                               "R Miss  100  8  1500.5  20.25\n"
                               "W Hit   200 16   600.0004   0.0\n"
                               "R Doub 0 1 10.0 10.0\n");
  CHECK(all_shown(read.records) ==
        Sentences{"R 51200+4096 @0", "W 102400+8192 @1520750", "R 0+512 @2120750"});
  CHECK(read.notes == Sentences{"times are sums of the traced disk's service times and gaps: 1 "
                                "time, first at line 1"});
  CHECK(error_of("disksim-validate", "R Hot 100 8 1.0 1.0\n") ==
        "1: expected Hit, Miss, Doub or Trip, found 'Hot'");
  CHECK(error_of("disksim-validate", "T Hit 100 8 1.0 1.0\n") ==
        "1: expected operation R or W, found 'T'");
  CHECK(error_of("disksim-validate", "R Hit 100 8 1.0\n").starts_with("1: expected 6 fields"));
  CHECK(error_of("disksim-validate",
                 "R Hit 0 8 9999999999999999.0 1.0\n"
                 "R Hit 0 8 9999999999999999.0 1.0\n")
            .starts_with("2: expected times whose sum is below 2^64 ns"));
}

TEST_CASE("SPC's units are devices, its sizes any bytes, and what follows the time is ignored") {
  const auto read = read_notes("spc",
                               "0,8,1000,R,0.5\n"
                               "1, 8, 0, w, 0.6, anything, 7\n"
                               "0,9,512,W,1\n");
  CHECK(all_shown(read.records) ==
        Sentences{"R 4096+1000 @500000000", "W 4096+0 @600000000", "W 4608+512 @1000000000"});
  CHECK(read.devices == Sentences{"0", "1", "0"});
  CHECK(read.notes ==
        Sentences{"request that is not of whole sectors of 512 bytes: 1 time, first at line 1",
                  "request without length: 1 time, first at line 2"});
  CHECK(error_of("spc", "0,8,4096,W,2 448003\n") ==
        "1: expected time as an unsigned integer, found '2 448003'");
  CHECK(error_of("spc", "0,8,4096,X,2.0\n") == "1: expected operation R or W, found 'X'");
}

TEST_CASE("a blank type of SYSTOR '17 is neither a read nor a write") {
  const auto read = read_notes("systor17",
                               "Timestamp,Response,IOType,LUN,Offset,Size\r\n"
                               "10.000000500,0.000806000,R,0,512,1024\r\n"
                               "10.000001000,,,4,1024,512\r\n"
                               "Timestamp,Response,IOType,LUN,Offset,Size\r\n"
                               "10.000001000,0.1,W,4,1024,512\r\n");
  CHECK(all_shown(read.records) ==
        Sentences{"R 512+1024 @10000000500", "O 1024+512 @10000001000", "W 1024+512 @10000001000"});
  CHECK(read.devices == Sentences{"0", "4", "4"});
  CHECK(read.notes == Sentences{"type is blank: neither read nor write: 1 time, first at line 3"});
  CHECK(error_of("systor17", "10.0,0.1,T,4,1024,512\n") ==
        "1: expected operation R or W, found 'T'");
}

TEST_CASE("A60: a row of FIU has nine fields in sectors, blocks of 512 bytes and nanoseconds") {
  const auto read = read_notes("fiu",
                               "1000 77 cron 16 8 W 6 0 531e779e\n"
                               "2000 78 cron 24 8 r 6 1 531e779ed3db1b1bcbc5b3f4c5d5e5f5\n");
  CHECK(all_shown(read.records) == Sentences{"W 8192+4096 @1000", "R 12288+4096 @2000"});
  CHECK(read.devices == Sentences{"6,0", "6,1"});
  CHECK(error_of("fiu", "1000 77 cron 16 8 W 6 0\n") ==
        "1: expected 9 fields (time in ns, process, name, sector, blocks, R or W, major, minor, "
        "MD5), found 8 in '1000 77 cron 16 8 W 6 0'");
  CHECK(error_of("fiu", "1000 77 cron 16 8 W 6 0 xyz\n") ==
        "1: expected MD5 sum in hexadecimal digits, found 'xyz'");
}

TEST_CASE("clouds' traces have a device in every line, and Tencent's 0 reads") {
  CHECK(read_notes("alibaba", "3,R,0,512,1\n12,W,0,512,2\n3,R,0,512,3\n").devices ==
        Sentences{"3", "12", "3"});
  CHECK(read_notes("k5", "3,0.1,R,0,512\n12,0.1,W,0,512\n").devices == Sentences{"3", "12"});
  const auto tencent = read_notes("tencent", "5,1,1,0,9\n5,2,1,1,8\n5,1,1,0,9\n");
  CHECK(tencent.devices == Sentences{"9", "8", "9"});
  CHECK(all_shown(tencent.records) ==
        Sentences{"R 512+512 @5000000000", "W 1024+512 @5000000000", "R 512+512 @5000000000"});
  CHECK(error_of("tencent", "5,1,1,R,9\n") ==
        "1: expected operation 0 (read) or 1 (write), found 'R'");
  CHECK(error_of("alibaba", "3,1,0,512,1\n") == "1: expected operation R or W, found '1'");
  // Names in place of numbers.
  CHECK(error_of("alibaba", "A,R,0,512,1\n") ==
        "1: expected device number as an unsigned integer, found 'A'");
}

TEST_CASE("WiscSee's events are those of issue, or of completion where that is asked for") {
  const std::string text =
      "7 D discard 4096 8192 0.000000100 0 False\n"
      "7 D write 8192 4096 0.000000200 1e-07 True\n"
      "0 C discard 4096 8192 0.000000900 0.1 False\n";
  CHECK(all_shown(read_text("wiscsee", text)) == Sentences{"T 4096+8192 @100", "W 8192+4096 @200"});
  ReaderOptions options;
  options.action = Action::completed;
  CHECK(all_shown(read_text("wiscsee", text, options)) == Sentences{"T 4096+8192 @900"});
  options.action = Action::queued;
  const TraceFile file(text);
  CHECK_THROWS_WITH_AS(read_file("wiscsee", file.path(), options),
                       "--action: expected D or C for the format wiscsee, which has no others",
                       InputError);
  CHECK(error_of("wiscsee", "7 D write -8388608 4096 0.1 0.1 False\n") ==
        "1: expected an offset that is not before the partition's begin, found '-8388608'");
  CHECK(error_of("wiscsee", "7 Q write 0 4096 0.1 0.1 False\n") ==
        "1: expected action D or C, found 'Q'");
  CHECK(error_of("wiscsee", "7 D erase 0 4096 0.1 0.1 False\n") ==
        "1: expected operation read, write, discard or flush, found 'erase'");
}

TEST_CASE("a unit of time of zero, or of more than a second, is refused") {
  const TraceFile file("1 0 8 8 1\n");
  ReaderOptions options;
  options.time_unit_ns = 0;
  CHECK_THROWS_WITH_AS(read_file("mqsim", file.path(), options),
                       "expected a unit of time from 1 ns to 1 s, found 0 ns", InputError);
  options.time_unit_ns = 1'000'000'001;
  CHECK_THROWS_AS(read_file("mqsim", file.path(), options), InputError);
  options.time_unit_ns = 1'000'000'000;
  CHECK(read_file("mqsim", file.path(), options).records.at(0).time_ns == 1'000'000'000);
}

TEST_CASE("a format is recognized where its content tells it") {
  for (const Sample& sample : samples) {
    const std::string format = sample.format;
    CAPTURE(format);
    const TraceFile file(std::string(sample.line) + "\n" + sample.line + "\n");
    if (format == "mqsim" || format == "ssdsim") {
      CHECK_THROWS_WITH_AS(
          recognized_format(file.path()),
          doctest::Contains("found a trace that fits disksim, mqsim, ssdsim: they differ in what "
                            "the columns mean, give its --format"),
          InputError);
    } else {
      CHECK(recognized_format(file.path()).name == format);
    }
  }
  const TraceFile result("1000 0 4 0 1000 2000 1000\n");
  CHECK_THROWS_AS(recognized_format(result.path()), InputError);
}
