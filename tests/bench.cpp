// Speed of the simulator: page programs a second without the clock, and flash operations a second
// with it, on a full-size drive and on a small one; and records of a trace a second. Run with
// `cmake --build build --target bench`.
//
// GC-heavy writes: uniform random 4 KiB writes over the whole drive in its steady state. All times
// are of the processor, as the machine may be shared; compare ratios within one run.
#include <benchmark/benchmark.h>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "sim/backend/simulation.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/formats.hpp"
#include "sim/workload/job.hpp"

namespace {

using namespace x25sim;

// The X25-M G2 80 GB, or the same with 1 GB: 1/80 of its blocks and sectors.
drive::DriveConfig drive_of(std::int64_t gigabytes, std::vector<std::string> overrides = {}) {
  if (gigabytes == 1) {
    overrides.insert(overrides.end(), {"nand.blocks_per_die=104", "drive.sectors=1953768"});
  }
  return config::load_drive("x25-m-g2-80", overrides).config;
}

backend::Preparation used(Bytes capacity) {
  return {"", backend::Preparation::Kind::used, Bytes{capacity.count / 4096 * 4096}, {}, {}};
}

void report_memory(benchmark::State& state, const drive::Ssd& drive) {
  state.counters["bytes/page"] = static_cast<double>(drive.ftl().bytes() + drive.flash().bytes()) /
                                 static_cast<double>(drive.config().geometry.pages());
}

// Uniform overwrites of a filled drive through the functional executor, with one setting of the
// firmware.
void functional_writes(benchmark::State& state, const std::string& setting) {
  backend::Simulation simulation(drive_of(state.range(0), {"firmware." + setting}));
  drive::Ssd& drive = simulation.drive();
  simulation.prepare({used(drive.capacity())}, 1);
  std::uint64_t programs = 0;
  // A filled drive takes a sequential fill first; measure the overwrites alone.
  workload::Job job;
  job.direction = workload::Direction::write;
  job.random = true;
  job.no_random_map = true;
  job.size = Bytes{drive.capacity().count / 4096 * 4096};
  job.io_size = Bytes{std::uint64_t{4096} * 1'000'000};
  std::uint64_t seed = 1;
  for (auto _ : state) {
    const std::uint64_t before = drive.counters().ftl.program_total();
    simulation.prepare({{"", backend::Preparation::Kind::jobs, {}, {job}, {}}}, ++seed);
    programs += drive.counters().ftl.program_total() - before;
  }
  state.counters["programs/s"] =
      benchmark::Counter(static_cast<double>(programs), benchmark::Counter::kIsRate);
  report_memory(state, drive);
}

void timed(benchmark::State& state, workload::Direction direction, std::uint32_t queue_depth,
           std::uint64_t requests) {
  backend::Simulation simulation(drive_of(state.range(0)));
  drive::Ssd& drive = simulation.drive();
  simulation.prepare({used(drive.capacity())}, 1);
  workload::Job job;
  job.direction = direction;
  job.random = true;
  job.no_random_map = true;
  job.iodepth = queue_depth;
  job.size = Bytes{drive.capacity().count / 4096 * 4096};
  job.io_size = Bytes{4096 * requests};
  std::uint64_t operations = 0;
  std::uint64_t seed = 1;
  for (auto _ : state) operations += simulation.run({job}, ++seed).flash_operations;
  state.counters["flash_ops/s"] =
      benchmark::Counter(static_cast<double>(operations), benchmark::Counter::kIsRate);
  report_memory(state, drive);
}

void timed_gc_writes(benchmark::State& state) {
  timed(state, workload::Direction::write, 32, 100'000);
}

void timed_random_reads(benchmark::State& state) {
  timed(state, workload::Direction::read, 32, 500'000);
}

// Reads and counts a trace of random requests over 80 GB on two devices, from memory.
void trace_records(benchmark::State& state, const std::string& format) {
  constexpr int records = 200'000;
  std::mt19937_64 random(1);
  std::string text;
  std::uint64_t time = 1'000'000'000;
  for (int i = 0; i < records; ++i) {
    time += random() % 100'000;
    const std::string sector = std::to_string(random() % 156'301'480);
    const std::string sectors = std::to_string(1 + random() % 64);
    const std::string device = std::to_string(random() % 2);
    if (format == "mqsim") {
      text += std::to_string(time) + " " + device + " " + sector + " " + sectors + " " +
              std::to_string(random() % 2) + "\n";
    } else {
      text += std::to_string(time) + ",host," + device +
              (random() % 2 == 0 ? ",Read," : ",Write,") + sector + "000," + sectors +
              "000,54086\n";
    }
  }
  const trace::Format& reading = *trace::named_format(format).format;
  std::uint64_t read = 0;
  for (auto _ : state) {
    trace::Counter counter;
    const auto reader = reading.open(trace::ByteSource::in_memory("trace", text), {});
    while (const auto record = reader->next()) counter.add(*record);
    read += counter.counts().records;
  }
  state.counters["records/s"] =
      benchmark::Counter(static_cast<double>(read), benchmark::Counter::kIsRate);
}

#define FUNCTIONAL_WRITES(name, setting)              \
  BENCHMARK_CAPTURE(functional_writes, name, setting) \
      ->ArgName("GB")                                 \
      ->Arg(80)                                       \
      ->Unit(benchmark::kMillisecond)

FUNCTIONAL_WRITES(greedy, "gc_policy=greedy");
FUNCTIONAL_WRITES(fifo, "gc_policy=fifo");
FUNCTIONAL_WRITES(d_choices, "gc_policy=d-choices");
FUNCTIONAL_WRITES(two_frontiers, "write_frontiers=two");
FUNCTIONAL_WRITES(hot_cold, "write_frontiers=hot-cold");
FUNCTIONAL_WRITES(superblocks, "superblock_dies=20");
FUNCTIONAL_WRITES(no_wear_leveling, "wear_leveling=none");
BENCHMARK(timed_gc_writes)->ArgName("GB")->Arg(80)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(timed_random_reads)->ArgName("GB")->Arg(80)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trace_records, mqsim, "mqsim")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trace_records, msr, "msr")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
