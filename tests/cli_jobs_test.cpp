// Jobs on the command line of `x25sim run`.
#include <doctest/doctest.h>
#include <fstream>

#include "tests/cli_fixture.hpp"

using namespace x25sim::test;

namespace {

std::string error_of(const Words& arguments) {
  const ProgramResult result = run_program(Words{"run"} + small_drive() + arguments);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  const std::size_t line = result.err.rfind("x25sim: ");
  REQUIRE(line != std::string::npos);
  return result.err.substr(line + 8, result.err.size() - line - 9);
}

}  // namespace

TEST_CASE("jobs of the command line do what those of a file do") {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "a.fio", "[global]\nbs=8k\nsize=1m\n[x]\nrw=randwrite\n[y]\nstonewall\nrw=read\n");
  const Words on_line{"--bs=8k", "--size=1m", "--name=x",    "--rw",     "randwrite",
                      "--name",  "y",         "--stonewall", "--rw=read"};
  auto own = run_json(Words{"run"} + small_drive() + on_line);
  auto other = run_json(Words{"run"} + small_drive() + Words{file});
  REQUIRE(own["jobs"].size() == 2);
  CHECK(own["jobs"][0]["jobname"] == "x");
  CHECK(own["jobs"][0]["write"]["total_ios"] == 128);
  CHECK(own["jobs"][1]["read"]["total_ios"] == 128);
  CHECK(own["jobs"] == other["jobs"]);
}

TEST_CASE("the program's own options keep their meaning among those of jobs") {
  const TemporaryFolder folder;
  const std::string output = folder.file("out.json");
  const ProgramResult result =
      run_program(Words{"run", "--name=x", "--quiet", "--rw=read", "--output", output,
                        "--output-format", "json", "--size=64k", "--seed=5", "--direct=1"} +
                  small_drive());
  CHECK(result.status == 0);
  CHECK(result.out.empty());
  CHECK(result.err.empty());
  std::ifstream file(output);
  const Json report = Json::parse(file);
  CHECK(report["jobs"][0]["read"]["total_ios"] == 16);
}

TEST_CASE("errors of jobs on the command line name their word") {
  CHECK(error_of({"--name=x", "--bs=4x"}).starts_with("--bs=4x: bs: expected a block size"));
  CHECK(error_of({"--name=x", "--bs", "4x"}).starts_with("--bs=4x: bs: expected a block size"));
  CHECK(error_of({"--nmae=x"}) == "unknown option '--nmae', did you mean '--name'?");
  CHECK(error_of({"--name=x", "--iodpeth=4"}) ==
        "unknown option '--iodpeth', did you mean '--iodepth'?");
  CHECK(error_of({"--name=x", "--outptu=f"}) ==
        "unknown option '--outptu', did you mean '--output'?");
  CHECK(error_of({"--name=x", "--zonemode=zbd"}) ==
        "--zonemode=zbd: option 'zonemode' is not supported");
  CHECK(error_of({"--rw=read"}) ==
        "--rw=read: expected --name=JOB beside the options of a job, found none");
  CHECK(error_of({"--name=x", "a.fio"}) ==
        "expected job files or jobs on the command line, found both: 'a.fio' and '--name=x'");
  CHECK(error_of({"--name=x", "--read_iolog=a"})
            .starts_with("--read_iolog=a: read_iolog: a: can't open the trace: No such file"));
}
