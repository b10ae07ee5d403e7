// What a run measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nand/units.hpp"
#include "sim/drive/config.hpp"
#include "sim/drive/counters.hpp"
#include "sim/measure/job_statistics.hpp"
#include "sim/trace/replay_rules.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::backend {

// What a job has done of the log that it repeats (read_iolog).
struct ReplayedLog {
  trace::ReplaySummary trace;
  std::uint64_t left_out = 0;  // of the skipped records, those that replay_skip names
};

struct JobResult {
  workload::Job job;
  measure::JobStatistics statistics;
  std::optional<ReplayedLog> log = {};
};

struct RunResult {
  std::vector<JobResult> jobs;
  std::vector<drive::DriveReport> drives;
  // Of each drive, what every step of its preparation did; the steps have the names given.
  std::vector<std::vector<drive::DriveReport>> preparation_steps;
  std::vector<drive::DriveReport> prepared;   // the drives' counts and state after preparation
  std::optional<trace::ReplaySummary> trace;  // of a replay
  Duration simulated{};                       // whole simulated time, ramp times included
  double wall_s = 0;        // wall-clock time that the simulation took, preparation included
  double timed_wall_s = 0;  // of that, the timed part
  std::uint64_t flash_operations = 0;  // in the timed part
  bool interrupted = false;
};

}  // namespace x25sim::backend
