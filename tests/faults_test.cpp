// Faults that users of other simulators and trace tools reported in public, as behaviour of this
// one. FAULTS.md lists all rows and where each is tested; those about whole commands are in the
// cli_*_test.cpp files.
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "ftl/functional.hpp"
#include "ftl/page_ftl.hpp"
#include "nand/random.hpp"
#include "tests/tiny_drive.hpp"

using namespace x25sim;
using namespace std::chrono_literals;

namespace {

using ftl::Cause;
using ftl::GcPacing;
using workload::Operation;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#else
constexpr bool address_sanitizer = false;
#endif

constexpr std::uint64_t toy_pages = 24;

// One die of 8 blocks of 4 pages, of which 24 pages are the user's: the smallest drive on which
// everything happens. With the pacing idle it has time for a step of collection after each write.
class Toy {
 public:
  explicit Toy(GcPacing pacing, std::uint64_t pages = toy_pages)
      : config_{.gc_pacing = pacing, .gc_high_watermark = pacing == GcPacing::idle ? 1u : 0u},
        ftl_(geometry_, config_, pages) {}

  void write(std::uint64_t page) {
    ftl_.write(Lpn{static_cast<std::uint32_t>(page)}, Cause::host, executor_);
    ftl_.check_invariants(array_);
    least_free_ = std::min(least_free_, ftl_.space().free_blocks);
    if (config_.gc_pacing != GcPacing::idle) return;
    ftl_.collect_idle(0, executor_);
    ftl_.check_invariants(array_);
  }
  // Writes the pages [first, first + count), `times` times over.
  void write(std::uint64_t first, std::uint64_t count, int times = 1) {
    for (int i = 0; i < times; ++i) {
      for (std::uint64_t page = first; page < first + count; ++page) write(page);
    }
  }
  void trim(std::uint32_t first, std::uint64_t count) {
    ftl_.trim(Lpn{first}, count);
    ftl_.check_invariants(array_);
  }

  std::uint64_t valid() const { return ftl_.space().valid_pages; }
  std::uint64_t least_free_blocks() const { return least_free_; }
  const ftl::Counters& counters() const { return ftl_.counters(); }
  const ftl::PageFtl& ftl() const { return ftl_; }
  const nand::FlashArray& array() const { return array_; }

 private:
  nand::Geometry geometry_;
  ftl::Config config_;
  nand::FlashArray array_{geometry_};
  ftl::FunctionalExecutor executor_{array_};
  ftl::PageFtl ftl_;
  std::uint64_t least_free_ = ~std::uint64_t{0};
};

constexpr GcPacing pacings[] = {GcPacing::blocking, GcPacing::paced, GcPacing::idle};

std::vector<std::uint64_t> shuffled(std::uint64_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> pages(count);
  std::iota(pages.begin(), pages.end(), 0);
  Random random = random_stream(seed, "test.order", 0);
  for (std::uint64_t i = count; i > 1; --i) std::swap(pages[i - 1], pages[random.below(i)]);
  return pages;
}

// The most memory that this process held since its peak was reset.
std::uint64_t peak_memory_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return 0;
}

const measure::DirectionStatistics& statistics_of(const backend::RunResult& result,
                                                  Operation operation) {
  return result.jobs.at(0).statistics.direction[static_cast<std::size_t>(operation)];
}

}  // namespace

TEST_CASE("A1: the same pages written in order ten times over: it ends, and GC has run") {
  for (const GcPacing pacing : pacings) {
    Toy toy(pacing);
    toy.write(0, toy_pages, 10);
    CHECK(toy.counters().gc_runs > 0);
    CHECK(toy.counters().host_pages() == 240);
    CHECK(toy.counters().write_amplification_gc() >= 1);
    CHECK(toy.valid() == toy_pages);
  }
}

TEST_CASE("A5: a drive can be filled to the last page, in any order") {
  for (const GcPacing pacing : pacings) {
    Toy in_order(pacing);
    in_order.write(0, toy_pages);
    CHECK(in_order.valid() == toy_pages);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Toy toy(pacing);
      for (const std::uint64_t page : shuffled(toy_pages, seed)) toy.write(page);
      CHECK(toy.valid() == toy_pages);
      for (std::uint32_t page = 0; page < toy_pages; ++page) {
        CHECK(toy.ftl().lookup(Lpn{page}) != no_page);
      }
    }
  }
}

TEST_CASE("A7: link rates beyond 32 bits work, and are the faster the higher they are") {
  drive::DriveConfig config = test::tiny_drive();
  Duration last = Duration::max();
  for (const std::uint64_t bytes_per_second : {std::uint64_t{1} << 30, std::uint64_t{1} << 31,
                                               std::uint64_t{1} << 32, std::uint64_t{1} << 33}) {
    config.link.rate = bytes_per_second * 10;
    const auto result = test::run_job(config, "rw=read\nbs=64k\nnumber_ios=1\n");
    const Duration latency = statistics_of(result, Operation::read).completion.max();
    CHECK(latency < last);
    // 64 KiB from the map in eight frames, and what does not depend on the rate.
    const auto data = Duration{static_cast<Duration::rep>((65536 * 1'000'000'000.0) /
                                                          static_cast<double>(bytes_per_second))};
    CHECK(latency > data);
    CHECK(latency < data + 40us);
    last = latency;
  }
}

TEST_CASE("A9: half filled, the pages and blocks of all states add up") {
  for (const GcPacing pacing : pacings) {
    Toy toy(pacing);
    toy.write(0, toy_pages / 2);
    CHECK(toy.valid() == 12);
    // 12 pages fill three blocks.
    CHECK(toy.ftl().space().free_blocks == 5);
    toy.write(0, 3);
    std::uint64_t programmed = 0;
    for (std::uint32_t block = 0; block < 8; ++block) {
      programmed += toy.array().programmed_pages(BlockId{block});
    }
    CHECK(programmed == 15);  // 12 valid and 3 invalid ones
    CHECK(toy.ftl().space().raw_pages - programmed == 4 * 4 + 1);
    CHECK(toy.ftl().space().free_blocks == 4);
  }
}

TEST_CASE("A10: garbage collection runs before the last free block is gone") {
  for (const GcPacing pacing : pacings) {
    Toy toy(pacing);
    toy.write(0, toy_pages);
    CHECK(toy.counters().gc_runs == 0);
    for (std::uint64_t page = 0; page < 8; ++page) {
      toy.write(page);
      if (toy.least_free_blocks() == 0) CHECK(toy.counters().gc_runs > 0);
    }
    CHECK(toy.counters().gc_runs > 0);
    toy.write(0, toy_pages, 20);
    // Blocking, the reserved block is free again after each write. Paced, it is the one that takes
    // the writes and copies, and the victim is erased when it is full: toy.write() checks that no
    // block is ever missed.
    if (pacing == GcPacing::blocking) CHECK(toy.least_free_blocks() == 1);
  }
}

TEST_CASE("A12: memory does not grow with the number of requests") {
  if (address_sanitizer) {
    MESSAGE("skipped: the sanitizer keeps memory that was freed");
    return;
  }
  const auto peak_of = [](const std::string& requests) {
    std::ofstream("/proc/self/clear_refs") << "5\n";  // the peak from now on
    test::run_job(test::tiny_drive(),
                  "rw=randwrite\nbs=4k\nsize=96k\nio_size=100g\nnorandommap\niodepth=8\n"
                  "number_ios=" +
                      requests + "\n");
    return peak_memory_kib();
  };
  peak_of("100000");
  const std::uint64_t peak = peak_of("100000");
  CHECK(peak > 0);
  CHECK(peak_of("1000000") <= peak + 512);
}

TEST_CASE("A23: reads of pages never written cost link and firmware, no flash, and are counted") {
  const auto result = test::run_job(test::tiny_drive(), "rw=randread\nbs=4k\niodepth=2\n");
  const drive::Counters& counters = result.drives[0].counters;
  CHECK(counters.unmapped_read_pages == 192);
  CHECK(counters.flash_operations() == 0);
  // At least the front stage and 4 KiB at 300 MB/s.
  CHECK(statistics_of(result, Operation::read).completion.min() > 10us + 13us);
}

TEST_CASE("A24: overwriting costs more until it is steady, and less spare area costs more") {
  // Write amplification and mean latency of one drive write, after so many of them; of the first on
  // a new drive after none, else on a filled one.
  const auto after = [](std::uint64_t pages, int drive_writes) {
    drive::DriveConfig config = test::tiny_drive();
    config.geometry.blocks_per_die = 64;
    config.sectors = pages * 8;
    backend::Simulation simulation(config);
    std::vector<backend::Preparation> states;
    if (drive_writes > 0) states.push_back(backend::parse_preparation("filled", config.capacity()));
    const auto jobs =
        test::jobs_of("[job]\nrw=randwrite\nbs=4k\nnorandommap\niodepth=4\n", config.capacity());
    for (int i = 0; i < drive_writes; ++i) {
      states.push_back({"", backend::Preparation::Kind::jobs, {}, jobs, {}});
    }
    simulation.prepare(states, 1);
    const backend::RunResult result = simulation.run(jobs, 1);
    return std::pair{result.drives[0].counters.ftl.write_amplification_gc(),
                     statistics_of(result, Operation::write).completion.mean_ns()};
  };
  // Of the 1,008 pages without the reserved blocks: 7 % and 28 % over-provisioning.
  const auto [new_amplification, new_latency] = after(942, 0);
  const auto [tight_amplification, tight_latency] = after(942, 6);
  const auto [late_amplification, late_latency] = after(942, 12);
  const auto [roomy_amplification, roomy_latency] = after(787, 6);
  CHECK(new_amplification < 1.1);
  CHECK(tight_amplification > 3 * new_amplification);
  CHECK(tight_latency > 3 * new_latency);
  CHECK(late_amplification == doctest::Approx(tight_amplification).epsilon(0.1));
  CHECK(late_latency == doctest::Approx(tight_latency).epsilon(0.1));
  CHECK(roomy_amplification < tight_amplification / 1.5);
  CHECK(roomy_latency < tight_latency / 1.5);
}

TEST_CASE("A25: a write of the sector 8 is one of page 1, not of page 0") {
  backend::Simulation simulation(test::tiny_drive());
  simulation.drive().apply({Operation::write, Bytes{8 * 512}, Bytes{512}});
  CHECK(simulation.drive().ftl().lookup(Lpn{0}) == no_page);
  CHECK(simulation.drive().ftl().lookup(Lpn{1}) != no_page);
}

TEST_CASE("A26: without spare pages a drive is refused, and the fullest that is not never hangs") {
  const nand::Geometry geometry;
  CHECK(geometry.pages() == 32);
  const std::uint64_t fullest = ftl::max_logical_pages(geometry, {});
  CHECK(fullest == 27);  // seven blocks, one page fewer
  for (const GcPacing pacing : pacings) {
    Toy toy(pacing, fullest);
    toy.write(0, fullest, 2);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      for (const std::uint64_t page : shuffled(fullest, seed)) toy.write(page);
    }
    CHECK(toy.valid() == fullest);
  }
}

TEST_CASE("A27: collection in idle time moves pages, and the host sees none of it") {
  for (const ftl::WriteFrontiers frontiers :
       {ftl::WriteFrontiers::one, ftl::WriteFrontiers::two, ftl::WriteFrontiers::hot_cold}) {
    drive::DriveConfig config = test::tiny_drive();
    config.sectors = 150 * 8;
    config.ftl.write_frontiers = frontiers;
    config.ftl.gc_pacing = GcPacing::idle;
    config.ftl.gc_high_watermark = 3;
    config.firmware.gc_idle_delay = 1ms;
    backend::Simulation simulation(config);
    drive::Ssd& drive = simulation.drive();
    Random random = random_stream(1, "test.overwrite", 0);
    for (int i = 0; i < 1000; ++i) {
      drive.apply({Operation::write, Bytes{random.below(150) * 4096}, Bytes{4096}});
    }
    drive.apply({Operation::trim, Bytes{40 * 4096}, Bytes{10 * 4096}});
    // Reads of the whole drive, before and after ten idle seconds.
    const auto read_all = [&simulation](Duration at) {
      const backend::RunResult result =
          test::replay(simulation, {test::record_at(0us, Operation::flush, 0, 0),
                                    test::record_at(at, Operation::read, 0, 150)});
      return result.drives[0].counters;
    };
    const auto places = [&drive] {
      std::vector<Ppn> pages;
      for (std::uint32_t page = 0; page < 150; ++page)
        pages.push_back(drive.ftl().lookup(Lpn{page}));
      return pages;
    };
    const std::vector<Ppn> before = places();
    const ftl::Counters written = drive.counters().ftl;
    const drive::Counters first = read_all(500us);
    CHECK(places() == before);
    const drive::Counters second = read_all(10s);
    const std::vector<Ppn> after = places();
    int moved = 0;
    for (std::size_t page = 0; page < after.size(); ++page) {
      CHECK((after[page] == no_page) == (before[page] == no_page));
      if (after[page] != before[page]) ++moved;
      CHECK((after[page] == no_page || drive.flash().is_programmed(after[page])));
    }
    CHECK(moved > 20);
    CHECK(first.ftl.reads_of(Cause::host) == second.ftl.reads_of(Cause::host));
    CHECK(first.unmapped_read_pages == second.unmapped_read_pages);
    CHECK(second.unmapped_read_pages >= 10);
    // No page of the host was written, but write amplification counts the copies.
    const ftl::Counters collected = drive.counters().ftl;
    CHECK(collected.host_pages() == written.host_pages());
    CHECK(collected.programs_of(Cause::gc) - written.programs_of(Cause::gc) >= 20);
    CHECK(collected.write_amplification_gc() > written.write_amplification_gc());
    drive.check_invariants();
  }
}

TEST_CASE("A28: one page overwritten a hundred times on a full drive: its blocks become free") {
  for (const GcPacing pacing : pacings) {
    Toy toy(pacing);
    toy.write(0, toy_pages);
    toy.write(0, 1, 100);
    CHECK(toy.counters().gc_runs >= 100 / 4 - 2);
    CHECK(toy.valid() == toy_pages);
  }
}

TEST_CASE("A29: pages spread over all channels, whatever their addresses") {
  drive::DriveConfig config = test::tiny_drive();
  backend::Simulation simulation(config);
  std::vector<std::uint64_t> on_channel(config.geometry.channels);
  for (std::uint64_t page = 0; page < 192; page += 2) {
    simulation.drive().apply({Operation::write, Bytes{page * 4096}, Bytes{4096}});
    const Ppn place = simulation.drive().ftl().lookup(Lpn{static_cast<std::uint32_t>(page)});
    ++on_channel[index(config.geometry.channel_of(config.geometry.die_of(place)))];
  }
  CHECK(on_channel == std::vector<std::uint64_t>{48, 48});
  // Nor does garbage collection run out of pages on one channel, and statistics come as always.
  Random random = random_stream(1, "test.overwrite", 0);
  std::vector<trace::Record> records;
  for (int i = 0; i < 2000; ++i) {
    records.push_back(test::record_at(i * 1ms, Operation::write, 2 * random.below(96)));
  }
  const auto result = test::replay(simulation, records);
  simulation.drive().check_invariants();
  CHECK(statistics_of(result, Operation::write).requests == 2000);
  std::vector<std::uint64_t> erases(config.geometry.channels);
  for (std::uint32_t block = 0; block < config.geometry.blocks(); ++block) {
    const DieId die = config.geometry.die_of(BlockId{block});
    erases[index(config.geometry.channel_of(die))] +=
        simulation.drive().flash().erase_count(BlockId{block});
  }
  CHECK(erases[0] > 100);
  CHECK(erases[1] > 100);
}

TEST_CASE("A31: erase counts add up to the erases, and their mean is erases by blocks") {
  for (const GcPacing pacing : pacings) {
    Toy toy(pacing);
    toy.write(0, toy_pages);
    for (int i = 0; i < 3; ++i) {
      toy.write(0, 8, 4);
      std::uint64_t erases = 0;
      for (std::uint32_t block = 0; block < 8; ++block) {
        erases += toy.ftl().erase_count(BlockId{block});
      }
      CHECK(erases == toy.counters().erases);
      const ftl::WearSummary wear = toy.ftl().wear();
      CHECK(wear.mean == doctest::Approx(static_cast<double>(erases) / 8));
      CHECK(wear.min <= wear.mean);
      CHECK(wear.mean <= wear.max);
    }
  }
}

TEST_CASE("A32: TRIM makes pages invalid, and writes after it amplify less") {
  for (const GcPacing pacing : pacings) {
    const auto overwrite = [pacing](bool trimmed) {
      Toy toy(pacing);
      toy.write(0, toy_pages);
      if (trimmed) toy.trim(0, 12);
      CHECK(toy.valid() == (trimmed ? 12 : 24));
      Random random = random_stream(1, "test.overwrite", 0);
      for (int i = 0; i < 120; ++i) toy.write(12 + random.below(12));
      CHECK(toy.valid() == (trimmed ? 12 : 24));
      CHECK(toy.counters().trimmed_pages == (trimmed ? 12 : 0));
      return toy.counters().write_amplification_gc();
    };
    CHECK(overwrite(true) < overwrite(false));
    Toy toy(pacing);
    toy.write(0, toy_pages);
    toy.trim(0, 12);
    toy.write(12, 12, 10);
    CHECK(toy.valid() == 12);
    for (std::uint32_t page = 0; page < toy_pages; ++page) {
      CHECK((toy.ftl().lookup(Lpn{page}) == no_page) == (page < 12));
    }
    CHECK(toy.counters().write_amplification_gc() == 1);
  }
}

TEST_CASE("A35: one invalid page for each write is enough, on the fullest drive too") {
  for (const GcPacing pacing : pacings) {
    for (const std::uint64_t pages : {toy_pages, std::uint64_t{27}}) {
      Toy toy(pacing, pages);
      toy.write(0, pages);
      toy.write(0, 1, 1000);
      CHECK(toy.valid() == pages);
      CHECK(toy.counters().host_pages() == pages + 1000);
    }
  }
}

TEST_CASE("A55: trims alone have latencies and amounts like any other request") {
  const auto result =
      test::run_job(test::tiny_drive(), "rw=randtrim\nbs=16k\nnumber_ios=10\n", {"filled"});
  const auto& trims = statistics_of(result, Operation::trim);
  CHECK(trims.requests == 10);
  CHECK(trims.bytes == Bytes{10 * 16384});
  CHECK(trims.completion.min() > 50us);
  CHECK(result.drives[0].counters.ftl.trimmed_pages == 40);
  CHECK(result.drives[0].space.valid_pages == 192 - 40);
}

TEST_CASE("A59: a write that is larger than the write buffer goes through it in parts") {
  drive::DriveConfig config = test::tiny_drive();
  config.controller.write_buffer = Bytes{16 << 10};
  const auto result =
      test::run_job(config, "rw=write\nbs=768k\niodepth=2\nnumber_ios=2\nloops=2\n");
  const drive::Counters& counters = result.drives[0].counters;
  CHECK(statistics_of(result, Operation::write).requests == 2);
  CHECK(counters.host_write == Bytes{2 * 768 << 10});
  CHECK(counters.ftl.host_pages() + counters.buffer_merged_pages == 2 * 192);
  CHECK(result.drives[0].space.valid_pages == 192);
}

TEST_CASE("A62: the last sector of a drive can be written and read") {
  const drive::DriveConfig config = test::tiny_drive();
  backend::Simulation simulation(config);
  const Bytes last = config.capacity() - Bytes{512};
  simulation.drive().apply({Operation::write, last, Bytes{512}});
  CHECK(simulation.drive().ftl().lookup(Lpn{191}) != no_page);
  std::vector<trace::Record> records{test::record_at(0us, Operation::read, 0)};
  records[0].offset = last;
  records[0].length = Bytes{512};
  const auto result = test::replay(simulation, records);
  CHECK(result.drives[0].counters.ftl.reads_of(Cause::host) == 1);
  CHECK(result.drives[0].counters.host_read == Bytes{512});
}

TEST_CASE("A63: addresses of 2 TiB and beyond are their own, in jobs and in traces") {
  const Bytes device{std::uint64_t{4} << 40};
  const workload::Job job = test::jobs_of("[job]\nrw=write\nbs=4k\noffset=2t\n", device).at(0);
  workload::RequestGenerator generator(job, 1);
  CHECK(generator.next()->offset == Bytes{std::uint64_t{2} << 40});
  CHECK(job.offset + job.size == device);
  trace::OutOfRangeRule rule(trace::OutOfRange::error, device, {{"a.trace"}});
  trace::Record record;
  record.kind = trace::Kind::write;
  record.offset = Bytes{(std::uint64_t{1} << 32) * 512};
  record.length = Bytes{4096};
  CHECK(rule.apply(record).requests[0] == request_of(record));
}

TEST_CASE("A65: a flush is complete when what was written before it is on the flash") {
  backend::Simulation simulation(test::tiny_drive());
  const auto result = test::replay(simulation, {test::record_at(0us, Operation::write, 0),
                                                test::record_at(1us, Operation::flush, 0, 0),
                                                test::record_at(2us, Operation::write, 1)});
  const measure::JobStatistics& job = result.jobs[0].statistics;
  const auto& writes = job.direction[static_cast<std::size_t>(Operation::write)];
  CHECK(writes.completion.min() < 500us);  // acknowledged from the buffer
  REQUIRE(job.flush.count() == 1);
  CHECK(job.flush.max() > 500us);          // a whole program
  CHECK(writes.completion.max() > 500us);  // and what comes behind the flush waits for it
  CHECK(result.trace->counts.flushes == 1);
  CHECK(result.trace->counts.issued == 3);
}

TEST_CASE("A66: memory is a few bytes for each page of the flash, whatever the capacity") {
  const nand::Geometry geometry{.blocks_per_die = 4096, .pages_per_block = 256};
  const ftl::PageFtl table(geometry, {}, 900'000);
  CHECK(table.bytes() < 9 * geometry.pages());
}
