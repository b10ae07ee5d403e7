// CloudPhysics' traces, binary in both versions and as text, and binary files that are none.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "nand/errors.hpp"
#include "tests/trace_fixture.hpp"

using namespace x25sim;
using namespace x25sim::trace;

namespace {

using Sentences = std::vector<std::string>;

// The lowest `bytes` bytes of `number`, the lowest one first.
std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string version_1(std::uint64_t code, std::uint64_t block, std::uint64_t length,
                      std::uint64_t time, std::uint64_t version = 0x0100) {
  return number(7, 4) + number(length, 4) + number(1, 4) + number(code, 2) + number(version, 2) +
         number(block, 8) + number(time, 8);
}

std::string version_2(std::uint64_t code, std::uint64_t block, std::uint64_t length,
                      std::uint64_t time) {
  return number(code, 2) + number(0x0203, 2) + number(7, 4) + number(length, 4) + number(1, 4) +
         number(block, 8) + number(time, 8) + number(12345, 8);
}

Sentences all_shown(const std::vector<Record>& records) {
  Sentences lines;
  for (const Record& record : records) lines.push_back(shown(record));
  return lines;
}

}  // namespace

TEST_CASE("vscsi records of both versions have blocks, bytes and microseconds") {
  const Sentences expected{"R 4096+8192 @5633898368802000", "W 5632+512 @5633898368803000"};
  CHECK(all_shown(read_text("vscsi", version_1(0x28, 8, 8192, 5633898368802) +
                                         version_1(0x2a, 11, 512, 5633898368803))) == expected);
  const std::string second =
      version_2(0x28, 8, 8192, 5633898368802) + version_2(0x2a, 11, 512, 5633898368803);
  const auto read = read_notes("vscsi", second);
  CHECK(all_shown(read.records) == expected);
  CHECK(read.records[0].response_ns == 12'345'000);
  CHECK(read.records[1].line == 2);
  CHECK(read.devices == Sentences{"", ""});
  CHECK(read.notes.empty());
  CHECK(read_text("vscsi", version_1(0x28, 8, 8192, 1)).at(0).response_ns ==
        Record::unknown_response);
  // One record tells its version as well.
  CHECK(read_text("vscsi", version_1(0x28, 8, 8192, 1)).size() == 1);
  CHECK(read_text("vscsi", version_2(0x28, 8, 8192, 1)).size() == 1);
  CHECK(read_text("vscsi", "").empty());
  ReaderOptions options;
  options.time_unit_ns = 1;
  CHECK(read_text("vscsi", version_1(0x28, 8, 8192, 17), options).at(0).time_ns == 17);
}

TEST_CASE("SCSI operation codes are reads, writes, trims and flushes in all their lengths") {
  const std::vector<std::pair<int, Kind>> kinds{
      {0x08, Kind::read},  {0x28, Kind::read},  {0xa8, Kind::read},  {0x88, Kind::read},
      {0x0a, Kind::write}, {0x2a, Kind::write}, {0xaa, Kind::write}, {0x8a, Kind::write},
      {0x2e, Kind::write}, {0x42, Kind::trim},  {0x35, Kind::flush}, {0x91, Kind::flush},
      {0x41, Kind::other}, {0x93, Kind::other}, {0x00, Kind::other}};
  std::string binary;
  std::string text = "version,time,op,size,lbn\n";
  for (const auto& [code, kind] : kinds) {
    binary += version_1(static_cast<std::uint64_t>(code), 8, 512, 1);
    text += fmt::format("1,1,{:x},512,8\n", code);
  }
  const auto from_binary = read_notes("vscsi", binary);
  const auto from_text = read_notes("vscsi-csv", text);
  REQUIRE(from_binary.records.size() == kinds.size());
  REQUIRE(from_text.records.size() == kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CAPTURE(kinds[i].first);
    CHECK(from_binary.records[i].kind == kinds[i].second);
    CHECK(from_text.records[i].kind == kinds[i].second);
  }
  CHECK(from_binary.notes ==
        Sentences{"UNMAP, whose ranges are not in the trace: block and length are the command's: 1 "
                  "time, first at line 10",
                  "SCSI command that is neither read, write, unmap nor flush: 3 times, first at "
                  "lines 13, 14, 15"});
}

TEST_CASE("A58: a binary file without operations is refused, by name, by content and by auto") {
  CHECK_THROWS_WITH_AS(named_format("oracleGeneral"),
                       doctest::Contains("expected a trace with operations, found the format "
                                         "'oracleGeneral', whose records have time, object, size "
                                         "and next use but do not tell reads from writes"),
                       InputError);
  // Time, object, size, next use: 24 bytes.
  std::string oracle_general;
  for (std::uint64_t i = 0; i < 10; ++i) {
    oracle_general += number(100 + i, 4) + number(8 * i, 8) + number(4096, 4) + number(i + 7, 8);
  }
  const TraceFile file(oracle_general);
  CHECK_THROWS_WITH_AS(read_file("vscsi", file.path()),
                       doctest::Contains("expected vscsi records of version 1 (32 bytes) or 2 (40 "
                                         "bytes), found neither in the first two; libCacheSim's "
                                         "oracleGeneral files"),
                       InputError);
  CHECK_THROWS_AS(recognized_format(file.path()), InputError);
}

TEST_CASE("a damaged vscsi file is an error with the number of its record") {
  const std::string good = version_1(0x28, 8, 512, 1);
  CHECK(error_of("vscsi", good + good + good.substr(0, 31)) ==
        "3: expected a record of 32 bytes, found the end of the file after 31 of them");
  CHECK(error_of("vscsi", good + good + version_1(0x28, 8, 512, 1, 0x0500)) ==
        "3: expected a record of version 1, found version 5");
  CHECK(error_of("vscsi", good + version_1(0x28, std::uint64_t{1} << 55, 512, 1)) ==
        "2: expected a request whose last byte is below 2^64, found block 36028797018963968 and "
        "512 bytes");
  CHECK(error_of("vscsi", good + version_1(0x28, 36028797018963967, 512, 1)) != "none");
  CHECK(error_of("vscsi", good + version_1(0x28, 8, 512, 18446744073709552)) ==
        "2: expected a time below 2^64 ns, found 18446744073709552 times 1000 ns");
  CHECK(read_text("vscsi", good + version_1(0x28, 4294967296, 512, 1)).at(1).offset ==
        Bytes{std::uint64_t{1} << 41});
  ReaderOptions skipping;
  skipping.skip_malformed = true;
  const auto read =
      read_notes("vscsi", good + good + version_1(0x28, 8, 512, 1, 0x0500) + good, skipping);
  CHECK(read.records.size() == 3);
  CHECK(read.malformed == 1);
}

TEST_CASE("a vscsi file longer than the reader's buffer is read whole, whichever way it is cut") {
  std::string binary;
  constexpr std::uint64_t records = 5000;  // 200 kB
  for (std::uint64_t i = 0; i < records; ++i) binary += version_2(0x2a, i, 512, i);
  const auto read = read_text("vscsi", binary);
  REQUIRE(read.size() == records);
  for (std::uint64_t i = 0; i < records; ++i) REQUIRE(read[i].offset == Bytes{512 * i});
  const TraceFile file(binary);
  CHECK(recognized_format(file.path()).name == "vscsi");
}

TEST_CASE("libCacheSim's text form is asked for its header, and has hexadecimal codes") {
  const std::string header = "version,time,op,size,lbn\r\n";
  CHECK(all_shown(read_text("vscsi-csv", header + "1,5633898,2a,512,11\r\n2,5.5,28,4096,8\r\n")) ==
        Sentences{"W 5632+512 @5633898000000000", "R 4096+4096 @5500000000"});
  CHECK(error_of("vscsi-csv", "1,5633898,2a,512,11\n") ==
        "1: expected the header version,time,op,size,lbn, found '1,5633898,2a,512,11'");
  CHECK(error_of("vscsi-csv", header + "1,5633898,2a,512\n").starts_with("2: expected 5 fields"));
  CHECK(error_of("vscsi-csv", header + "1,5633898,2g,512,11\n") ==
        "2: expected SCSI operation code as a hexadecimal number below 2^64, found '2g'");
  CHECK(error_of("vscsi-csv", header + "3,5633898,2a,512,11\n") ==
        "2: expected version 1 or 2, found '3'");
}
