// `x25sim endurance` as its user meets it: the report on a drive's life, what makes it longer, and
// jobs that would never end it.
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <thread>

#include "tests/cli_fixture.hpp"
#include "tests/near.hpp"
#include "tests/report_fixture.hpp"

using namespace x25sim::test;
using x25sim::report::contains;

namespace {

// The small drive with four blocks of each die in reserve, worn out by `options`.
Words life_arguments(const TemporaryFolder& folder, const std::string& options,
                     const std::string& cycles = "50") {
  return Words{"endurance"} + small_drive() +
         Words{"--set",
               "firmware.firmware_area=12.5%",
               "--set",
               "nand.rated_cycles=" + cycles,
               "--set",
               "firmware.wear_threshold=10",
               folder.write("job.fio", "[job]\n" + options)};
}

constexpr const char* overwrites = "rw=randwrite\nbs=4k\nnorandommap\n";

Json life(const std::string& options, const Words& further_arguments = {}) {
  const TemporaryFolder folder;
  return run_json(life_arguments(folder, options) + further_arguments);
}

// Equal but for rounding.
doctest::Approx exactly(double expected) { return within(expected, 1e-12); }

double number(const Json& json) { return json.get<double>(); }

std::string error_of(const Words& arguments) {
  const ProgramResult result = run_program(arguments);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  return result.err;
}

}  // namespace

TEST_CASE("the report on a life has every figure and they follow from each other") {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(life_arguments(folder, overwrites) +
                                           Words{"--output-format", "json", "--seed", "7"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  x25sim::report::check_no_undefined_number(result.out);
  const Json report = Json::parse(result.out);
  CHECK(report["version"].is_string());
  CHECK(report["seed"] == 7);
  CHECK(report["drive"] == "x25-v-40");
  CHECK(report["jobs"] == Json{"job"});
  CHECK(report["worn_out"] == true);
  CHECK(report["interrupted"] == false);
  CHECK(report["rated_cycles"] == 50);
  CHECK(report["config"]["nand"]["rated_cycles"] == "50");
  CHECK(report["user_bytes"] == small_bytes);
  CHECK(report["raw_bytes"] == 10 * 32 * 16 * 4096);

  const Json& programs = report["nand_program_pages"];
  const double host = number(report["host_written_bytes"]);
  CHECK(host == 4096 * number(programs["host"]));
  CHECK(number(report["host_written_tb"]) == exactly(host / 1e12));
  CHECK(number(report["drive_writes"]) == exactly(host / small_bytes));
  CHECK(number(report["years_at_20_gb_per_day"]) == exactly(host / 20e9 / 365.25));
  CHECK(report["passes"] == static_cast<std::uint64_t>(host / small_bytes));
  CHECK(report["prepare_host_written_bytes"] == 0);

  const double amplification = number(report["write_amplification"]);
  const double all_programs = static_cast<double>(sum(programs));
  CHECK(amplification == exactly(4096 * all_programs / host));
  double by_cause = 0;
  for (const Json& share : report["write_amplification_by_cause"]) by_cause += number(share);
  CHECK(by_cause == exactly(amplification));
  CHECK(number(report["write_amplification_gc"]) ==
        exactly(1 + number(programs["gc"]) / number(programs["host"])));

  // All but four blocks of each die are in service, and as many more as were replaced.
  const auto retired = report["retired_blocks"].get<std::uint64_t>();
  CHECK(report["reserve_blocks"] == 40);
  CHECK(report["reserve_blocks_left"] == 40 - retired);
  CHECK(retired >= 4);
  const Json& counts = report["erase_count"];
  CHECK(counts["max"] == 50);
  CHECK(number(counts["mean"]) ==
        exactly(number(report["erases"]) / static_cast<double>(280 + retired)));
  CHECK(16 * number(report["erases"]) <= all_programs);
  const double factor = number(report["wear_factor"]);
  CHECK(factor == exactly(50 / number(counts["mean"])));

  CHECK(number(report["cycles_formula"]) == exactly(host * amplification * factor / small_bytes));
  const double formula = number(report["lifetime_formula_bytes"]);
  CHECK(formula == exactly(number(report["raw_bytes"]) * 50 / (amplification * factor)));
  CHECK(number(report["lifetime_formula_relative_difference"]) == exactly(host / formula - 1));
  // Up to what the flash holds at the end, and what is left of the reserve.
  CHECK(formula == within(host, 0.1));
}

TEST_CASE("equal seeds give equal lives and other seeds others") {
  const std::string first = life(overwrites, {"--seed", "3"}).dump();
  CHECK(first == life(overwrites, {"--seed", "3"}).dump());
  CHECK(first != life(overwrites, {"--seed", "4"}).dump());
}

TEST_CASE("each pass of a job has other offsets") {
  // A pass of one block: if it were the same each time, one page would hold data at the end.
  const Json report = life("rw=randwrite\nbs=4k\nnumber_ios=1\n");
  CHECK(report["passes"] > 10'000);
  // Pages overwritten at random amplify; a single one does not.
  CHECK(report["write_amplification_gc"] > 1.5);
}

TEST_CASE("what the preparation wrote belongs to the life") {
  const Json report = life(overwrites, {"--prepare", "used"});
  CHECK(report["prepare_host_written_bytes"] == 2 * small_bytes);
  const double host = number(report["host_written_bytes"]);
  CHECK(report["passes"] == static_cast<std::uint64_t>(host / small_bytes) - 2);
  CHECK(number(life(overwrites, {"--prepare", "steady"})["prepare_host_written_bytes"]) < host);
}

TEST_CASE("a life ends under every kind of firmware and blocks are counted out and in") {
  for (const Words& settings :
       {Words{"gc_pacing=blocking"}, Words{"superblock_dies=2"}, Words{"pool=plane"},
        Words{"write_frontiers=two"},
        Words{"write_frontiers=two-pools", "hot_space=50%", "hot_lbas=50%"},
        Words{"gc_policy=fifo", "wear_leveling=none"}, Words{"gc_policy=cat"}}) {
    CAPTURE(settings.front());
    Words arguments{"--set", "drive.sectors=24000"};
    for (const std::string& setting : settings) {
      arguments = arguments + Words{"--set", "firmware." + setting};
    }
    const Json report = life("rw=randwrite\nbs=4k\n", arguments);
    CHECK(report["worn_out"] == true);
    CHECK(report["erase_count"]["max"] == 50);
    CHECK(report["reserve_blocks"] == 40);
    CHECK(number(report["retired_blocks"]) + number(report["reserve_blocks_left"]) == 40);
    const Json& programs = report["nand_program_pages"];
    CHECK(number(report["host_written_bytes"]) == 4096 * number(programs["host"]));
  }
}

TEST_CASE("large sequential writes wear a drive least") {
  const Json sequential = life("rw=write\nbs=64k\n");
  CHECK(sequential["write_amplification_gc"] == 1.0);
  CHECK(number(sequential["host_written_bytes"]) >
        2 * number(life(overwrites)["host_written_bytes"]));
}

TEST_CASE("reserve and static wear levelling each prolong a life of mostly static data") {
  const std::string hot = "rw=randwrite\nbs=4k\nnorandommap\nsize=20%\n";
  const auto written = [&](const Words& settings) {
    return number(life(hot, Words{"--prepare", "filled"} + settings)["host_written_bytes"]);
  };
  const double both = written({});
  CHECK(both > 1.5 * written({"--set", "firmware.wear_leveling=dynamic"}));
  // As many blocks in service, and none behind them.
  CHECK(both > written({"--set", "nand.blocks_per_die=28", "--set", "firmware.firmware_area=0%"}));
  const Json levelled = life(hot, {"--prepare", "filled"});
  CHECK(levelled["wear_runs"] > 0);
  CHECK(levelled["nand_program_pages"]["wear"] > 0);
  CHECK(levelled["theory"]["erase_count_max"].is_null());
}

TEST_CASE("theory's write amplification and most worn block stand beside the simulated ones") {
  const Json report = life(
      overwrites, {"--set", "nand.rated_cycles=500", "--set", "firmware.wear_threshold=500",
                   "--set", "firmware.gc_policy=random", "--set", "firmware.firmware_area=0%"});
  const Json& theory = report["theory"];
  CHECK(theory["erase_dispersion"] == 1.0);
  CHECK(report["wear_runs"] == 0);
  CHECK(number(theory["erase_count_stddev"]) ==
        within(number(report["erase_count"]["stddev"]), 0.15));
  CHECK(number(theory["erase_count_max"]) == within(500, 0.02));
  CHECK(number(theory["write_amplification_gc"]) ==
        within(number(report["write_amplification_gc"]), 0.05));
  const Json sequential = life("rw=write\nbs=64k\n");
  CHECK(sequential["theory"]["write_amplification_gc"] == 1.0);
  CHECK(sequential["theory"]["erase_dispersion"].is_null());
  CHECK(sequential["theory"]["erase_count_max"].is_null());
}

TEST_CASE("a life in words has its figures with their definitions") {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(life_arguments(folder, overwrites));
  REQUIRE(result.status == 0);
  CHECK(result.err.empty());
  x25sim::report::check_no_undefined_number(result.out);
  for (const char* const part :
       {"x25sim-",
        "Life of x25-v-40 (50 cycles) under job:\n",
        "  end of life  : a block wore out that nothing can replace; complete passes=",
        "  host wrote   : 0.00",
        " TB (of 10^12 bytes) = ",
        " drive writes; 0B of it to prepare\n",
        "    a day      : ",
        " years at 20.0GB a day\n",
        "  write ampl.  : ",
        "    by cause   : host=1.000, gc=",
        "  page progs   : host=",
        "  erase counts : min=",
        ", max=50, avg=",
        "; wear factor=1.",
        " = max / avg\n",
        "  reserve      : ",
        " blocks worn out and replaced, of 40 in reserve; ",
        "  formula      : ",
        " cycles = host writes x write ampl. x wear factor / capacity\n",
        " TB = raw bytes x 50 cycles / (write ampl. x wear factor); simulated "}) {
    CAPTURE(part);
    CHECK(contains(result.out, part));
  }
}

TEST_CASE("jobs that would never wear a drive out are refused") {
  const TemporaryFolder folder;
  for (const char* const options :
       {"rw=randread\nbs=4k\n", "rw=randtrim\nbs=4k\n", "rw=randrw\nrwmixread=100\nbs=4k\n",
        "rw=read\nbs=4k\n[second]\nrw=trim\nbs=64k\n"}) {
    CAPTURE(options);
    CHECK(contains(error_of(life_arguments(folder, options)),
                   "job.fio:1: expected a job that writes (rw=write, randwrite, rw or randrw), "
                   "found none"));
  }
  for (const auto& [options, found] : {std::pair{"time_based\nruntime=1\n", "time_based"},
                                       {"runtime=1\n", "runtime"},
                                       {"ramp_time=1\n", "ramp_time"}}) {
    CAPTURE(options);
    CHECK(contains(error_of(life_arguments(folder, std::string("rw=write\nbs=4k\n") + options)),
                   std::string("job.fio:1: job 'job' is performed without the clock: expected an "
                               "amount of data, found ") +
                       found));
  }
  CHECK(contains(error_of(life_arguments(folder, overwrites, "1") + Words{"--prepare", "used"}),
                 "--prepare: expected a preparation that the drive outlives, found one that takes "
                 "more than its 1 cycles (nand.rated_cycles)"));
  for (const char* const format : {"json+", "terse"}) {
    CHECK(contains(error_of(life_arguments(folder, overwrites) + Words{"--output-format", format}),
                   "--output-format: expected normal or json for a drive's endurance"));
  }
}

TEST_CASE("reads beside writes do not shorten a life") {
  const Json alone = life("rw=randwrite\nbs=4k\n");
  const Json mixed = life("rw=randwrite\nbs=4k\n[reader]\nrw=randread\nbs=4k\n");
  CHECK(mixed["jobs"] == Json{"job", "reader"});
  CHECK(number(mixed["host_written_bytes"]) == within(number(alone["host_written_bytes"]), 0.05));
}

TEST_CASE("an interrupted life is reported as far as it came with status 130") {
  const TemporaryFolder folder;
  Program program(life_arguments(folder, overwrites, "100000000") +
                  Words{"--output-format", "json"});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!program.catches(SIGINT)) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  program.send_signal(SIGINT);
  const ProgramResult result = program.wait();
  CHECK(result.status == 130);
  const Json report = Json::parse(result.out);
  CHECK(report["interrupted"] == true);
  CHECK(report["worn_out"] == false);
  CHECK(report["retired_blocks"] == 0);
}

TEST_CASE("blocks wear out in no other command") {
  const std::string options = "rw=randwrite\nbs=4k\nnorandommap\niodepth=4\nio_size=8m\n";
  const auto drive_with = [&](const char* cycles) {
    return drive_of(run_job(options, {"--prepare", "used", "--set", "firmware.firmware_area=10%",
                                      "--set", std::string("nand.rated_cycles=") + cycles}))
        .dump();
  };
  CHECK(drive_with("1") == drive_with("5000"));
}
