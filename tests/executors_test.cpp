// The functional executor against the timed drive: with one request in flight and the smallest
// write buffer, the same requests leave the same state under every choice of the firmware.
#include <chrono>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "ftl/choices.hpp"
#include "ftl/victim_policy.hpp"
#include "nand/random.hpp"
#include "tests/tiny_drive.hpp"

using namespace x25sim;
using namespace std::chrono_literals;

namespace {

using ftl::GcPacing;
using ftl::WearLeveling;
using ftl::WriteFrontiers;
using workload::Operation;

// Four dies of two planes. With the write cache off, and one request at a time, no page can be
// overwritten in the buffer.
drive::DriveConfig small_drive(const ftl::Config& ftl) {
  drive::DriveConfig config = test::tiny_drive();
  config.geometry = {.channels = 2,
                     .dies_per_package = 2,
                     .planes_per_die = 2,
                     .blocks_per_die = 16,
                     .pages_per_block = 4};
  config.sectors = 120 * 8;
  config.controller.write_cache = false;
  config.ftl = ftl;
  config.ftl.hot_space_ppm = 500'000;
  config.ftl.hot_lbas_ppm = 400'000;
  config.ftl.wear_threshold = 2;
  return config;
}

// Writes of one to three pages and trims, half of them of a few pages.
std::vector<trace::Record> load(std::uint64_t pages) {
  std::vector<trace::Record> records;
  Random random = random_stream(1, "test", 0);
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t length = 1 + random.below(3);
    const std::uint64_t first = random.below(random.below(2) == 0 ? pages - length : 12);
    const Operation operation = random.below(20) == 0 ? Operation::trim : Operation::write;
    records.push_back(test::record_at(0us, operation, first, length));
  }
  return records;
}

// What of the two drives' states differs; empty if nothing does.
std::string difference(const drive::Ssd& a, const drive::Ssd& b) {
  for (std::uint32_t page = 0; page < a.config().logical_pages(); ++page) {
    if (a.ftl().lookup(Lpn{page}) != b.ftl().lookup(Lpn{page})) return "the map";
  }
  for (std::uint32_t block = 0; block < a.config().geometry.blocks(); ++block) {
    const BlockId id{block};
    if (a.flash().erase_count(id) != b.flash().erase_count(id)) return "erase counts";
    if (a.flash().programmed_pages(id) != b.flash().programmed_pages(id)) return "pages";
  }
  if (!(a.counters().ftl == b.counters().ftl)) return "counts";
  if (a.counters().host_write != b.counters().host_write) return "bytes written";
  return "";
}

}  // namespace

TEST_CASE("every choice of the firmware leaves the same state with and without the clock") {
  int collected = 0;
  int moved = 0;
  int drives = 0;
  for (const ftl::PolicyEntry& entry : ftl::victim_policies()) {
    for (const GcPacing pacing : {GcPacing::blocking, GcPacing::paced}) {
      for (const WriteFrontiers frontiers : {WriteFrontiers::one, WriteFrontiers::two,
                                             WriteFrontiers::hot_cold, WriteFrontiers::two_pools}) {
        for (const WearLeveling leveling :
             {WearLeveling::none, WearLeveling::dynamic, WearLeveling::static_}) {
          for (const std::uint32_t superblock_dies : {1u, 2u, 4u}) {
            ftl::Config choices;
            choices.gc_policy = entry.policy;
            choices.gc_pacing = pacing;
            choices.gc_high_watermark = pacing == GcPacing::blocking ? drives % 2 : 0;
            choices.write_frontiers = frontiers;
            choices.wear_leveling = leveling;
            choices.superblock_dies = superblock_dies;
            const drive::DriveConfig config = small_drive(choices);
            const std::vector<trace::Record> records = load(config.logical_pages());

            backend::Simulation timed(config);
            backend::TraceSource source(test::made_up(records), {}, config.capacity());
            timed.replay(source, 1, "made up");
            backend::Simulation functional(config);
            for (const trace::Record& record : records)
              functional.drive().apply(request_of(record));

            INFO(entry.name << ", pacing " << static_cast<int>(pacing) << ", frontiers "
                            << static_cast<int>(frontiers) << ", leveling "
                            << static_cast<int>(leveling) << ", dies " << superblock_dies);
            CHECK(difference(timed.drive(), functional.drive()) == "");
            timed.drive().check_invariants();
            functional.drive().check_invariants();
            ++drives;
            const ftl::Counters counters = timed.drive().counters().ftl;
            if (counters.programs_of(ftl::Cause::gc) > 0) ++collected;
            if (counters.wear_runs > 0) ++moved;
          }
        }
      }
    }
  }
  // A comparison proves nothing about what never happens.
  CHECK(drives == 7 * 2 * 4 * 3 * 3);
  CHECK(collected > drives / 2);
  CHECK(moved > 50);
}
