// `x25sim trace info`: what is in a trace, and the options of reading one.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "sim/trace/formats.hpp"
#include "tests/cli_fixture.hpp"

using namespace x25sim::test;

namespace {

// The `trace` object of what `trace info` says of `text`.
Json info_of(const std::string& text, const Words& options = {}, const std::string& name = "a") {
  const TemporaryFolder folder;
  return run_json(Words{"trace", "info", folder.write(name, text)} + options)
      .at("x25sim")
      .at("trace");
}

// The message with which the program refuses `arguments`, without its own name.
std::string refusal(const Words& arguments) {
  const ProgramResult result = run_program(arguments);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  constexpr std::string_view program = "x25sim: ";
  REQUIRE(result.err.starts_with(program));
  return result.err.substr(program.size(), result.err.size() - program.size() - 1);
}

}  // namespace

TEST_CASE("trace info counts a trace as its file has it") {
  const Json trace =
      info_of("5 0 8 8 0\n9 0 16 16 1\n7 0 0 8 2\n9 0 8 4 0\n", {"--format", "mqsim"});
  CHECK(trace["records"] == 4);
  CHECK(trace["reads"] == 1);
  CHECK(trace["writes"] == 2);
  CHECK(trace["trims"] == 1);
  CHECK(trace["bytes_written"] == 12 * 512);
  CHECK(trace["bytes_read"] == 8192);
  CHECK(trace["first_ns"] == 5);
  CHECK(trace["last_ns"] == 9);
  CHECK(trace["backward_steps"] == 1);
  CHECK(trace["max_end_byte"] == 32 * 512);
  CHECK(trace["unique_4k_pages_written"] == 1);
  CHECK(trace["issued"] == 0);
}

TEST_CASE("trace info recognizes the format unless it is given") {
  const std::string msr = "128166372003061629,host,1,Read,7014609920,24576,41286\n";
  CHECK(info_of(msr)["bytes_read"] == 24576);
  CHECK(info_of(msr, {"--format", "auto"})["bytes_read"] == 24576);
  CHECK(info_of(msr, {"--format", "msr"})["bytes_read"] == 24576);
}

TEST_CASE("formats take their arguments, units of time and actions from the command line") {
  const Json csv = info_of("R,8,1\nW,16,2\n",
                           {"--format", "csv:time=3,s op=1 offset=2,sectors length=4k,fixed"});
  CHECK(csv["bytes_read"] == 4096);
  CHECK(csv["max_end_byte"] == 16 * 512 + 4096);
  CHECK(csv["last_ns"] == 2'000'000'000);
  CHECK(info_of("0,8,512,R,1.5\n", {"--format", "spc", "--time-unit", "ms"})["first_ns"] ==
        1'500'000);
  const std::string events = "1 D read 0 512 1.0 0 True\n1 C read 0 512 2.0 1 True\n";
  CHECK(info_of(events, {"--action", "C"})["first_ns"] == 2'000'000'000);
  CHECK(info_of(events)["first_ns"] == 1'000'000'000);

  const TemporaryFolder folder;
  const std::string foreign = folder.write("a", "1 0 8 8 1\n");
  CHECK(
      refusal({"trace", "info", "--format", "simplessd", foreign}) ==
      foreign +
          ":1: expected lines that match the regular expression, found 0 of 1 lines matched; line "
          "1 is '1 0 8 8 1'");
  CHECK(refusal({"trace", "info", "--format", "csv", foreign}) ==
        "--format csv: expected op=COLUMN, found no such setting");
}

TEST_CASE("policies lists every trace format") {
  const ProgramResult listed = run_program({"policies"});
  CHECK(listed.status == 0);
  for (const auto& format : x25sim::trace::formats()) {
    CAPTURE(format.name);
    CHECK(listed.out.find("--format                  " + std::string(format.name)) !=
          std::string::npos);
  }
}

TEST_CASE("options of reading a trace that cannot be are refused") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("a", "0 0 0 8 0\n");
  const Words info{"trace", "info", "--format", "mqsim", trace};
  CHECK(refusal(info + Words{"--time-unit", "min"}) ==
        "--time-unit: expected one of ns, 100ns, us, ms, s, found \"min\"");
  CHECK(refusal(info + Words{"--action", "X"}) ==
        "--action: expected one of Q, I, D, C, found \"X\"");
  CHECK(refusal(info + Words{"--action", "D"}) ==
        "--action: expected a format with several events for a request, found \"mqsim\"");
  CHECK(refusal(info + Words{"--output-format", "terse"}) ==
        "--output-format: expected normal or json");
  CHECK(refusal({"trace", "info", "--format", "msr", trace}).starts_with(trace + ":1: expected 7"));
  CHECK(refusal({"trace", "info", "--format", "mqsim", folder.write("none", "# nothing\n")}) ==
        folder.file("none") +
            ": expected records in format mqsim, found none in the whole "
            "file");
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK(refusal({"trace", "info", folder.file("pipe")})
            .starts_with(folder.file("pipe") + ": expected a file, whose format can be"));
}

TEST_CASE("the subcommands of trace are named when there is none, or an unknown one") {
  CHECK(refusal({"trace"}).starts_with("expected a subcommand ("));
  CHECK(refusal({"trace", "inof"}).ends_with("found \"inof\", did you mean 'info'?"));
  const ProgramResult help = run_program({"trace", "info", "--help"});
  CHECK(help.status == 0);
  CHECK(help.out.starts_with("usage: x25sim trace info"));
}

TEST_CASE("trace info tells of an MSR trace what its columns hold") {
  // 100 ns units: the first takes 2 us, the second arrives after 1 us.
  const Json trace = info_of(
      "128166372003061600,host,0,Write,0,8192,20\n"
      "128166372003061610,host,0,Write,8192,4096,5\n"
      "128166372003061610,host,1,Read,0,4096,5\n");
  CHECK(trace["format"] == "msr");
  CHECK(trace["footprint_4k_pages"] == Json{{"read", 1}, {"written", 3}, {"touched", 3}});
  CHECK(trace["overwrite_share"] == 0);
  CHECK(trace["sequential_share"] == Json{{"read", 0}, {"write", 0.5}, {"trim", nullptr}});
  CHECK(trace["sizes"]["write"]["by_power_of_two"] == Json{{"4096", 1}, {"8192", 1}});
  CHECK(trace["interarrival_ns"]["max"] == 1000);
  CHECK(trace["response_ns"]["max"] == 2000);
  CHECK(trace["queue_depth"]["max"] == 3);
  CHECK(trace["alignment"]["aligned"]["4096"] == 3);
  CHECK(trace["devices"].size() == 2);
  CHECK(trace["devices"][1]["name"] == "host.1");
  CHECK(trace["oddities"][0]["lines"] == Json{3});
  CHECK(info_of("0 0 0 8 2\n", {"--format", "mqsim"})["queue_depth"].is_null());
}

TEST_CASE("the action that is taken is named, asked for or not") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a",
                                        "8,0 1 1 0.1 5 Q R 8 + 8 [fio]\n"
                                        "8,0 1 2 0.2 5 D R 8 + 8 [fio]\n");
  const auto heading = [&path](const Words& options) {
    const std::string out = run_program(Words{"trace", "info", path} + options).out;
    return out.substr(path.size(), out.find('\n') - path.size());
  };
  CHECK(heading({}) == ": blkparse, action issued (D)");
  CHECK(heading({"--action", "Q"}) == ": blkparse, action queued (Q)");
  const ProgramResult replay = run_program({"replay", "-d", "x25-v-40", "--format", "auto", path});
  CHECK(replay.out.find("  action       : issued (D)\n") != std::string::npos);
}

TEST_CASE("formats with recorded response times give them in ns, and none where there is none") {
  const auto response = [](const std::string& format, const std::string& text) {
    return info_of(text, {"--format", format})["response_ns"]["max"];
  };
  CHECK(response("systor17", "10.0,0.000806,R,3,0,512\n") == 806'000);
  CHECK(response("systor17", "10.0,,R,3,0,512\n").is_null());
  CHECK(response("biosnoop",
                 "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n"
                 "1.5 dd 12 sda R 8 512 0.25\n") == 250'000);
  CHECK(response("biosnoop",
                 "STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n"
                 "2.5 1.5 dd 12 R 8,0 8 512 -1000\n")
            .is_null());
  CHECK(response("etw",
                 "BeginHeader\n"
                 "DiskRead, TimeStamp, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum\n"
                 "EndHeader\n"
                 "DiskRead, 1000, 0xff, 0x0, 0x200, 120.5, 0\n") == 120'500);
  CHECK(response("wpa",
                 "IO Type;Init Time (s);IO Time (\xc2\xb5s);Size (B);Min Offset;Disk\n"
                 "Read;1,5;1.795,900;512;0x0;0\n") == 1'795'900);
  CHECK(response("wpa", "IO Type;Init Time (s);Size (B);Min Offset;Disk\nRead;1;512;0x0;0\n")
            .is_null());
}

TEST_CASE("trace info as text has what its JSON has") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "5 0 8 8 0\n9 1 16 16 1\n7 0 8 8 0\n");
  const ProgramResult result = run_program({"trace", "info", "--format", "mqsim", path});
  CHECK(result.status == 0);
  CHECK(result.out.starts_with(path + ": mqsim\n  records      : 3 = reads 1 + writes 2 +"));
  for (const char* const line :
       {"  footprint    : 4 KiB pages read=2, written=1, touched=3 (12.0KiB (12.3kB))\n",
        "  overwrites   : 50.0% of the 4 KiB pages", "  queue depth  : n/a\n",
        "  odd          : time before that of the record before: 1 time, first at line 3\n",
        "'0'           2      0       2"}) {
    CAPTURE(line);
    CHECK(result.out.find(line) != std::string::npos);
  }
}
