// Drives that are saved and loaded: they go on as if nothing had been, or are refused.
#include "sim/backend/saved_state.hpp"

#include <array>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ftl/victim_policy.hpp"
#include "nand/errors.hpp"
#include "sim/backend/simulation.hpp"
#include "tests/cli_fixture.hpp"
#include "tests/tiny_drive.hpp"

using namespace x25sim;
using namespace test;

namespace {

constexpr const char* overwrites = "rw=randwrite\nbs=4k\nnorandommap\nio_size=8m\n";

std::vector<backend::Preparation> preparation(const drive::DriveConfig& config,
                                              const std::string& name) {
  return {backend::parse_preparation(name, config.capacity())};
}

// That two drives hold the same data in the same places, worn alike, after the same counts.
void check_equal(backend::Simulation& a, backend::Simulation& b) {
  const ftl::PageFtl& first = a.drive().ftl();
  const ftl::PageFtl& second = b.drive().ftl();
  CHECK(first.counters() == second.counters());
  bool equal = true;
  for (std::uint32_t page = 0; page < first.logical_pages(); ++page) {
    equal = equal && first.lookup(Lpn{page}) == second.lookup(Lpn{page});
  }
  for (std::uint32_t block = 0; block < a.drive().config().geometry.blocks(); ++block) {
    equal = equal && first.erase_count(BlockId{block}) == second.erase_count(BlockId{block});
  }
  CHECK(equal);
}

// Ages a drive, saves it, and has it and a loaded one do the same.
void check_continuation(const drive::DriveConfig& config) {
  const TemporaryFolder folder;
  const std::string path = folder.file("aged.state");
  backend::Simulation saved(config, 5);
  saved.prepare(preparation(config, "used"), 5);
  saved.save(path);
  backend::Simulation loaded(config, 6);
  loaded.load(path);
  loaded.drive().check_invariants();
  check_equal(saved, loaded);
  const auto jobs = jobs_of("[job]\niodepth=4\n" + std::string(overwrites), config.capacity());
  const backend::RunResult a = saved.run(jobs, 7);
  const backend::RunResult b = loaded.run(jobs, 7);
  check_equal(saved, loaded);
  CHECK(a.simulated == b.simulated);
  CHECK(a.preparation_steps[0][0].name == b.preparation_steps[0][0].name);
  CHECK(a.preparation_steps[0][0].counters.ftl == b.preparation_steps[0][0].counters.ftl);
  loaded.drive().check_invariants();
}

drive::DriveConfig aging_drive() {
  drive::DriveConfig config = tiny_drive();
  config.geometry.blocks_per_die = 32;
  config.sectors = std::uint64_t{380} * 8;
  return config;
}

// A small drive after random use, in a file.
std::string saved_drive(const TemporaryFolder& folder) {
  const std::string path = folder.file("used.state");
  const ProgramResult result = run_program(Words{"run"} + small_drive() +
                                           Words{"--prepare", "used", "--save", path, "--quiet"});
  CHECK(result.status == 0);
  return path;
}

}  // namespace

TEST_CASE("a drive that was saved and loaded goes on as if it had never stopped") {
  for (const ftl::PolicyEntry& entry : ftl::victim_policies()) {
    for (const auto frontiers : {ftl::WriteFrontiers::one, ftl::WriteFrontiers::two,
                                 ftl::WriteFrontiers::hot_cold, ftl::WriteFrontiers::two_pools}) {
      drive::DriveConfig config = aging_drive();
      config.ftl.gc_policy = entry.policy;
      config.ftl.write_frontiers = frontiers;
      config.ftl.hot_space_ppm = 500'000;
      config.ftl.hot_lbas_ppm = 500'000;
      CAPTURE(entry.name);
      CAPTURE(static_cast<int>(frontiers));
      check_continuation(config);
    }
  }
  for (const auto leveling : {ftl::WearLeveling::dynamic, ftl::WearLeveling::static_}) {
    for (const auto pacing : {ftl::GcPacing::blocking, ftl::GcPacing::paced, ftl::GcPacing::idle}) {
      drive::DriveConfig config = aging_drive();
      config.ftl.wear_leveling = leveling;
      config.ftl.wear_threshold = 3;
      config.ftl.gc_pacing = pacing;
      config.ftl.gc_high_watermark = 2;
      config.ftl.superblock_dies = 2;
      check_continuation(config);
    }
  }
}

TEST_CASE("a loaded drive may have another policy of garbage collection, and other times") {
  const TemporaryFolder folder;
  const std::string path = folder.file("aged.state");
  const drive::DriveConfig config = aging_drive();
  backend::Simulation saved(config);
  saved.prepare(preparation(config, "used"), 1);
  saved.save(path);
  for (const ftl::PolicyEntry& entry : ftl::victim_policies()) {
    drive::DriveConfig other = config;
    other.ftl.gc_policy = entry.policy;
    other.ftl.gc_pacing = ftl::GcPacing::blocking;
    other.timing.program_time *= 2;
    CAPTURE(entry.name);
    backend::Simulation loaded(other);
    loaded.load(path);
    check_equal(saved, loaded);
    loaded.drive().check_invariants();
    loaded.run(jobs_of("[job]\n" + std::string(overwrites), config.capacity()), 3);
    loaded.drive().check_invariants();
  }
}

TEST_CASE("results after --load are those after the preparation itself, byte by byte") {
  const TemporaryFolder folder;
  const Words policy = small_drive() + Words{"--set", "firmware.gc_policy=d-choices"};
  const std::string path = folder.file("used.state");
  const std::string job = folder.write("job.fio", "[job]\n" + std::string(overwrites));
  const auto run = [&](const Words& arguments) {
    return without_wall_clock(run_json(Words{"run"} + policy + arguments + Words{job}));
  };
  const Words prepared{"--prepare", "used"};
  const std::string first = run(prepared + Words{"--save", path});
  CHECK(run({"--load", path}) == first);
  // Further preparations go on from there as well.
  CHECK(run(prepared + Words{"--prepare", job}) == run({"--load", path, "--prepare", job}));
}

TEST_CASE("the state of another drive is refused with what differs") {
  const TemporaryFolder folder;
  const std::string path = saved_drive(folder);
  const std::string job = folder.write("job.fio", "[job]\nrw=read\n");
  struct Difference {
    const char* setting;
    const char* message;
  };
  for (const Difference& difference :
       {Difference{"nand.blocks_per_die=40",
                   "nand.blocks_per_die 40, found one with "
                   "nand.blocks_per_die 32"},
        Difference{"nand.pages_per_block=32",
                   "nand.pages_per_block 32, found one with "
                   "nand.pages_per_block 16"},
        Difference{"drive.sectors=31992",
                   "drive.sectors 31992, found one with drive.sectors "
                   "32000"},
        Difference{"firmware.pool=plane", "firmware.pool plane, found one with firmware.pool die"},
        Difference{"firmware.write_frontiers=two",
                   "firmware.write_frontiers two, found one with "
                   "firmware.write_frontiers one"},
        Difference{"firmware.superblock_dies=5",
                   "firmware.superblock_dies 5, found one with "
                   "firmware.superblock_dies 1"}}) {
    const ProgramResult result =
        run_program(Words{"run"} + small_drive() +
                    Words{"--set", difference.setting, "--load", path, "--quiet", job});
    CHECK(result.status == 2);
    CHECK(result.err.find(path + ": expected the state of a drive like x25-v-40, with " +
                          difference.message) != std::string::npos);
    CHECK(result.out.empty());
  }
}

TEST_CASE("files that are no complete states are refused, and the run does not begin") {
  const TemporaryFolder folder;
  const std::string path = saved_drive(folder);
  const std::string job = folder.write("job.fio", "[job]\nrw=read\n");
  const auto status_of = [&](const std::string& file) {
    const ProgramResult result =
        run_program(Words{"run"} + small_drive() + Words{"--load", file, "--quiet", job});
    CHECK(result.out.empty());
    CHECK(result.err.find(file) != std::string::npos);
    return result.status;
  };
  CHECK(status_of(folder.file("missing.state")) == 2);
  CHECK(status_of(job) == 2);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 8);
  CHECK(status_of(path) == 2);
}

TEST_CASE("a place that takes no file is reported before the drive is prepared") {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program(Words{"run"} + small_drive() +
                  Words{"--prepare", "used", "--save", folder.file("none/x.state")});
  CHECK(result.status == 3);
  CHECK(result.err.find("/none") != std::string::npos);
}
