// Windows' traces: xperf's dump of disk events, and the table of Windows Performance Analyzer.
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "tests/trace_fixture.hpp"

using namespace x25sim;
using namespace x25sim::trace;

namespace {

using Sentences = std::vector<std::string>;

const std::string etw_header =
    "BeginHeader\n"
    "  DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, "
    "ElapsedTime, DiskNum, IrpFlags, FileName\n"
    "  DiskWrite, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, "
    "ElapsedTime, DiskNum, IrpFlags, FileName\n"
    "  DiskReadInit, TimeStamp, Process Name ( PID), ThreadID, IrpPtr\n"
    "  DiskFlush, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ElapsedTime, DiskNum\n"
    "EndHeader\n";

const std::string wpa_header =
    "IO Type;Priority;Process (Name);Init Time (s);IO Time (\xc2\xb5s);Size (B);Min Offset;Max "
    "Offset;Disk;Count\r\n";

Sentences all_shown(const std::vector<Record>& records) {
  Sentences lines;
  for (const Record& record : records) lines.push_back(shown(record));
  return lines;
}

}  // namespace

TEST_CASE("events of Windows are disk requests at the times of their issue, by their header") {
  const auto read = read_notes(
      "etw", etw_header +
                 "OS Version: 6.0, Trace Start: 128\n"
                 "  DiskReadInit, 900, a.exe (3), 5, 0xff01\n"
                 "      DiskRead, 1000, a.exe (3), 5, 0xff01, 0x1000, 0x00002000, 100, 0, 0x43, "
                 "\"C:\\one, two\"\n"
                 // The processor's column, which the header does not have.
                 "     DiskWrite, 1500, a.exe (3), 5, 1, 0xff02, 0x10000000000, 0x200, 250, 1, "
                 "0x43, C:\\three, four\n"
                 "     DiskFlush, 1600, a.exe (3), 5, 0xff03, 40, 1\n"
                 "     DiskFlush, 1700, a.exe (3), 5, 3, 0xff03, 2000, 1\n");
  CHECK(all_shown(read.records) == Sentences{"R 4096+8192 @900000", "W 1099511627776+512 @1250000",
                                             "F 0+0 @1560000", "F 0+0 @0"});
  CHECK(read.devices == Sentences{"0", "1", "1", "1"});
  CHECK(read.notes ==
        Sentences{"event that is no completed disk request, passed over: 2 times, first at lines "
                  "7, 8",
                  "request that was issued before the trace began, taken as issued at its begin: 1 "
                  "time, first at line 12"});
}

TEST_CASE("the header gives the place of each column, and the processor's may be among them") {
  const std::string header =
      "BeginHeader\n"
      "DiskRead, TimeStamp, ThreadID, CPU, IrpPtr, DiskNum, IOSize, ByteOffset, ElapsedTime\n"
      "EndHeader\n";
  CHECK(all_shown(read_text("etw", header + "DiskRead, 10, 4, 0, 0xff, 2, 0x200, 0x400, 1\n")) ==
        Sentences{"R 1024+512 @9000"});
  CHECK(error_of("etw", header + "DiskWrite, 10, 4, 0, 0xff, 2, 0x200, 0x400, 1\n") ==
        "4: expected an event that the header describes, found 'DiskWrite'");
}

TEST_CASE("a damaged event of Windows is an error with line, expectation and finding") {
  const auto error = [](const std::string& line) { return error_of("etw", etw_header + line); };
  CHECK(error_of("etw", "DiskRead, 1\n") == "1: expected BeginHeader, found 'DiskRead, 1'");
  CHECK(error_of("etw", "BeginHeader\nDiskRead, TimeStamp\nEndHeader\n") ==
        "2: expected a column IrpPtr, found 'DiskRead, TimeStamp'");
  CHECK(error("DiskRead, 10, a (3), 5, 0xff, 4096, 0x200, 1, 0, 0\n") ==
        "7: expected ByteOffset as 0x and digits, found '4096'");
  CHECK(error("DiskRead, 10, a (3), 5, 0xff, 0x1000, 0x2x0, 1, 0, 0\n") ==
        "7: expected IOSize as a hexadecimal number below 2^64, found '0x2x0'");
  CHECK(error("DiskRead, 10, a (3), 5, 0xff, 0x1000, 0x200\n") ==
        "7: expected at least 9 fields, found 7 in 'DiskRead, 10, a (3), 5, 0xff, 0x1000, 0x200'");
  CHECK(error("DiskRead, 10, a (3), 5\n").starts_with("7: expected IrpPtr as 0x and digits"));
  CHECK(error("DiskRead, x, a (3), 5, 0xff, 0x1000, 0x200, 1, 0, 0\n") ==
        "7: expected TimeStamp as an unsigned integer, found 'x'");
  CHECK(error("DiskRead, 9, a (3), 5, 0xff, 0xffffffffffffffff, 0x200, 1, 0, 0\n")
            .starts_with("7: expected a request whose last byte is below 2^64"));
}

TEST_CASE("the analyzer's numbers have decimal commas and points between thousands") {
  const auto read = read_notes(
      "wpa", wpa_header +
                 "Read;Normal;a.exe (3);1,079943800;1.795,900;16.384;0x0000001000;0x4FFF;0;1\r\n"
                 "Write;Normal;\"b;c\";1.001,5;2;512;0x10000000000;0x100000001FF;1;1\r\n"
                 "Flush;Normal;;2;3;0;0xFFFFFFFFFFFFFFFF;0xFFFFFFFFFFFFFFFF;1;1\r\n");
  CHECK(all_shown(read.records) == Sentences{"R 4096+16384 @1079943800",
                                             "W 1099511627776+512 @1001500000000",
                                             "F 0+0 @2000000000"});
  CHECK(read.devices == Sentences{"0", "1", "1"});
}

TEST_CASE("a damaged row of the analyzer is an error with line, expectation and finding") {
  const auto row = [](const std::string& time, const std::string& size) {
    return error_of("wpa",
                    wpa_header + "Read;Normal;a;" + time + ";1;" + size + ";0x1000;0x1FFF;0;1\r\n");
  };
  CHECK(row("1,5", "4.096") == "none");
  CHECK(row("1.5", "4.096") ==
        "2: expected Init Time with a decimal comma and points between thousands, found '1.5'");
  CHECK(row("1.079943800", "4.096") != "none");
  CHECK(row("1,5", "4.09") != "none");
  CHECK(row("1,5", ".096") != "none");
  CHECK(row("1,5", "1024.096") != "none");
  CHECK(row("1,5", "4.096,5") ==
        "2: expected Size in bytes as an unsigned integer, found '4096.5'");
  CHECK(row("", "4.096") == "2: expected Init Time as an unsigned integer, found ''");
  CHECK(error_of("wpa", "IO Type;Size (B)\r\n") ==
        "1: expected a header with the column 'Init Time (s)', found 'IO Type;Size (B)'");
  CHECK(error_of("wpa", wpa_header + "Read;1\r\n").starts_with("2: expected 10 fields"));
  CHECK(error_of("wpa", wpa_header + "Trim;Normal;a;1;1;512;0x0;0x0;0;1\r\n") ==
        "2: expected IO Type Read, Write or Flush, found 'Trim'");
}

TEST_CASE("Windows' traces are recognized by their headers") {
  const TraceFile etw(etw_header + "DiskRead, 10, a (3), 5, 0xff, 0x1000, 0x200, 1, 0, 0\n");
  CHECK(recognized_format(etw.path()).name == "etw");
  const TraceFile wpa(wpa_header + "Read;Normal;a;1,5;1;512;0x1000;0x11FF;0;1\r\n");
  CHECK(recognized_format(wpa.path()).name == "wpa");
}
