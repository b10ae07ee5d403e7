// The formats with several events for a request: blkparse's text, blktrace's files, ftrace; and the
// tables of biosnoop and iosnoop.
#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "sim/trace/blkparse_layout.hpp"
#include "sim/trace/block_event.hpp"
#include "sim/trace/formats.hpp"
#include "tests/trace_events_fixture.hpp"

using namespace x25sim;
using namespace x25sim::test;
using trace::Action;
using trace::Kind;

namespace {

using Texts = std::vector<std::string>;

const std::string blkparse_events =
    "Input file sda.blktrace.0 added\n"
    "  8,0    1        1     0.000000000   321  A   R 5000 + 8 <- (8,1) 2952\n"
    "  8,0    1        2     0.000000100   321  Q   R 5000 + 8 [tmux: server]\n"
    "  8,0    1        3     0.000000200   321  G   R 5000 + 8 [tmux: server]\n"
    "  8,0    1        4     0.000000300   321  P   N [tmux: server]\n"
    "  8,0    1        5     0.000000400   321  I   R 5000 + 8 [tmux: server]\n"
    "  8,0    1        6     0.000000500   321  M   R 5008 + 8 [tmux: server]\n"
    "  8,0    1        7     0.000000600   321  F   R 4992 + 8 [tmux: server]\n"
    "  8,0    1        8     0.000000700   321  U   N [tmux: server] 1\n"
    "  8,0    1        9     0.000000750   321 UT   N [tmux: server] 2\n"
    "  8,0    1       10     0.000000800   321  D   R 4992 + 24 [tmux: server]\n"
    "  8,0    1        0     0.000000850     0  m   N cfq321S / insert_request\n"
    "  8,0    1       11     0.000000900   321  X   W 100 / 132 [pool[1] x]\n"
    "  8,16   2        1     0.000001000   322  D  WS 64 + 16 [pool[1] x]\n"
    "  8,0    1       12     0.000001100   321  D  DS 0 + 1024 [fstrim]\n"
    "  8,0    1       13     0.000001200   321  D  FN [kworker/1:1H]\n"
    "  8,0    1       14     0.000001300   321  D FWFS 7 + 1 [jbd2/sda1-8]\n"
    "  8,0    1       15     0.000001400   321  D   N 0 (00 ..) [kworker/u65:0]\n"
    "  8,0    1       16     0.000001500   321  D   R 36 (12 00 00 00 24 00 ..) [smartctl]\n"
    "  8,0    1       17     0.000001600   321  D WSM 24 + 8 (    1200) [jbd2/sda1-8]\n"
    "  8,0    1       18     0.000001700   321  D  FWS [sync]\n"
    "  8,0    1       19     0.000001800   321  D  DE 8 + 8 [blkdiscard]\n"
    "  8,0    1       20     0.000001900   321  D  RA 16 + 8 [cat]\n"
    "  8,0    1       21     0.000002000     0  C   R 4992 + 24 [0]\n"
    "  8,0    1       22     0.000002100     0  C  WS 64 + 16 (  123456) [0]\n"
    "  8,0    1       23     0.000002200     0  C  FN 0 [0]\n"
    "  8,0    1       24     0.000002300     0  C  NS 18446744073709551615 [0]\n"
    "  8,0    1       25     0.000002400     0  C   R (12 00 00 00 24 00 ..) [0]\n"
    "  8,0    1       26     0.000002500     0  C   W 8 + 8 [-5]\n"
    "CPU1 (8,0):\n"
    " Reads Queued:           1,        4KiB\t Writes Queued:           0,        0KiB\n"
    " PC Read Disp.:          1,        0KiB\t PC Write Disp.:          0,        0KiB\n"
    " IO unplugs:             0        \t Timer unplugs:           0\n"
    "\n"
    "Total (8,0):\n"
    " Read depth:           165        \t Write depth:           512\n"
    "\n"
    "Throughput (R/W): 0KiB/s / 0KiB/s\n"
    "Events (8,0): 26 entries\n"
    "Skips: 0 forward (0 -   0.0%)\n";

}  // namespace

TEST_CASE("what a request is follows from its RWBS string") {
  const auto text = [](std::string_view rwbs) -> std::string {
    const auto kind = trace::request_kind(rwbs);
    if (!kind) return "none";
    return std::string(kind->flush_first ? "flush first, " : "") +
           (kind->durable ? "durable " : "") + std::string(trace::name(kind->kind));
  };
  CHECK(text("R") == "read");
  CHECK(text("RA") == "read");
  CHECK(text("RSM") == "read");
  CHECK(text("W") == "write");
  CHECK(text("WS") == "write");
  CHECK(text("WBS") == "write");
  CHECK(text("WSM") == "write");
  CHECK(text("FW") == "flush first, write");
  CHECK(text("WF") == "durable write");
  CHECK(text("WFS") == "durable write");
  CHECK(text("FWFS") == "flush first, durable write");
  CHECK(text("FWFSM") == "flush first, durable write");
  CHECK(text("D") == "trim");
  CHECK(text("DS") == "trim");
  CHECK(text("DE") == "trim");
  CHECK(text("FN") == "flush");
  CHECK(text("FF") == "flush");
  CHECK(text("F") == "flush");
  CHECK(text("N") == "other request");
  CHECK(text("NS") == "other request");
  for (const char* const other : {"", "S", "RW", "WX", "WSA", "w", "WSS", "Read", "FFW"}) {
    CAPTURE(other);
    CHECK(text(other) == "none");
  }
}

TEST_CASE("blkparse's lines of the action D are requests, in all forms that they have") {
  const ReadTrace read = read_trace_text("blkparse", blkparse_events);
  CHECK(texts_of(read.records) == Texts{
                                      "read 2555904+12288 @800",
                                      "write 32768+8192 @1000",
                                      "trim 0+524288 @1100",
                                      "flush 0+0 @1200",
                                      "flush first, durable write 3584+512 @1300",
                                      "other request 0+0 @1400",
                                      "other request 0+36 @1500",
                                      "write 12288+4096 @1600",
                                      "flush 0+0 @1700",
                                      "trim 4096+4096 @1800",
                                      "read 8192+4096 @1900",
                                  });
  CHECK(read.records[0].line == 11);
  CHECK(read.devices == Texts{"8,0", "8,16"});
  CHECK(read.device_of(1) == "8,16");
  CHECK(read.noted("requests as issued to the driver (action D)") == 11);
  CHECK(read.noted("events passed over: m (message)") == 1);
  CHECK(read.noted("events passed over: A (remapped)") == 1);
  CHECK(read.noted("events passed over: C (completed)") == 6);
  CHECK(read.noted("passthrough commands, which have no address") == 2);
}

TEST_CASE("A42: the action is chosen, and requests are never counted twice") {
  const auto texts = [](Action action) {
    return texts_of(read_trace_text("blkparse", blkparse_events, with_action(action)).records);
  };
  CHECK(texts(Action::queued) == Texts{"read 2560000+4096 @100"});
  CHECK(texts(Action::inserted) == Texts{"read 2560000+4096 @400"});
  CHECK(texts(Action::completed) == Texts{
                                        "read 2555904+12288 @2000",
                                        "write 32768+8192 @2100",
                                        "flush 0+0 @2200",
                                        "other request 0+0 @2300",
                                        "other request 0+0 @2400",
                                        "write 4096+4096 @2500",
                                    });
  const ReadTrace queued =
      read_trace_text("blkparse", blkparse_events, with_action(Action::queued));
  CHECK(queued.noted("requests as queued (action Q)") == 1);
  CHECK(queued.noted("events passed over: D (issued)") == 11);
  const ReadTrace completed =
      read_trace_text("blkparse", blkparse_events, with_action(Action::completed));
  CHECK(completed.noted("completed with an error") == 1);
}

TEST_CASE("a damaged line of blkparse's is an error with its number") {
  const std::string good = "  8,0    1        1     0.000000000   321  D   R 8 + 8 [a]\n";
  const auto error = [&good](const std::string& line) {
    return trace_error("blkparse", good + line + "\n" + good);
  };
  CHECK(error("") == "none");
  CHECK(error("  8,0    1        2     0.000000000   321  D   R 8 + 8")
            .starts_with("2: expected "
                         "a request"));
  CHECK(error("8,0 1 2 0.000000000 321 D R 8 + [a]").starts_with("2: expected a request as"));
  CHECK(error("8,0 1 2 0.000000000 321 D R 8 - 8 [a]").starts_with("2: expected a request as"));
  CHECK(error("8,0 1 2 0.000000000 321 D R x + 8 [a]").starts_with("2: expected first sector"));
  CHECK(error("8,0 1 2 0.000000000 321 D Q 8 + 8 [a]") ==
        "2: expected the kind of a request, such as R, WS, DS or FWFS, found 'Q'");
  CHECK(error("8,0 1 2 0.000000000 321 E R 8 + 8 [a]") ==
        "2: expected an action of blkparse, such as Q, D or C, found 'E'");
  CHECK(error("8,0 1 2 0.00000000x 321 D R 8 + 8 [a]").starts_with("2: expected time"));
  CHECK(error("8,0 1 2").starts_with("2: expected time"));
  CHECK(error("8 1 2 0.0 321 D R 8 + 8 [a]").starts_with("2: expected an event of blkparse"));
  CHECK(error("8,0 1 2 0.0 321 D R 36028797018963968 + 8 [a]")
            .starts_with("2: expected first "
                         "sector of which"));
  CHECK(error("8,0 1 2 0.0 321 D R 8 (00 11 [a]").starts_with("2: expected a request as"));
  // Behind the summary nothing may come, least of all another trace.
  CHECK(error("Total (8,0):").starts_with("3: expected nothing but blkparse's summary"));
  trace::ReaderOptions skip;
  skip.skip_malformed = true;
  const ReadTrace read = read_trace_text("blkparse", good + "8,0 1 2\n" + good, skip);
  CHECK(read.records.size() == 2);
  CHECK(read.malformed == 1);
}

TEST_CASE("lines that blkparse prints by a format of one's own are read by it") {
  const Texts expected{"write 4096+8192 @1000000002", "flush 0+0 @1000000003"};
  const auto read = [](const std::string& format, const std::string& content) {
    return texts_of(read_trace_text("blkparse:" + format, content).records);
  };
  CHECK(read("%D %2c %8s %5T.%9t %5p %2a %3d %S + %n [%C]\\n",
             "  8,0    1        1     1.000000002   321  D  WS 8 + 16 [a + 5 [b] c]\n"
             "  8,0    1        2     1.000000002   321  C  WS 8 + 16 [x]\n"
             "  8,0    1        3     1.000000003   321  D  FN 0 + 0 [a b]\n") == expected);
  CHECK(read("%T.%t,%d,%S,%n\\n", "1.000000002,W,8,16\n1.000000003,FN,18446744073709551615,0\n") ==
        expected);
  CHECK(read("%a|%d|%S|%N|%T.%t|%e",
             "D|W|8|8192|1.000000002|0\nQ|R|9|512|1.1|0\n"
             "D|FN|0|0|1.000000003|-5\n") == expected);
  CHECK(read("%-12C%%%M:%m %P %T %t %d %S %N\\n",
             "a b         %8:16 00 ff .. 1 000000002 W 8 8192\n"
             "c           %8:16  1 000000003 FN 0 0\n") == expected);
  CHECK(read_trace_text("blkparse:%M:%m %T %d %S %n", "8:16 1 R 8 8\n").devices == Texts{"8,16"});
  CHECK(read_trace_text("blkparse:%T %d %S %n", "1 R 8 8\n")
            .noted("lines taken for requests: the format has no action (%a)") == 1);
  // As of -F D,...: lines of other actions are in the default layout.
  CHECK(read("D,%T.%t %d %S %n",
             "1.000000002 W 8 16\n"
             "  8,0    1        2     1.000000002   321  C   W 8 + 16 [0]\n"
             "1.000000003 FN 0 0\n") == expected);
}

TEST_CASE("several names in a format of blkparse's lines do not take a line's length to a power") {
  // 200^6 ways to cut the line into names.
  const std::string format = "blkparse:%T %d %S %n %C %C %C %C %C %C!";
  std::string names;
  for (int i = 0; i < 200; ++i) names += "a ";
  CHECK(trace_error(format, "1 R 8 8 " + names + "\n").starts_with("1: expected an event as"));
  CHECK(texts_of(read_trace_text(format, "1 R 8 8 " + names + "!\n").records) ==
        Texts{"read 4096+4096 @1000000000"});
}

TEST_CASE("formats of blkparse's lines that can't be, and lines that do not fit, are errors") {
  const auto error = [](const std::string& format) {
    return trace_error("blkparse:" + format, "1.0 R 8 8\n");
  };
  CHECK(error("%T %d %n") ==
        "expected %S (the first sector) in the format of blkparse's lines, found '%T %d %n'");
  CHECK(error("%T %d %S").starts_with("expected %n (the number of sectors or bytes)"));
  CHECK(error("%T %S %n").starts_with("expected %d"));
  CHECK(error("%d %S %n %u").starts_with("expected %T (seconds; %u is not when a request came"));
  CHECK(error("%T %d %S %n %x").find("found '%x'") != std::string::npos);
  CHECK(error("%T %d %S %n %").find("found '%'") != std::string::npos);
  CHECK(error("%T\\n%d %S %n").find("found '\\n'") != std::string::npos);
  CHECK(error("%T.%t,%d,%S,%n") ==
        "1: expected an event as '%T.%t,%d,%S,%n' prints it, found '1.0 R 8 8'");
  CHECK(trace_error("blkparse:%T.%t %d %S %n", "1.9999999999 R 8 8\n").find("below 10^9") !=
        std::string::npos);
}

TEST_CASE("events of ftrace and perf are read, whatever the kernel's age") {
  const std::string events =
      "# tracer: nop\n"
      "       supervise-1692  [001] d... 7269912.982162: block_bio_queue: 202,1 W 64 + 8 [a b]\n"
      "       supervise-1692  [001] d... 7269912.982163: block_rq_insert: 202,1 W 0 () 64 + 8 [a]\n"
      "       my proc-1692    [001] d... 7269912.982164: block_rq_issue: 202,1 W 0 () 64 + 8 [a]\n"
      " => blk_peek_request\n"
      "CPU:1 [LOST 17 EVENTS]\n"
      "          <idle>-0     [001] d.h. 7269912.982165: block_rq_complete: 202,1 W () 64 + 8 [0]\n"
      "fio  9 [003]  7269912.982166: block:block_rq_issue: 259,0 FWFS 512 () 8 + 1 none,0,0 [fio]\n"
      "\tffffffff81234567 blk_mq_start_request ([kernel.kallsyms])\n"
      "fio  9 [003]  7269912.982167: block:block_rq_issue: 259,0 DS 4096 () 8 + 8 rt,4 [fio]\n"
      "fio  9 [003]  7269912.982168: block:block_rq_issue: 259,0 FF 0 () 18446744073709551615 + 0 "
      "[kworker/0:1H]\n"
      "fio  9 [003]  7269912.982169: block:block_rq_issue: 259,0 N 36 (12 00 00) 0 + 0 [smartctl]\n"
      "fio  9 [003]  7269912.982170: sched:sched_switch: prev_comm=fio\n"
      "fio  9 [003]  7269912.982171: block_rq_complete: 259,0 W () 8 + 8 none,0,0 [-5]\n";
  const ReadTrace issued = read_trace_text("ftrace", events);
  CHECK(texts_of(issued.records) == Texts{
                                        "write 32768+4096 @7269912982164000",
                                        "flush first, durable write 4096+512 @7269912982166000",
                                        "trim 4096+4096 @7269912982167000",
                                        "flush 0+0 @7269912982168000",
                                        "other request 0+36 @7269912982169000",
                                    });
  CHECK(issued.devices == Texts{"202,1", "259,0"});
  CHECK(issued.noted("places where the tracer lost events") == 1);
  CHECK(issued.noted("lines of stacks passed over") == 2);
  CHECK(issued.noted("events passed over: of another kind") == 1);
  CHECK(issued.noted("events passed over: C (completed)") == 2);
  const auto texts = [&events](Action action) {
    return texts_of(read_trace_text("ftrace", events, with_action(action)).records);
  };
  CHECK(texts(Action::queued) == Texts{"write 32768+4096 @7269912982162000"});
  CHECK(texts(Action::inserted) == Texts{"write 32768+4096 @7269912982163000"});
  CHECK(texts(Action::completed) ==
        Texts{"write 32768+4096 @7269912982165000", "write 4096+4096 @7269912982171000"});
  CHECK(trace_error("ftrace", "Tracing block I/O\n").starts_with("1: expected an event of ftrace"));
  const auto error = [](const std::string& request) {
    return trace_error("ftrace", "a-1 [000] d... 1.5: block_rq_issue: " + request + "\n");
  };
  CHECK(error("8,0 R 0 () 8 + 8 [a]") == "none");
  CHECK(error("8,0 R 0 () 8 + 8").starts_with("1: expected a request as"));
  CHECK(error("8,0 R 0 () 8 + 8 [a").starts_with("1: expected a request as"));
  CHECK(error("8,0 R () 8 + 8 [a]").starts_with("1: expected bytes"));
  CHECK(error("8,0 X 0 () 8 + 8 [a]").starts_with("1: expected a request as"));
}

TEST_CASE("a request in biosnoop's table comes when it was complete, less its latency") {
  const ReadTrace read = read_trace_text(
      "biosnoop",
      "Some words about the tool.\n"
      "\n"
      "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)\n"
      "0.000004    supervise      1950   xvda1   W 8          4096       0.74\n"
      "1.022346    tmux: server   1950   xvdb    R 16         8192       0.93\n"
      "1.022400    sync           1950   xvdb    F -1         0          1.00\n"
      "[...]\n"
      "1.022500    a              1950   xvdb    D 8          512       -0.10\n"
      "\n"
      "There are 4 write IOPS, 0 reads.\n"
      "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)\n"
      "0.500000    kworker/u72:1  13379  nvme1n1 WS 8         512       9.99    100.00\n");
  CHECK(texts_of(read.records) == Texts{
                                      "write 4096+4096 @0",
                                      "read 8192+8192 @1021416000",
                                      "flush 0+0 @1021400000",
                                      "trim 4096+512 @1022500000",
                                      "write 4096+512 @400000000",
                                  });
  CHECK(read.devices == Texts{"xvda1", "xvdb", "nvme1n1"});
  CHECK(read.noted("tables") == 2);
  CHECK(read.noted("lines outside of tables passed over") == 3);
  CHECK(read.noted("requests that were issued before the time 0: they come at it") == 1);
}

TEST_CASE("iosnoop's tables are read with and without times") {
  const ReadTrace read = read_trace_text(
      "biosnoop",
      "Tracing block I/O. Ctrl-C to end.\n"
      "COMM             PID    TYPE DEV      BLOCK        BYTES     LATms\n"
      "supervise        1809   RM   202,1    8            4096       1.32\n"
      "\n"
      "STARTs         ENDs           COMM      PID    TYPE DEV      BLOCK   BYTES     LATms\n"
      "5982800.302061 5982800.302679 supervise 1809   W    202,16   16      512       0.62\n"
      "^C\n"
      "Ending tracing...\n"
      "\n"
      "ENDs           COMM      PID    TYPE DEV      BLOCK   BYTES     LATms\n"
      "5982800.302679 supervise 1809   W    202,16   16      512       0.50\n");
  CHECK(texts_of(read.records) == Texts{"read 4096+4096 @0", "write 8192+512 @5982800302061000",
                                        "write 8192+512 @5982800302179000"});
  CHECK(read.devices == Texts{"202,1", "202,16"});
  CHECK(read.noted("requests in tables without times: they come at 0") == 1);
}

TEST_CASE("A56: a request that was complete before it was issued is counted") {
  const std::string note =
      "requests that were complete before they were issued: the clock went backwards, their "
      "latency is not used";
  const ReadTrace started =
      read_trace_text("biosnoop",
                      "STARTs    ENDs      COMM PID TYPE DEV   BLOCK BYTES LATms\n"
                      "10.500000 10.400000 a    1   W    8,0   8     512   0.00\n");
  CHECK(texts_of(started.records) == Texts{"write 4096+512 @10500000000"});
  CHECK(started.noted(note) == 1);
  const ReadTrace negative = read_trace_text("biosnoop",
                                             "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n"
                                             "2.000000 a 1 sda W 8 512 -0.50\n");
  CHECK(texts_of(negative.records) == Texts{"write 4096+512 @2000000000"});
  CHECK(negative.noted(note) == 1);
}

TEST_CASE("damaged rows of a table, and tables without addresses, are errors") {
  const std::string heading = "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n";
  const auto error = [&heading](const std::string& row) {
    return trace_error("biosnoop", heading + row + "\n");
  };
  CHECK(error("0.1 a 1 sda W 8 512 0.5") == "none");
  CHECK(error("0.1 a 1 sda W 8") ==
        "2: expected a row of the table's 8 columns, found '0.1 a 1 sda W 8'");
  CHECK(error("0.1 a 1 sda W 8 x 0.5").starts_with("2: expected a row"));
  CHECK(error("0.1 a 1 sda W x 512 0.5").starts_with("2: expected first sector"));
  CHECK(error("0.1 a 1 sda Z 8 512 0.5").starts_with("2: expected the kind of a request"));
  CHECK(error("x a 1 sda W 8 512 0.5").starts_with("2: expected time"));
  CHECK(trace_error("biosnoop", "COMM PID DISK LAT(ms)\n").starts_with("1: expected columns with"));
  CHECK(trace_error("biosnoop", "COMM PID DISK NEW\n") ==
        "1: expected columns of biosnoop or iosnoop, found 'NEW'");
  CHECK(trace_error("biosnoop", "TIME(ms)  DISK  COMM  PID  LAT(ms)\n611 nvme0n1 bash 4179 10\n")
            .find("bpftrace's biosnoop.bt, which has neither") != std::string::npos);
}

TEST_CASE("formats that can be told from their content are recognized") {
  CHECK(read_trace_text("auto", blkparse_events).records.size() == 11);
  CHECK(read_trace_text("auto", "fio version 3 iolog\n0 a add\n0 a open\n5 a read 0 512\n")
            .records.size() == 1);
  CHECK(read_trace_text("auto", "a-1 [000] d... 1.5: block_rq_issue: 8,0 R 0 () 8 + 8 [a]\n")
            .records.size() == 1);
  CHECK(read_trace_text("auto",
                        "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n0.1 a 1 sda W 8 512 0.5\n")
            .records.size() == 1);
}
