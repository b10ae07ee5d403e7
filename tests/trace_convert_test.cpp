// `x25sim trace convert`.
#include <doctest/doctest.h>
#include <filesystem>

#include "tests/cli_fixture.hpp"

using namespace x25sim::test;

namespace {

const std::string sample =
    "5000 0 8 8 0\n"
    "9000 0 16 16 1\n"
    "9000 0 0 8 2\n";

}  // namespace

TEST_CASE("trace convert writes text to standard output and says what was left out") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.mqsim", sample);
  const auto result = run_program({"trace", "convert", "--format", "mqsim", "--to", "msr", path});
  CHECK(result.status == 0);
  CHECK(result.out == "50,device,0,Write,4096,4096,0\n90,device,0,Read,8192,8192,0\n");
  CHECK(result.err == path +
                          ": 3 records read, 2 written, 1 left out\n"
                          "  left out: trims: the format has none: 1 time, first at line 3\n"
                          "  changed: names of devices, written as numbers: 2 times, first at "
                          "lines 1, 2\n");
}

TEST_CASE("trace convert writes files, blktrace's under the name that its tools expect") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.mqsim", sample);
  const Words convert{"trace", "convert", "--format", "mqsim", path};
  CHECK(run_program(convert + Words{"--to", "blktrace", "-o", folder.file("b")}).status == 0);
  CHECK(std::filesystem::exists(folder.file("b.blktrace.0")));
  CHECK(
      run_program(convert + Words{"--to", "blktrace", "-o", folder.file("c.blktrace.0")}).status ==
      0);
  CHECK(read_file(folder.file("b.blktrace.0")) == read_file(folder.file("c.blktrace.0")));
  // And back, through another format.
  CHECK(run_program({"trace", "convert", "--to", "fio-iolog", "--output", folder.file("d"),
                     folder.file("b.blktrace.0")})
            .status == 0);
  CHECK(read_file(folder.file("d")) ==
        "fio version 3 iolog\n"
        "0 259,0 add\n0 259,0 open\n"
        "0 259,0 write 4096 4096\n"
        "4 259,0 read 8192 8192\n"
        "4 259,0 trim 0 4096\n"
        "4 259,0 close\n");
}

TEST_CASE("trace convert merges files and takes the action that is asked for") {
  const TemporaryFolder folder;
  const std::string one = folder.write("1",
                                       "8,0 0 1 0.000000100 1 Q R 8 + 8 [a]\n"
                                       "8,0 0 2 0.000000300 1 D R 8 + 16 [a]\n");
  const std::string two = folder.write("2", "8,0 1 1 0.000000200 1 Q W 8 + 8 [a]\n");
  const auto result = run_program({"trace", "convert", "--action", "Q", "--to", "mqsim", one, two});
  CHECK(result.status == 0);
  CHECK(result.out == "0 0 8 8 1\n100 0 8 8 0\n");
  CHECK(result.err.find("requests as queued (action Q): 2 times") != std::string::npos);
  CHECK(result.err.find("events passed over: D (issued): 1 time") != std::string::npos);
}

TEST_CASE("a conversion that fails leaves what the file held") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.mqsim", sample + "damaged\n");
  const std::string old = folder.write("old", "what was there");
  const Words convert{"trace", "convert", "--format", "mqsim", "--to", "msr", path, "-o", old};
  const auto result = run_program(convert);
  CHECK(result.status == 2);
  CHECK(result.err.find("a.mqsim:4: expected 5 fields") != std::string::npos);
  CHECK(read_file(old) == "what was there");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
  const auto skipped = run_program(convert + Words{"--skip-malformed"});
  CHECK(skipped.status == 0);
  CHECK(read_file(old).starts_with("50,device,0,Write,"));
  CHECK(skipped.err.find("damaged line, passed over: 1 time, first at line 4") !=
        std::string::npos);
}

TEST_CASE("conversions that can't be are refused") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.mqsim", sample);
  const auto refusal = [&](const Words& options) {
    const auto result = run_program(Words{"trace", "convert", "--format", "mqsim", path} + options);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(refusal({}).find("expected the format to write (--to NAME)") != std::string::npos);
  CHECK(refusal({"--to", "spc"}).find("found 'spc'") != std::string::npos);
  CHECK(refusal({"--to", "blktrace"}).find("expected a file (-o FILE)") != std::string::npos);
  CHECK(refusal({"--to", "msr", "--action", "Q"}).find("--action") != std::string::npos);
  CHECK(run_program(
            {"trace", "convert", "--format", "mqsim", "--to", "msr", folder.write("empty", "")})
            .err.find("found none in the whole file") != std::string::npos);
  CHECK(run_program({"trace", "convert", "--format", "mqsim", "--to", "msr", "-o",
                     folder.file("no/such"), path})
            .status == 3);
}
