// The options of `x25sim replay` as its user meets them.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/cli_fixture.hpp"

using namespace x25sim::test;

namespace {

constexpr const char* two_devices = "0 3 0 8 0\n1000 7 0 8 0\n2000 3 8 8 0\n";

ProgramResult replay(const TemporaryFolder& folder, const std::string& text,
                     const Words& options = {}) {
  return run_program(Words{"replay"} + small_drive() +
                     Words{"--format", "mqsim", folder.write("a.trace", text)} + options);
}

Json trace_of(const std::string& text, const Words& options = {}) {
  const TemporaryFolder folder;
  const ProgramResult result = replay(folder, text, options + Words{"--output-format", "json"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  return Json::parse(result.out).at("x25sim").at("trace");
}

// The message with which a replay is refused, behind the program's name.
std::string refusal(const std::string& text, const Words& options) {
  const TemporaryFolder folder;
  const ProgramResult result = replay(folder, text, options);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  return result.err;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A11: records of several devices have a region each, and that is said") {
  const Json trace = trace_of(two_devices);
  CHECK(trace["devices"].size() == 2);
  CHECK(trace["devices"][0] ==
        Json{{"name", "3"}, {"records", 2}, {"region_offset", 0}, {"region_length", 1 << 20}});
  CHECK(
      trace["devices"][1] ==
      Json{{"name", "7"}, {"records", 1}, {"region_offset", 1 << 20}, {"region_length", 1 << 20}});
  const TemporaryFolder folder;
  const ProgramResult text = replay(folder, two_devices);
  CHECK(text.err == "x25sim: " + folder.file("a.trace") +
                        ": records of 2 devices, replayed one behind the other on the drive\n");
  CHECK(contains(text.out, "  device       : '7' records=1, at bytes [1048576, 2097152)\n"));
  CHECK(contains(text.out, "  fate         : 3 = issued 3 + merged 0 + refused 0 + skipped 0\n"));
  CHECK(replay(folder, two_devices, {"--devices", "pool"})
            .err.ends_with("replayed as if they were of one\n"));
  CHECK(replay(folder, "0 1 0 8 0\n1 1 8 8 0\n").err.empty());
  CHECK(contains(refusal(two_devices, {"--devices", "refuse"}), ":2: expected records of one"));
  CHECK(trace_of(two_devices, {"--devices", "7"})["skipped"] == 2);
  CHECK(contains(refusal(two_devices, {"--devices", "4"}),
                 ": expected records of device '4', found none; its devices are '3', '7'"));
}

TEST_CASE("a pipe is replayed as long as it need not be read twice") {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string error = run_program(Words{"replay"} + small_drive() +
                                        Words{"--format", "mqsim", "--repeat", "2", pipe})
                                .err;
  CHECK(contains(error, pipe + ": expected a file, which can be read more than once as --repeat"));
}

TEST_CASE("A1: a trace can be replayed many times over") {
  const Json trace = trace_of("0 0 0 8 0\n1000 0 8 8 0\n", {"--repeat", "500"});
  CHECK(trace["records"] == 1000);
  CHECK(trace["issued"] == 1000);
  CHECK(trace["passes"] == 500);
  CHECK(trace["backward_steps"] == 0);
  CHECK(trace["unique_4k_pages_written"] == 2);
  CHECK(trace_of("0 0 0 8 0\n1000 0 8 8 0\n",
                 {"--repeat", "500", "--queue-depth", "4"})["issued"] == 1000);
}

TEST_CASE("every record beyond the drive is counted in the error") {
  std::string text = "0 0 0 8 0\n";
  for (int i = 1; i <= 2000; ++i) text += std::to_string(i) + "000 0 32000 8 0\n";
  CHECK(contains(refusal(text, {}), "2,000 of 2,001 records lie beyond it"));
  CHECK(trace_of(text, {"--out-of-range", "scale"})["scaled"] == 2001);
}

TEST_CASE("times that cannot be are noticed") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + " 0 0 8 1\n";
  CHECK(contains(replay(folder, text).err, "2000 records within 1999 ns"));
  CHECK(replay(folder, text, {"--queue-depth", "8"}).err.empty());
  CHECK(replay(folder, text, {"--time-unit", "us"}).err.empty());
  CHECK(
      contains(replay(folder, "0 0 0 8 0\n40000000000000000 0 0 8 0\n", {"--queue-depth", "1"}).out,
               "last=40000000000000000 ns"));
}

TEST_CASE("--merge and --time-scale change what the drive gets") {
  const std::string text = "0 0 0 8 0\n1000 0 8 8 0\n1000000000 0 16 8 0\n";
  const Json trace = trace_of(text, {"--merge", "128k"});
  CHECK(trace["merged"] == 1);
  CHECK(trace["issued"] == 2);
  const TemporaryFolder folder;
  const Json report =
      Json::parse(replay(folder, text, {"--time-scale", "0.5", "--output-format", "json"}).out);
  CHECK(report["x25sim"]["simulated_s"] == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("options of a replay that cannot be are refused with what was expected") {
  const auto error = [](const Words& options) { return refusal("0 0 0 8 0\n", options); };
  CHECK(error({"--backward-times", "drop"}) ==
        "x25sim: --backward-times: expected clamp, sort[:N] or refuse, found \"drop\"\n");
  CHECK(
      contains(error({"--backward-times", "sort:0"}), "expected sort:N with N from 1 to 1048576"));
  CHECK(contains(error({"--partial-sectors", "round"}), "expected error, expand or refuse"));
  for (const char* const scale : {"0", "-1", "nan", "inf", "x", ""}) {
    CAPTURE(scale);
    CHECK(contains(error({"--time-scale", scale}), "--time-scale: expected a factor above 0"));
  }
  CHECK(contains(error({"--time-scale", "2", "--queue-depth", "4"}), "expected recorded times"));
  CHECK(contains(error({"--merge", "lots"}), "--merge: expected a size from 512 bytes on"));
  CHECK(contains(error({"--repeat", "0"}), "--repeat: expected a whole number from 1"));
}
