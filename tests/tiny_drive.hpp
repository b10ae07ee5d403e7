// A whole drive in a few kilobytes, for tests that need to see single pages: two channels of one
// die each, in which everything happens soon.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/backend/simulation.hpp"
#include "sim/backend/source.hpp"
#include "sim/drive/config.hpp"
#include "sim/trace/formats.hpp"
#include "sim/trace/trace_files.hpp"
#include "sim/workload/fio_job_file.hpp"

namespace x25sim::test {

// Two dies of 16 blocks of 8 pages: 240 pages take part in garbage collection, 192 are the user's.
// Round times, a link at 3 Gb/s, no read-ahead. Change what a test is about.
inline drive::DriveConfig tiny_drive() {
  using namespace std::chrono_literals;
  drive::DriveConfig config;
  config.name = "tiny";
  config.sectors = 192 * 8;
  config.geometry = {.channels = 2, .blocks_per_die = 16, .pages_per_block = 8};
  config.timing = {.read_time = 50us,
                   .program_time = 500us,
                   .erase_time = 2ms,
                   .bus_cycle = 25ns,
                   .command_address_cycles = 4};
  config.rated_cycles = 5000;
  config.controller = {.channels = 2,
                       .program_slots_per_channel = 1,
                       .write_buffer = Bytes{64 << 10},
                       .read_window = Bytes{128 << 10}};
  config.firmware = {.front_per_command = 10us, .back_per_run = 20us, .trim_per_range = 50us};
  config.link = {.data_fis_gap = 2us};
  config.host = {.command_overhead = 10us};
  return config;
}

// The jobs of a fio job file that is given as text.
inline std::vector<workload::Job> jobs_of(const std::string& text, Bytes capacity) {
  std::istringstream stream(text);
  return workload::parse_fio_jobs(stream, "job.fio", capacity).jobs;
}

// Runs one job on a drive, after the preparations, and checks the drive's state.
inline backend::RunResult run_job(const drive::DriveConfig& config, const std::string& options,
                                  const std::vector<std::string>& preparations = {}) {
  backend::Simulation simulation(config);
  std::vector<backend::Preparation> states;
  for (const std::string& text : preparations) {
    states.push_back(backend::parse_preparation(text, config.capacity()));
  }
  simulation.prepare(states, 1);
  backend::RunResult result = simulation.run(jobs_of("[job]\n" + options, config.capacity()), 1);
  simulation.drive().check_invariants();
  return result;
}

// Records that a test makes up. Device 0 has no name, the others are called after their numbers.
class MadeUpTrace final : public trace::Reader {
 public:
  explicit MadeUpTrace(std::vector<trace::Record> records) : records_(std::move(records)) {
    devices_.index("");
    for (const trace::Record& record : records_) {
      while (devices_.size() <= record.device) devices_.index(std::to_string(devices_.size()));
    }
  }

  std::optional<trace::Record> next() override {
    if (next_ == records_.size()) return std::nullopt;
    return records_[next_++];
  }
  const trace::DeviceNames& devices() const override { return devices_; }
  trace::Notes notes() const override { return {}; }
  std::uint64_t malformed() const override { return 0; }

 private:
  trace::DeviceNames devices_;
  std::vector<trace::Record> records_;
  std::size_t next_ = 0;
};

// A request of whole pages at a time.
inline trace::Record record_at(Duration time, workload::Operation operation, std::uint64_t page,
                               std::uint64_t pages = 1) {
  trace::Record record;
  record.time_ns = static_cast<std::uint64_t>(time.count());
  record.kind = trace::kind_of(operation);
  record.offset = Bytes{page * 4096};
  record.length = Bytes{pages * 4096};
  return record;
}

// A trace of these records, as often as it is opened.
inline trace::TraceFiles made_up(std::vector<trace::Record> records) {
  return {{{"made up"}},
          [records = std::move(records)] { return std::make_unique<MadeUpTrace>(records); }};
}

// Replays records on a drive at their times.
inline backend::RunResult replay(backend::Simulation& simulation,
                                 std::vector<trace::Record> records) {
  backend::TraceSource source(made_up(std::move(records)), {}, simulation.drive().capacity());
  return simulation.replay(source, {}, "made up");
}

}  // namespace x25sim::test
