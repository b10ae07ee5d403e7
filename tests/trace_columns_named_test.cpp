// The formats whose columns the user names: csv by numbers or a header, simplessd by an expression.
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "nand/errors.hpp"
#include "tests/trace_fixture.hpp"

using namespace x25sim;
using namespace x25sim::trace;

namespace {

using Sentences = std::vector<std::string>;

Sentences all_shown(const std::vector<Record>& records) {
  Sentences lines;
  for (const Record& record : records) lines.push_back(shown(record));
  return lines;
}

Sentences csv(const std::string& columns, const std::string& text) {
  return all_shown(read_text("csv:" + columns, text));
}

// The message in which opening a trace with `format` ends.
std::string refusal_of(const std::string& format) {
  const TraceFile file("");
  try {
    read_file(format, file.path());
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("columns of a csv trace have the units that their settings name") {
  const std::string text = "2.5,R,8,1024\n3,w,16,512\n";
  CHECK(csv("time=1,s op=2 offset=3,sectors length=4,bytes", text) ==
        Sentences{"R 4096+1024 @2500000000", "W 8192+512 @3000000000"});
  CHECK(csv("time=1,ms op=2 offset=3,4k length=4,bytes", text) ==
        Sentences{"R 32768+1024 @2500000", "W 65536+512 @3000000"});
  CHECK(csv("time=1,us op=2 offset=3,bytes length=4,sectors", text) ==
        Sentences{"R 8+524288 @2500", "W 16+262144 @3000"});
  CHECK(csv("time=1,100ns op=2 offset=3,1000 length=8k,fixed", text) ==
        Sentences{"R 8000+8192 @250", "W 16000+8192 @300"});
  CHECK(csv("time=1,ns op=2 offset=3,sectors length=4096,fixed", text) ==
        Sentences{"R 4096+4096 @3", "W 8192+4096 @3"});
  // Without a time all are at 0, and times that are given twice are added.
  CHECK(csv("op=2 offset=3,sectors length=4,bytes", text) ==
        Sentences{"R 4096+1024 @0", "W 8192+512 @0"});
  CHECK(csv("time=1,s time=2,ns op=3 offset=4,bytes length=5,bytes", "7,000000012,R,512,1024\n") ==
        Sentences{"R 512+1024 @7000000012"});
  CHECK(csv("op=1 offset=2,sectors length=3,bytes", "R,0x10,0x200\n") ==
        Sentences{"R 8192+512 @0"});
  CHECK(csv("op=1 offset=2,sectors length=3,bytes hex=1", "R,10,0x200\n") ==
        Sentences{"R 8192+512 @0"});
  ReaderOptions options;
  options.time_unit_ns = 10;
  CHECK(all_shown(read_text("csv:time=1,s op=2 offset=3,sectors length=4,bytes", text, options)) ==
        Sentences{"R 4096+1024 @25", "W 8192+512 @30"});
}

TEST_CASE("columns of a csv trace may be named by its header, in any order") {
  const std::string text =
      "Size;Offset;Type;When\n"
      "512;4096;Read;1\n"
      "1024;8192;Write;2\n";
  const std::string columns = "offset=Offset,bytes length=Size,bytes op=Type time=When,us";
  CHECK(csv(columns + " separator=;", text) == Sentences{"R 4096+512 @1000", "W 8192+1024 @2000"});
  CHECK(csv(columns + " separator=; header=2", "a title\n" + text) ==
        Sentences{"R 4096+512 @1000", "W 8192+1024 @2000"});
  CHECK(csv("offset=2,bytes length=1,bytes op=3 header=1 separator=;", text) ==
        Sentences{"R 4096+512 @0", "W 8192+1024 @0"});
  CHECK(error_of("csv:separator=; " + columns, "Size;Offset;Type;Time\n") ==
        "1: expected a header with one column 'When', found 'Size;Offset;Type;Time'");
  CHECK(error_of("csv:separator=; " + columns, "Size;Size;Offset;Type;When\n") ==
        "1: expected a header with one column 'Size', found 'Size;Size;Offset;Type;When'");
  CHECK(error_of("csv:offset=2,bytes length=1,bytes op=3 separator=;", text) ==
        "1: expected offset as an unsigned integer, found 'Offset'");
}

TEST_CASE("columns may be between tabs, blanks or any character, and in quotes") {
  CHECK(csv("op=1 offset=2,bytes length=3,bytes separator=tab", "R\t512\t 1024\n") ==
        Sentences{"R 512+1024 @0"});
  CHECK(csv("op=1 offset=2,bytes length=3,bytes separator=blanks", " R  512 \t 1024  more\n") ==
        Sentences{"R 512+1024 @0"});
  CHECK(csv("op=1 offset=2,bytes length=3,bytes separator=|", "R|512|1024\n") ==
        Sentences{"R 512+1024 @0"});
  const auto read = read_notes("csv:device=1 op=2 offset=3,bytes length=4,bytes",
                               "\"a, b\",\"R\",512,1024\nc,W,0,512\n");
  CHECK(all_shown(read.records) == Sentences{"R 512+1024 @0", "W 0+512 @0"});
  CHECK(read.devices == Sentences{"a, b", "c"});
}

TEST_CASE("words of a csv trace are operations, in the user's words or the usual ones") {
  const std::string usual = "csv:op=1 offset=2,bytes length=3,bytes";
  CHECK(all_shown(read_text(usual,
                            "R,0,1\nread,0,1\nREAD,0,1\nW,0,1\nWrite,0,1\nd,0,1\nT,0,1\n"
                            "discard,0,1\ntrim,0,1\nUNMAP,0,1\nF,0,0\nflush,0,0\nsync,0,0\n")) ==
        Sentences{"R 0+1 @0", "R 0+1 @0", "R 0+1 @0", "W 0+1 @0", "W 0+1 @0", "T 0+1 @0",
                  "T 0+1 @0", "T 0+1 @0", "T 0+1 @0", "T 0+1 @0", "F 0+0 @0", "F 0+0 @0",
                  "F 0+0 @0"});
  CHECK(error_of(usual, "1,0,512\n") ==
        "1: expected an operation (read=r,read write=w,write trim=d,t,discard,trim,unmap "
        "flush=f,flush,sync), found '1'");
  CHECK(csv("op=1 offset=2,bytes length=3,bytes read=0,get write=1 trim=2",
            "0,0,1\nGET,0,1\n"
            "1,0,1\n2,0,1\nF,0,0\n") ==
        Sentences{"R 0+1 @0", "R 0+1 @0", "W 0+1 @0", "T 0+1 @0", "F 0+0 @0"});
  CHECK(error_of(usual + " read=0", "R,0,512\n").starts_with("1: expected an operation (read=0 "));
}

TEST_CASE("A57: names are ids where a format has names, and refused where it has numbers") {
  const auto named = read_notes("csv:device=1 op=2 offset=3,bytes length=4,bytes",
                                "A,R,0,131072\nvol-7,W,4096,512\nA,R,0,512\n");
  CHECK(named.devices == Sentences{"A", "vol-7", "A"});
  CHECK(named.records[0].length == Bytes{131072});
  CHECK(read_notes("msr", "1,A,0,Read,0,512,1\n").devices == Sentences{"A.0"});
  for (const auto& [format, line] :
       std::vector<std::pair<std::string, std::string>>{{"alibaba", "A,R,0,512,1"},
                                                        {"k5", "A,1.0,R,0,512"},
                                                        {"spc", "A,0,512,R,1.0"},
                                                        {"systor17", "1.0,0.1,R,A,0,512"},
                                                        {"tencent", "1,0,1,0,A"},
                                                        {"fiu", "1 2 p 0 1 R A 0 00"},
                                                        {"ssdsim", "1 A 0 1 0"},
                                                        {"disksim", "1.0 A 0 1 0"}}) {
    CAPTURE(format);
    const std::string error = error_of(format, line);
    CHECK(error.ends_with(" as an unsigned integer, found 'A'"));
  }
}

TEST_CASE("a damaged line of a csv trace is an error with line, expectation and finding") {
  const std::string format = "csv:time=1,s op=2 offset=3,sectors length=4,sectors";
  CHECK(error_of(format, "1,R,8,8\n1,R,8\n") ==
        "2: expected at least 4 columns, found 3 in '1,R,8'");
  CHECK(error_of(format, "1,R,8,8\n1,R,8,8,9\n") ==
        "2: expected 4 fields (as in the first record), found 5 in '1,R,8,8,9'");
  CHECK(error_of(format, "1,R,-8,8\n") == "1: expected offset as an unsigned integer, found '-8'");
  CHECK(error_of(format, "1,R,8,1.5\n") ==
        "1: expected length as an unsigned integer, found '1.5'");
  CHECK(error_of(format, "1,R,36028797018963968,8\n").find("below 2^64") != std::string::npos);
  CHECK(error_of(format, "1e9,R,8,8\n") == "1: expected time as an unsigned integer, found '1e9'");
  CHECK(error_of("csv:time=1,s time=2,s op=3 offset=4,bytes length=5,bytes",
                 "18446744073,18446744073,R,0,512\n")
            .starts_with("1: expected times whose sum is below 2^64 ns"));
}

TEST_CASE("without the header that names its columns nothing of a csv trace is read") {
  ReaderOptions skipping;
  skipping.skip_malformed = true;
  const std::string format = "csv:op=Type offset=Offset,bytes length=512,fixed";
  CHECK(read_notes(format, "Kind,Offset\n1,2\nR,512\n", skipping).records.empty());
  CHECK(read_notes(format, "Kind,Offset\n1,2\nR,512\n", skipping).malformed == 3);
  CHECK(all_shown(read_text(format, "?\nType,Offset\nR,512,9\nR,0\n", skipping)).size() == 1);
  // A damaged first record does not decide how many columns there are.
  const auto read =
      read_notes("csv:op=1 offset=2,bytes length=512,fixed", "x,0,1,2\nR,0\nW,512\n", skipping);
  CHECK(all_shown(read.records) == Sentences{"R 0+512 @0", "W 512+512 @0"});
}

TEST_CASE("settings of a csv trace that can't be are refused, each with what was expected") {
  CHECK(refusal_of("csv") == "--format csv: expected op=COLUMN, found no such setting");
  CHECK(refusal_of("csv:op=1 offset=2,bytes") ==
        "--format csv: expected length=COLUMN,UNIT or length=SIZE,fixed, found no such setting");
  CHECK(refusal_of("csv:op=1 length=2,bytes") ==
        "--format csv: expected offset=COLUMN,UNIT, found no such setting");
  const std::string sound = "csv:op=1 offset=2,bytes length=3,bytes";
  CHECK(refusal_of(sound) == "none");
  CHECK(refusal_of(sound + " time=4") ==
        "--format csv: expected COLUMN,UNIT with the unit s, ms, us, 100ns or ns, found time=4");
  CHECK(refusal_of(sound + " time=4,min").find("found time=4,min") != std::string::npos);
  CHECK(refusal_of(sound + " device=0") ==
        "--format csv: expected a column from 1 to 32, found device=0");
  CHECK(refusal_of(sound + " device=33").find("found device=33") != std::string::npos);
  CHECK(refusal_of(sound + " device=") == "--format csv: expected a column, found device=");
  CHECK(refusal_of("csv:op=1 offset=2 length=3,bytes") ==
        "--format csv: expected COLUMN,UNIT with the unit bytes, sectors or a size such as 4096 or "
        "4k, found offset=2");
  CHECK(refusal_of("csv:op=1 offset=2,0 length=3,bytes").find("found offset=2,0") !=
        std::string::npos);
  CHECK(refusal_of("csv:op=1 offset=2,bytes length=0,fixed") ==
        "--format csv: expected SIZE,fixed with a size such as 4096 or 4k, found length=0,fixed");
  CHECK(refusal_of(sound + " size=4") ==
        "--format csv: expected time, op, offset, length, device, hex, separator, header, read, "
        "write, trim or flush, found size=4");
  CHECK(refusal_of(sound + " op=4") == "--format csv: expected op once, found op=4");
  CHECK(refusal_of(sound + " hex") ==
        "--format csv: expected settings KEY=VALUE between blanks, found 'hex'");
  CHECK(refusal_of(sound + " hex=2") == "--format csv: expected hex=0 or hex=1, found hex=2");
  CHECK(refusal_of(sound + " separator=,,") ==
        "--format csv: expected one character, tab or blanks, found separator=,,");
  CHECK(refusal_of(sound + " header=one") ==
        "--format csv: expected a number of lines, found header=one");
  CHECK(refusal_of(sound + " device=Disk header=0") ==
        "--format csv: expected the number of a column, found the name 'Disk'");
  CHECK(refusal_of(sound + " read=R,,0") ==
        "--format csv: expected words between commas, found read=R,,0");
  CHECK(refusal_of(sound + " read=0,W") ==
        "--format csv: expected a word for one kind of operation, found 'w' for several");
}

TEST_CASE(
    "lines of SimpleSSD are requests where they match, and SimpleSSD-SA's need no expression") {
  const auto read = read_notes("simplessd",
                               "# TIME OPERATION SLBA + NLB\n"
                               "0.000000500 W 0x10 + 0x8 c29tZSBkYXRh\n"
                               "0.000001000 R 0x18 + 0x8\n"
                               "no request\n"
                               "0.000002 FWFS 0x20 + 0x1 x\n"
                               "0.000003 FN 0x0 + 0x0\n"
                               "0.000004 DS 0x8 + 0x8\n"
                               "0.000005 SG 0x8 + 0x8\n");
  CHECK(all_shown(read.records) == Sentences{"W 8192+4096 @500", "R 12288+4096 @1000",
                                             "W 16384+512 @2000", "F 0+0 @3000",
                                             "T 4096+4096 @4000", "O 4096+4096 @5000"});
  CHECK_FALSE(read.records[0].durable);
  CHECK(read.records[2].flush_first);
  CHECK(read.records[2].durable);
  CHECK(read.notes ==
        Sentences{"line that the regular expression does not match, passed over: 1 time, first at "
                  "line 4",
                  "operation that is neither R, W, T, D nor F: 1 time, first at line 8"});
}

TEST_CASE("an expression's groups are the columns, and it takes the rest of the settings") {
  const std::string format =
      "simplessd:time=3,s time=4,ns device=1 op=5 offset=6,sectors length=7,sectors "
      R"(regex=(\d+,\d+) +(\d+) +(\d+)\.(\d{9}) D +([A-Z]+) (\d+) \+ (\d+) \[.*\])";
  const auto read = read_notes(format,
                               "8,0 3 1.000000025 D  WS 64 + 8 [a = b]\n"
                               "8,0 3 1.000000030 C  WS 64 + 8 [0]\n"
                               "8,16 3 1.000000035 D   R 80 + 8 [tmux: server]\n");
  CHECK(all_shown(read.records) ==
        Sentences{"W 32768+4096 @1000000025", "R 40960+4096 @1000000035"});
  CHECK(read.devices == Sentences{"8,0", "8,16"});
}

TEST_CASE("A16: an expression that matches no line is an error that shows the first line") {
  CHECK(error_of("simplessd", "# comment\n1 0 8 8 1\n2 0 8 8 1\n3 0 8 8 1\n") ==
        "4: expected lines that match the regular expression, found 0 of 3 lines matched; line 2 "
        "is '1 0 8 8 1'");
  CHECK(error_of("simplessd", std::string(5000, 'x')) ==
        "1: expected a line of at most 4096 characters for a regular expression, found a longer "
        "one");
}

TEST_CASE("settings of an expression that can't be are refused") {
  const std::string columns = "simplessd:op=1 offset=2,bytes length=3,bytes";
  CHECK(refusal_of(columns) ==
        "--format simplessd: expected regex=EXPRESSION, found no such setting");
  CHECK(refusal_of(columns + " regex=(a) (b)") ==
        "--format simplessd: expected an expression with 3 groups, found 2");
  CHECK(refusal_of(columns + " regex=(a (b")
            .starts_with("--format simplessd: expected an ECMAScript regular expression ("));
  // Groups in groups, which would exhaust the library's stack.
  std::string nested(60000, '(');
  nested += 'a' + std::string(60000, ')');
  CHECK(refusal_of(columns + " regex=" + nested) ==
        "--format simplessd: expected a regular expression of at most 1024 characters, found "
        "120001");
  CHECK(refusal_of("simplessd:op=Type offset=2,bytes length=3,bytes regex=(a)(b)(c)") ==
        "--format simplessd: expected the number of a column, found the name 'Type'");
  CHECK(refusal_of(columns + " separator=; regex=(a)(b)(c)") ==
        "--format simplessd: expected time, op, offset, length, device, hex or regex, found "
        "separator=;");
}
