// Theory's value beside the simulated one, as the user of `x25sim run` sees it.
#include <cmath>
#include <cstdio>
#include <doctest/doctest.h>

#include "tests/cli_fixture.hpp"
#include "tests/near.hpp"

using namespace x25sim::test;

namespace {

constexpr const char* uniform = "rw=randwrite\nbs=4k\nnorandommap\niodepth=8\nloops=2\n";
constexpr const char* long_uniform = "[prepare]\nrw=randwrite\nbs=4k\nnorandommap\nloops=6\n";

// Two dies of 512 blocks of 32 pages: 29,000 of the 32,704 pages of T for the user.
Words many_blocks(const std::string& policy) {
  return {"--set", "controller.populated_channels=1",
          "--set", "nand.blocks_per_die=512",
          "--set", "nand.pages_per_block=32",
          "--set", "firmware.firmware_area=0 %",
          "--set", "drive.sectors=" + std::to_string(29'000 * 8),
          "--set", "firmware.gc_policy=" + policy};
}

// The drive of many blocks instead of the small one: the X25-V again, with other blocks.
Words run_with(const TemporaryFolder& folder, const std::string& policy,
               const std::string& options) {
  return Words{"run", "-d", "x25-v-40"} + many_blocks(policy) +
         Words{"--quiet", folder.write("job.fio", "[job]\n" + options)};
}

Json theory_of(const Words& arguments) { return drive_of(run_json(arguments)).at("theory"); }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("run agrees with theory after a long preparation, under each policy that has one") {
  const TemporaryFolder folder;
  const std::string prepare = folder.write("prepare.fio", long_uniform);
  for (const char* const policy : {"greedy", "fifo", "d-choices", "random"}) {
    CAPTURE(policy);
    const Json drive =
        drive_of(run_json(run_with(folder, policy, uniform) + Words{"--prepare", "filled"} +
                          Words{"--prepare", prepare}));
    const Json& theory = drive.at("theory");
    INFO(theory.dump());
    const auto expected = theory.at("write_amplification_gc").get<double>();
    const auto simulated = drive.at("write_amplification_gc").get<double>();
    CHECK(near(simulated, expected, 0.02 * expected));
    CHECK(near(theory.at("relative_difference").get<double>(), simulated / expected - 1, 1e-12));
    CHECK(theory.at("gc_pages") == drive.at("gc_pages"));
    CHECK(theory.at("gc_valid_pages") == drive.at("gc_valid_pages"));
    CHECK(theory.at("spare_factor") == drive.at("spare_factor_effective"));
    CHECK_FALSE(theory.contains("reason"));
    const bool by_pages = std::string(policy) == "greedy" || std::string(policy) == "d-choices";
    CHECK(theory.at("pages_per_block") == (by_pages ? Json(32) : Json(nullptr)));
    CHECK(theory.at("choices") == (std::string(policy) == "d-choices" ? Json(10) : Json(nullptr)));
  }
}

TEST_CASE("run agrees with theory on a part of the drive, alone and beside stale data") {
  const TemporaryFolder folder;
  const std::string prepare = folder.write("prepare.fio", std::string(long_uniform) + "size=75%\n");
  const std::string job =
      "rw=randrw\nrwmixread=30\nbs=4k\nnorandommap\niodepth=8\nloops=4\nsize=75%\n";
  for (const bool stale : {false, true}) {
    CAPTURE(stale);
    Words arguments = run_with(folder, "greedy", job);
    if (stale) arguments = arguments + Words{"--prepare", "filled"};
    const Json theory = theory_of(arguments + Words{"--prepare", prepare});
    INFO(theory.dump());
    CHECK(theory.at("formula") ==
          (stale ? "greedy, uniform beside stale data" : "greedy, uniform"));
    CHECK(std::abs(theory.at("relative_difference").get<double>()) < 0.02);
  }
}

TEST_CASE("run prints theory's value in its text, as one of the steady state") {
  const TemporaryFolder folder;
  const Words arguments = run_with(folder, "greedy", uniform);
  const Json theory = theory_of(arguments);
  const ProgramResult result = run_program(arguments);
  REQUIRE(result.status == 0);
  char expected[200];
  std::snprintf(expected, sizeof expected,
                "    theory     : %.3f in steady state (greedy, uniform; spare factor 11.3%%, "
                "b=32); simulated %+.1f%%\n",
                theory.at("write_amplification_gc").get<double>(),
                100 * theory.at("relative_difference").get<double>());
  INFO(result.out);
  CHECK(contains(result.out, expected));
}

TEST_CASE("run says why no theory covers a load") {
  const TemporaryFolder folder;
  const auto check = [&](const Words& arguments, const std::string& reason) {
    CAPTURE(reason);
    const Json theory = theory_of(arguments);
    CHECK(theory.at("write_amplification_gc").is_null());
    CHECK(contains(theory.at("reason").get<std::string>(), reason));
    const ProgramResult result = run_program(arguments);
    CHECK(contains(result.out, "theory     : none: " + reason) == (reason != "nothing is written"));
  };
  check(run_with(folder, "greedy", "rw=randread\nbs=4k\nnumber_ios=10\n"), "nothing is written");
  check(run_with(folder, "greedy", "rw=randwrite\nbs=4k\n"), "every block is written once");
  check(run_with(folder, "cat", uniform), "no closed form of cat");
  check(
      run_with(folder, "greedy", std::string(uniform) + "size=50%\n") + Words{"--prepare", "used"},
      "stale data among those that are written");
  check(run_with(folder, "greedy", "rw=randwrite\nbs=2k\nnumber_ios=10\nnorandommap\n"),
        "writes that are not of whole pages");
  check(run_with(folder, "greedy", "rw=write\nbs=4k\nnumber_ios=10\n") + Words{"--prepare", "used"},
        "sequential writes over data out of order");
}

TEST_CASE("a replay has no theory beside it") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("trace.mqsim", "0 0 0 8 0\n1000 0 8 8 0\n");
  const Json theory =
      theory_of(Words{"replay"} + small_drive() + Words{"--format", "mqsim", trace});
  CHECK(theory.at("write_amplification_gc").is_null());
  CHECK(theory.at("reason") == "a recorded trace");
}
