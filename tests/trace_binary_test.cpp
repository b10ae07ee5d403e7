// blktrace's binary files, and fio's logs.
#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

#include "nand/errors.hpp"
#include "sim/trace/formats.hpp"
#include "tests/trace_events_fixture.hpp"

using namespace x25sim;
using namespace x25sim::test;
using trace::Action;

namespace {

using Texts = std::vector<std::string>;

// Fields of an event, as linux/blktrace_api.h has them.
struct Event {
  std::uint32_t magic = 0x65617407;
  std::uint64_t time = 0;
  std::uint64_t sector = 0;
  std::uint32_t bytes = 0;
  std::uint32_t action = 0;
  std::uint32_t device = (8u << 20) + 16;
  std::uint32_t cpu = 0;
  std::uint16_t error = 0;
  std::string payload = {};
};

constexpr std::uint32_t write_bit = 1u << 17;
constexpr std::uint32_t flush_bit = 1u << 18;
constexpr std::uint32_t passthrough_bit = 1u << 25;
constexpr std::uint32_t notify_bit = 1u << 26;
constexpr std::uint32_t discard_bit = 1u << 29;
constexpr std::uint32_t fua_bit = 1u << 31;
constexpr std::uint32_t queued = 1, issued = 7, completed = 8, inserted = 12;

std::string binary(const std::vector<Event>& events, bool big_endian = false) {
  std::string bytes;
  const auto add = [&](std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes += static_cast<char>(value >> (8 * (big_endian ? size - 1 - i : i)) & 0xff);
    }
  };
  std::uint32_t sequence = 0;
  for (const Event& event : events) {
    add(event.magic, 4);
    add(++sequence, 4);
    add(event.time, 8);
    add(event.sector, 8);
    add(event.bytes, 4);
    add(event.action, 4);
    add(77, 4);
    add(event.device, 4);
    add(event.cpu, 4);
    add(event.error, 2);
    add(event.payload.size(), 2);
    bytes += event.payload;
  }
  return bytes;
}

const std::vector<Event> some_events{
    {.action = notify_bit, .payload = std::string("fio\0\0\0\0\0\0\0\0\0\0\0\0\0", 16)},
    {.time = 90, .sector = 8, .bytes = 512, .action = queued},
    {.time = 95, .sector = 8, .bytes = 512, .action = inserted},
    {.time = 100, .sector = 8, .bytes = 4096, .action = issued, .cpu = 3},
    {.time = 110, .sector = 1, .bytes = 512, .action = issued | write_bit | flush_bit | fua_bit},
    {.time = 120, .sector = 0, .bytes = 8192, .action = issued | write_bit | discard_bit},
    {.time = 130, .sector = ~std::uint64_t{0}, .action = issued | flush_bit},
    {.time = 140, .action = issued | write_bit | flush_bit},
    {.time = 150, .action = issued},
    {.time = 160, .bytes = 36, .action = issued | passthrough_bit, .payload = "\x12xyz"},
    // With a control group in front of the payload.
    {.time = 170,
     .sector = 4294967296,
     .bytes = 512,
     .action = issued | write_bit | 1u << 8,
     .device = (259u << 20) + 1,
     .payload = "12345678"},
    {.time = 180, .sector = 8, .bytes = 4096, .action = completed, .error = 5},
};

const Texts issued_texts{
    "read 4096+4096 @100",     "flush first, durable write 512+512 @110",
    "trim 0+8192 @120",        "flush 0+0 @130",
    "flush 0+0 @140",          "other request 0+0 @150",
    "other request 0+36 @160", "write 2199023255552+512 @170",
};

}  // namespace

TEST_CASE("blktrace's events are read in both byte orders") {
  for (const bool big_endian : {false, true}) {
    CAPTURE(big_endian);
    const ReadTrace read = read_trace_text("blktrace", binary(some_events, big_endian));
    CHECK(texts_of(read.records) == issued_texts);
    CHECK(read.devices == Texts{"8,16", "259,1"});
    CHECK(read.records[0].line == 4);  // of the events
    CHECK(read.noted("notifications passed over (names of processes, messages)") == 1);
    CHECK(read.noted("requests as issued to the driver (action D)") == 8);
    CHECK(read.noted("events passed over: Q (queued)") == 1);
  }
  const auto texts = [](Action action) {
    return texts_of(read_trace_text("blktrace", binary(some_events), with_action(action)).records);
  };
  CHECK(texts(Action::queued) == Texts{"read 4096+512 @90"});
  CHECK(texts(Action::inserted) == Texts{"read 4096+512 @95"});
  CHECK(texts(Action::completed) == Texts{"read 4096+4096 @180"});
  CHECK(read_trace_text("auto", binary(some_events)).records.size() == 8);
}

TEST_CASE("a damaged file of blktrace's is an error with the number of the record") {
  const std::string good = binary(some_events);
  CHECK(trace_error("blktrace", good.substr(0, good.size() - 5))
            .find("record 12: expected 48 bytes, found the end of the file after 43 of them") !=
        std::string::npos);
  CHECK(trace_error("blktrace", good.substr(0, 60))
            .find("record 1: expected 64 bytes, found the end of the file after 60 of them") !=
        std::string::npos);
  CHECK(trace_error("blktrace", binary({{.magic = 0x65617405}}))
            .find("record 1: expected version 7 of blktrace's events, found version 5") !=
        std::string::npos);
  CHECK(trace_error("blktrace", binary({{.action = issued}, {.magic = 0x12345607}}))
            .find("record 2: expected an event of blktrace, which begins with 0x656174, found "
                  "0x12345607") != std::string::npos);
  CHECK(trace_error("blktrace",
                    binary({{.sector = 36028797018963967, .bytes = 512, .action = issued}}))
            .find("record 1: expected a request whose last byte is below 2^64") !=
        std::string::npos);
  CHECK(read_trace_text("blktrace", "").records.empty());
}

TEST_CASE("A41: files of several processors are merged by time") {
  const TemporaryFolder folder;
  const std::string late = folder.write(
      "a.blktrace.0", binary({{.time = 200, .sector = 1, .bytes = 512, .action = issued},
                              {.time = 400, .sector = 2, .bytes = 512, .action = issued}}));
  const std::string early =
      folder.write("a.blktrace.1",
                   binary({{.time = 100, .sector = 3, .bytes = 512, .action = issued, .cpu = 1},
                           {.time = 300, .sector = 4, .bytes = 512, .action = issued, .cpu = 1}}));
  const ReadTrace read = read_trace("blktrace", {late, early});
  CHECK(texts_of(read.records) == Texts{"read 1536+512 @100", "read 512+512 @200",
                                        "read 2048+512 @300", "read 1024+512 @400"});
  CHECK(read.devices == Texts{"8,16"});
  CHECK(read.noted("requests as issued to the driver (action D)") == 4);
}

TEST_CASE("A37: reads, writes, trims and syncs of fio's log are each what they are") {
  const ReadTrace read = read_trace_text("fio-iolog",
                                         "fio version 3 iolog\n"
                                         "5 /dev/sda add\n"
                                         "6 /dev/sda open\n"
                                         "7 /dev/sda trim 4096 1048576\n"
                                         "8 b add\n"
                                         "8 b open\n"
                                         "100 b read 1000 4096\n"
                                         "101 /dev/sda write 0 8589934592\n"
                                         "102 /dev/sda sync 4096 0\n"
                                         "103 b datasync 0 0\n"
                                         "104 b sync_file_range 0 4096\n"
                                         "104 b close\n");
  CHECK(texts_of(read.records) == Texts{"trim 4096+1048576 @7000", "read 1000+4096 @100000",
                                        "write 0+8589934592 @101000", "flush 0+0 @102000",
                                        "flush 0+0 @103000", "other request 0+4096 @104000"});
  CHECK(read.devices == Texts{"/dev/sda", "b"});
  CHECK(read.device_of(1) == "b");
  const ReadTrace trims = read_trace_text(
      "fio-iolog", "fio version 2 iolog\na add\na open\na trim 0 4096\na trim 4096 4096\n");
  CHECK(texts_of(trims.records) == Texts{"trim 0+4096 @0", "trim 4096+4096 @0"});
  trace::ReaderOptions milliseconds;
  milliseconds.time_unit_ns = 1'000'000;
  CHECK(read_trace_text("fio-iolog", "fio version 3 iolog\n0 a add\n0 a open\n5 a read 0 512\n",
                        milliseconds)
            .records[0]
            .time_ns == 5'000'000);
}

TEST_CASE("A38: a wait counts from the start of fio's log, not from the wait before it") {
  const ReadTrace read = read_trace_text("fio-iolog",
                                         "fio version 2 iolog\n"
                                         "a add\n"
                                         "a open\n"
                                         "a read 0 512\n"
                                         "wait 4000\n"
                                         "a read 512 512\n"
                                         "a read 1024 512\n"
                                         "a wait 6000 0\n"
                                         "a read 1536 512\n"
                                         "a wait 5000 0\n"
                                         "a read 2048 512\n");
  CHECK(texts_of(read.records) == Texts{"read 0+512 @0", "read 512+512 @4000000",
                                        "read 1024+512 @4000000", "read 1536+512 @6000000",
                                        "read 2048+512 @6000000"});
  CHECK(read.noted("waits until a time after the log's start") == 3);
  CHECK(read.noted("waits until a time that is over: none") == 1);
  CHECK(trace_error("fio-iolog", "fio version 3 iolog\n0 a add\n0 a open\n0 a wait 5 0\n")
            .starts_with("4: expected a request, as version 3"));
}

TEST_CASE("A40: a file that was not added and opened is an error with the line's number") {
  CHECK(trace_error("fio-iolog", "fio version 3 iolog\n100 /dev/x read 1000 4096\n") ==
        "2: expected '/dev/x' to be added before it is opened, used or closed, found it unknown");
  CHECK(trace_error("fio-iolog", "fio version 3 iolog\n1 x add\n100 x read 0 4096\n") ==
        "3: expected 'x' to be opened before it is used, found it closed");
  CHECK(trace_error("fio-iolog", "fio version 2 iolog\nx add\nx open\nx close\nx sync 0 0\n") ==
        "5: expected 'x' to be opened before it is used, found it closed");
  CHECK(trace_error("fio-iolog", "fio version 2 iolog\nx open\n")
            .starts_with("2: expected 'x' to "
                         "be added"));
}

TEST_CASE("logs of fio that can't be read are errors that say why") {
  const auto first = [](const std::string& line) { return trace_error("fio-iolog", line + "\n"); };
  CHECK(first("fio version 1 iolog").find("does not read any more") != std::string::npos);
  CHECK(first("0,0,4096").find("is of version 1") != std::string::npos);
  CHECK(first("fio version 2 iolog ") == "none");
  CHECK(first("Fio version 2 iolog").starts_with("1: expected 'fio version 2 iolog' or"));
  const auto error = [](const std::string& line) {
    return trace_error("fio-iolog", "fio version 3 iolog\n0 a add\n0 a open\n" + line + "\n");
  };
  CHECK(error("5 a b c read 0 512").find("(a path can't hold blanks), found 7 fields") !=
        std::string::npos);
  CHECK(error("5 a read 0").find("found 4 fields") != std::string::npos);
  CHECK(error("x a read 0 512").starts_with("4: expected time"));
  CHECK(error("5 a erase 0 512").starts_with("4: expected read, write, trim"));
  CHECK(error("5 a unlink").starts_with("4: expected add, open, close"));
  CHECK(error("5 a read -1 512").starts_with("4: expected offset in bytes"));
  CHECK(error("5 a read 18446744073709551615 2").find("below 2^64") != std::string::npos);
}
