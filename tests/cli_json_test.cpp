// The JSON of a run: that its fields are there, that its numbers add up, and what each preparation
// leaves behind.
#include <doctest/doctest.h>
#include <set>

#include "sim/config/schema.hpp"
#include "sim/model/write_amplification.hpp"
#include "tests/cli_fixture.hpp"
#include "tests/report_fixture.hpp"

using namespace x25sim::test;

namespace {

constexpr const char* random_write = "rw=randwrite\nbs=4k\nnorandommap\niodepth=4\nio_size=8m\n";

void check_has(const Json& object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    CAPTURE(key);
    CHECK(object.contains(key));
  }
}

// The drive's state after its preparation, for a run that reads one page.
Json prepared(const Words& states, const TemporaryFolder& folder) {
  Words arguments = run_arguments(folder, "rw=read\nbs=4k\nnumber_ios=1\n");
  for (const std::string& state : states) arguments = arguments + Words{"--prepare", state};
  const Json report = run_json(arguments);
  Json state = drive_of(report).at("prepare");
  CHECK(state.at("valid_pages") == drive_of(report).at("valid_pages"));
  // The steps add up to the whole; they carry the names given, which may differ for one effect.
  std::uint64_t written = 0;
  REQUIRE(state.at("steps").size() == states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    CHECK(state.at("steps")[i].at("name") == states[i]);
    written += state.at("steps")[i].at("host_write_bytes").get<std::uint64_t>();
  }
  CHECK(written == state.at("host_write_bytes").get<std::uint64_t>());
  state.erase("steps");
  return state;
}

Json prepared(const Words& states) { return prepared(states, TemporaryFolder{}); }

std::uint64_t bytes_of_jobs(const Json& report, const char* direction) {
  std::uint64_t bytes = 0;
  for (const Json& job : report.at("jobs")) {
    bytes += job.at(direction).at("io_bytes").get<std::uint64_t>();
  }
  return bytes;
}

// What must hold of the counts of any run of whole pages without ramp time.
void check_conservation(const Json& report) {
  const Json& drive = drive_of(report);
  const auto host_bytes = drive["host_write_bytes"].get<std::uint64_t>();
  CHECK(host_bytes == bytes_of_jobs(report, "write"));
  CHECK(drive["host_read_bytes"] == bytes_of_jobs(report, "read"));
  CHECK(drive["host_trim_bytes"] == bytes_of_jobs(report, "trim"));
  const Json& programs = drive["nand_program_pages"];
  const std::uint64_t host_pages = programs["host"].get<std::uint64_t>() +
                                   programs["rmw"].get<std::uint64_t>() +
                                   drive["buffer_merged_pages"].get<std::uint64_t>();
  CHECK(host_pages * 4096 == host_bytes);
  CHECK(programs["gc"] == drive["nand_read_pages"]["gc"]);
  CHECK(report["x25sim"]["flash_ops"] ==
        sum(programs) + sum(drive["nand_read_pages"]) + drive["erases"].get<std::uint64_t>());
  // Every page read came from flash, from a buffer, or has no data.
  const Json& reads = drive["nand_read_pages"];
  CHECK(drive["host_read_bytes"].get<std::uint64_t>() <=
        4096 * (reads["host"].get<std::uint64_t>() +
                drive["unmapped_read_pages"].get<std::uint64_t>() +
                drive["buffer_read_pages"].get<std::uint64_t>() +
                drive["read_ahead_hit_pages"].get<std::uint64_t>()));
  if (host_bytes == 0) {
    CHECK(drive["write_amplification"].is_null());
    CHECK(drive["write_amplification_gc"].is_null());
    return;
  }
  CHECK(
      drive["write_amplification"].get<double>() ==
      doctest::Approx(static_cast<double>(sum(programs)) * 4096 / static_cast<double>(host_bytes)));
}

}  // namespace

TEST_CASE("JSON has every field of the contract, with values that can be") {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(run_arguments(folder, random_write) +
                                           Words{"--prepare", "used", "--output-format", "json"});
  REQUIRE(result.status == 0);
  x25sim::report::check_no_undefined_number(result.out);
  const Json report = Json::parse(result.out);
  const Json& own = report.at("x25sim");
  check_has(own, {"version", "seed", "config", "simulated_s", "wall_s", "flash_ops",
                  "flash_ops_per_s", "drives"});
  CHECK(own["seed"] == 1);
  CHECK(own["interrupted"] == false);
  CHECK(own["simulated_s"] > 0.1);
  CHECK(own["wall_s"] > 0.0);
  const Json& drive = drive_of(report);
  const std::vector<std::string> state{"name",
                                       "host_read_bytes",
                                       "host_write_bytes",
                                       "host_trim_bytes",
                                       "unmapped_read_pages",
                                       "nand_program_pages",
                                       "nand_read_pages",
                                       "erases",
                                       "write_amplification",
                                       "write_amplification_gc",
                                       "erase_count",
                                       "wear_factor",
                                       "wear_runs",
                                       "free_blocks",
                                       "valid_pages",
                                       "spare_factor",
                                       "spare_factor_effective",
                                       "over_provisioning",
                                       "over_provisioning_effective",
                                       "gc_runs",
                                       "gc_pages",
                                       "gc_valid_pages",
                                       "energy_j",
                                       "in_steady_state"};
  check_has(drive, state);
  check_has(drive, {"theory", "busy", "bound_by", "prepare"});
  check_has(drive["prepare"], state);
  check_has(drive["busy"], {"program_slots", "channels", "link", "firmware"});
  check_has(drive["nand_program_pages"], {"host", "gc", "wear", "metadata", "rmw"});
  check_has(drive["nand_read_pages"], {"host", "gc", "wear", "metadata", "rmw"});
  check_has(drive["erase_count"], {"min", "mean", "max", "stddev"});
  CHECK(drive["name"] == "x25-v-40");
  for (const auto& [resource, fraction] : drive["busy"].items()) {
    CAPTURE(resource);
    CHECK(fraction >= 0.0);
    CHECK(fraction <= 1.0);
  }
  const std::set<std::string> bounds{"program_slots", "channels",     "link",       "firmware",
                                     "dies",          "write_buffer", "queue_depth"};
  CHECK(bounds.count(drive["bound_by"]) == 1);
}

TEST_CASE("JSON's state of the drive follows from its geometry and its history") {
  const Json report = run_job(random_write, {"--prepare", "used"});
  const Json& drive = drive_of(report);
  CHECK(drive["valid_pages"] == small_pages);
  CHECK(drive["gc_valid_pages"] == small_pages);
  // 10 dies of 32 blocks: none of 32 x 1.75 % is the firmware's, one of each die is reserved.
  const double gc_pages = 10 * 31 * 16;
  CHECK(drive["gc_pages"] == gc_pages);
  CHECK(drive["spare_factor"] == doctest::Approx((gc_pages - small_pages) / gc_pages));
  CHECK(drive["over_provisioning"] == doctest::Approx((gc_pages - small_pages) / small_pages));
  CHECK(drive["spare_factor_effective"] == drive["spare_factor"]);
  CHECK(drive["over_provisioning_effective"] == drive["over_provisioning"]);
  CHECK(drive["gc_runs"] > 0);
  const Json& wear = drive["erase_count"];
  const auto erases = drive["erases"].get<double>() + drive["prepare"]["erases"].get<double>();
  CHECK(wear["mean"] == doctest::Approx(erases / 320));
  CHECK(drive["wear_factor"] == doctest::Approx(wear["max"].get<double>() * 320 / erases));
  CHECK(drive["wear_runs"] == 0);
  CHECK(wear["min"] <= wear["mean"]);
  CHECK(wear["mean"] <= wear["max"]);
  // What was programmed and not erased since is on the flash: the data, and what is invalid.
  const std::uint64_t on_flash = sum(drive["nand_program_pages"]) +
                                 sum(drive["prepare"]["nand_program_pages"]) -
                                 16 * static_cast<std::uint64_t>(erases);
  CHECK(on_flash >= small_pages);
  CHECK(on_flash + 16 * drive["free_blocks"].get<std::uint64_t>() <= 320 * 16);
}

TEST_CASE("A14, A22: the effective configuration is echoed whole, changed values included") {
  const Json report = run_job("rw=read\nbs=4k\nio_size=64k\n", {"--set", "nand.read_time=77us"});
  const Json& config = report["x25sim"]["config"];
  for (const x25sim::config::Key& key : x25sim::config::schema()) {
    CAPTURE(key.path);
    const std::string path(key.path);
    const std::size_t dot = path.find('.');
    CHECK(config.at(path.substr(0, dot)).contains(path.substr(dot + 1)));
  }
  CHECK(config["nand"]["read_time"] == "77 us");
  CHECK(config["drive"]["sectors"] == std::to_string(small_bytes / 512));
}

TEST_CASE("what the host moved equals what the jobs moved, and programs add up") {
  check_conservation(run_job(random_write));
  check_conservation(run_job(random_write, {"--prepare", "used"}));
  check_conservation(run_job("rw=randrw\nrwmixread=30\nbs=4k\niodepth=8\n"));
  check_conservation(run_job("rw=write\nbs=64k\niodepth=2\nloops=3\n"));
  check_conservation(run_job("rw=randtrim\nbs=64k\nnumber_ios=20\n", {"--prepare", "filled"}));
  check_conservation(run_job("rw=read\nbs=64k\n[second]\nrw=randwrite\nbs=8k\nio_size=2m\n"));
}

TEST_CASE("A61: a run that only reads has no write amplification: null, and n/a in words") {
  const std::string options = "rw=randread\nbs=4k\niodepth=4\nio_size=1m\n";
  const Json report = run_job(options, {"--prepare", "filled"});
  check_conservation(report);
  CHECK(drive_of(report)["write_amplification"].is_null());
  CHECK(drive_of(report)["prepare"]["write_amplification"] == 1.0);
  const TemporaryFolder folder;
  const ProgramResult text = run_program(run_arguments(folder, options));
  CHECK(text.out.find("write ampl.  : n/a") != std::string::npos);
  x25sim::report::check_no_undefined_number(text.out);
}

TEST_CASE("A61: what is copied in idle time while nothing is written amplifies nothing: null") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("a.trace", "0 0 0 8 1\n2000000000 0 8 8 1\n");
  const Json report =
      run_json(Words{"replay"} + small_drive() +
               Words{"--format", "mqsim", trace, "--prepare", "used", "--set",
                     "firmware.gc_pacing=idle", "--set", "firmware.gc_high_watermark=4"});
  check_conservation(report);
  CHECK(drive_of(report)["nand_program_pages"]["gc"] > 0);
  CHECK(drive_of(report)["write_amplification"].is_null());
  CHECK(drive_of(report)["write_amplification_gc"].is_null());
}

TEST_CASE("--prepare fresh and filled leave no page and every page with data") {
  const Json none = prepared({});
  const Json fresh = prepared({"fresh"});
  CHECK(none == fresh);
  CHECK(fresh["valid_pages"] == 0);
  CHECK(fresh["host_write_bytes"] == 0);
  CHECK(fresh["erases"] == 0);
  CHECK(fresh["free_blocks"] == 320);
  for (const char* const undefined :
       {"write_amplification", "wear_factor", "over_provisioning_effective"}) {
    CHECK(fresh[undefined].is_null());
  }

  const Json filled = prepared({"filled"});
  CHECK(filled["valid_pages"] == small_pages);
  CHECK(filled["host_write_bytes"] == small_bytes);
  CHECK(filled["nand_program_pages"]["host"] == small_pages);
  CHECK(filled["gc_runs"] == 0);
  CHECK(prepared({"fresh", "filled"}) == filled);
}

TEST_CASE("--prepare used fills the drive and overwrites as much as its span") {
  const Json whole = prepared({"used"});
  CHECK(whole["valid_pages"] == small_pages);
  CHECK(whole["host_write_bytes"] == 2 * small_bytes);
  CHECK(whole["gc_runs"] > 0);
  CHECK(prepared({"used:100%"}) == whole);

  const Json quarter = prepared({"used:25%"});
  CHECK(quarter["host_write_bytes"] == small_bytes + small_bytes / 4);
  CHECK(quarter["valid_pages"] == small_pages);
  CHECK(prepared({"used:" + std::to_string(small_bytes / 4)}) == quarter);
}

TEST_CASE("--prepare trimmed keeps the data of its span alone") {
  const Json half = prepared({"trimmed:50%"});
  CHECK(half["valid_pages"] == small_pages / 2);
  CHECK(half["host_write_bytes"] == 2 * small_bytes);
  CHECK(half["host_trim_bytes"] == small_bytes / 2);
  CHECK(half["trimmed_pages"] == small_pages / 2);
  CHECK(half["spare_factor_effective"] > half["spare_factor"]);
  CHECK(half["over_provisioning_effective"] == (10 * 31 * 16 - 2000) / 2000.0);
}

TEST_CASE("--prepare steady leaves a drive that amplifies as theory says from the first write on") {
  // Enough blocks for a theory of many: 10 dies of 256 blocks of 32 pages.
  const TemporaryFolder folder;
  const std::string job = folder.write(
      "job.fio", "[job]\nrw=randwrite\nbs=4k\nnorandommap\niodepth=32\nio_size=800m\n");
  const Words drive{"-d",    "x25-v-40",
                    "--set", "nand.blocks_per_die=256",
                    "--set", "nand.pages_per_block=32",
                    "--set", "drive.sectors=544000"};
  const Json report = run_json(Words{"run"} + drive + Words{"--prepare", "steady", job});
  const Json& result = drive_of(report);
  const double expected =
      x25sim::model::greedy_write_amplification(result["spare_factor_effective"].get<double>(), 32);
  CHECK(expected > 3);
  CHECK(result["write_amplification_gc"].get<double>() == doctest::Approx(expected).epsilon(0.01));
  CHECK(result["in_steady_state"] == true);
  CHECK(result["prepare"]["in_steady_state"] == true);
  CHECK(result["prepare"]["steps"][0]["in_steady_state"] == true);
  CHECK(result["prepare"]["host_write_bytes"] >= 3 * 544000ull * 512);
  CHECK(result["prepare"]["host_write_bytes"] < 4 * 544000ull * 512);
}

TEST_CASE("only a drive that has settled is said to be in its steady state") {
  for (const Words& states : {Words{"fresh"}, Words{"filled"}, Words{"used"},
                              Words{"filled", "filled"}, Words{"trimmed:50%"}}) {
    CAPTURE(states.back());
    CHECK(prepared(states)["in_steady_state"] == false);
  }
  CHECK(prepared({"steady"})["in_steady_state"] == true);
  CHECK(prepared({"used", "steady"})["in_steady_state"] == true);
  const TemporaryFolder folder;
  const std::string trim = folder.write("trim.fio", "[trim]\nrw=trim\nbs=64k\nsize=50%\n");
  CHECK(prepared({"steady", trim}, folder)["in_steady_state"] == false);

  const Words arguments = run_arguments(folder, "rw=read\nbs=4k\nnumber_ios=1\n");
  const auto text = [&](const char* state) {
    return run_program(arguments + Words{"--prepare", state}).out;
  };
  CHECK(text("steady").find("  steady state : yes (write amplification of the last 5 rounds of 0.2 "
                            "drive writes within ") != std::string::npos);
  CHECK(text("used").find("  steady state : no (it takes 5 rounds of 0.2 drive writes with GC in "
                          "each, after 2 drive writes; so far 0)\n") != std::string::npos);
}

TEST_CASE("--prepare steady says so when a drive does not settle, and goes on") {
  // One die of four blocks, each of which holds more than a round of host pages.
  const TemporaryFolder folder;
  const Words arguments = Words{"run", "-d", "x25-v-40"} +
                          Words{"--set",     "controller.populated_channels=1",
                                "--set",     "controller.dies_per_package=1",
                                "--set",     "nand.planes_per_die=1",
                                "--set",     "nand.blocks_per_die=4",
                                "--set",     "nand.pages_per_block=256",
                                "--set",     "drive.sectors=3200",
                                "--prepare", "steady"} +
                          Words{folder.write("job.fio", "[job]\nrw=read\nbs=4k\nnumber_ios=1\n")};
  const ProgramResult result = run_program(arguments);
  CHECK(result.status == 0);
  CHECK(result.err ==
        "x25sim: --prepare steady: the drive's write amplification has not settled within 40 drive "
        "writes of overwrites; going on with the drive as it is\n");
  CHECK(result.out.find("  steady state : no (") != std::string::npos);
  CHECK(run_program(arguments + Words{"--quiet"}).err.empty());
}

TEST_CASE("--prepare JOB.fio performs the job's requests, and several act in order") {
  const TemporaryFolder folder;
  const std::string first_half =
      folder.write("write.fio", "[write]\nrw=randwrite\nbs=4k\nsize=50%\n");
  const std::string trim = folder.write("trim.fio", "[trim]\nrw=trim\nbs=64k\nsize=1m\n");
  const Json written = prepared({first_half}, folder);
  CHECK(written["valid_pages"] == small_pages / 2);
  CHECK(written["host_write_bytes"] == small_bytes / 2);

  CHECK(prepared({first_half, trim}, folder)["valid_pages"] == small_pages / 2 - 256);
  CHECK(prepared({trim, first_half}, folder)["valid_pages"] == small_pages / 2);
  const Json all = prepared({"filled", trim, "used:25%", trim, trim}, folder);
  CHECK(all["valid_pages"] == small_pages - 256);
  CHECK(all["host_trim_bytes"] == 3 << 20);
}

TEST_CASE("the counts of a run leave its preparation out") {
  const Json report = run_job("rw=randwrite\nbs=4k\nio_size=1m\n", {"--prepare", "used"});
  CHECK(drive_of(report)["host_write_bytes"] == 1 << 20);
  CHECK(drive_of(report)["nand_program_pages"]["host"] == 256);
  CHECK(drive_of(report)["prepare"]["nand_program_pages"]["host"] == 2 * small_pages);
}

TEST_CASE("A64: pages still in the buffer when the last write ends are programmed and counted") {
  const Json report = run_job("rw=write\nbs=4k\nnumber_ios=3\n");
  CHECK(drive_of(report)["nand_program_pages"]["host"] == 3);
  CHECK(drive_of(report)["write_amplification"] == 1.0);
  CHECK(report["x25sim"]["simulated_s"] > drive_of(report)["measured_s"].get<double>());
}

TEST_CASE("A47: a job keeps as many requests in flight as it says") {
  const Json report = run_job("rw=randread\nbs=4k\niodepth=2\nnorandommap\nnumber_ios=4000\n",
                              {"--prepare", "filled"});
  const Json& job = report["jobs"][0];
  CHECK(job["iodepth_level"]["2"] > 99.9);
  // Little: requests in flight = rate x latency.
  CHECK(job["read"]["iops"].get<double>() * job["read"]["lat_ns"]["mean"].get<double>() * 1e-9 ==
        doctest::Approx(2).epsilon(0.001));
}

TEST_CASE("A13: of one request minimum, mean, maximum and percentiles are one") {
  const Json report = run_job("rw=read\nbs=4k\nnumber_ios=1\n", {"--prepare", "filled"});
  const Json& latency = report["jobs"][0]["read"]["clat_ns"];
  CHECK(latency["min"] > 50'000);
  CHECK(latency["max"] == latency["min"]);
  CHECK(latency["mean"].get<double>() == latency["min"].get<double>());
  CHECK(latency["stddev"] == 0.0);
}

TEST_CASE("a capacity that ends within a page can be filled and read to its last sector") {
  const TemporaryFolder folder;
  const std::string job = folder.write("job.fio", "[job]\nrw=read\nbs=512\nnumber_ios=12345\n");
  const Json report = run_json(Words{"run"} + small_drive() +
                               Words{"--set", "drive.sectors=12345", "--prepare", "used", job});
  CHECK(report["jobs"][0]["read"]["total_ios"] == 12345);
  CHECK(drive_of(report)["valid_pages"] == (12345 + 7) / 8);
  CHECK(drive_of(report)["unmapped_read_pages"] == 0);
}
