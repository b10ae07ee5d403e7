// What a report says of jobs: one entry for each, or with group_reporting for several together,
// with the figures that all formats derive from their statistics, in one place so that they agree.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "nand/units.hpp"
#include "sim/backend/result.hpp"
#include "sim/measure/job_statistics.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::report {

// fio's names of the directions, in the order of JobStatistics::direction, and of all together.
inline constexpr std::array<std::string_view, 4> direction_names{"read", "write", "trim", "mixed"};
inline constexpr std::size_t mixed_direction = 3;

// Samples of bandwidth or rate, one for each complete interval of each job.
struct SampleSummary {
  double min = 0, max = 0, mean = 0;  // of several jobs: sums, as fio's
  double stddev = 0;                  // of the sample (n - 1), as fio
  std::uint64_t count = 0;
};

struct DirectionSummary {
  std::uint64_t runtime_ms = 0;  // rounded up, as fio; 0 if there were no requests
  double bytes_per_second = 0;
  double iops = 0;
  SampleSummary kib_per_second;
  SampleSummary rate;
  // Of the group's bandwidth in this direction, as fio: at most 100.
  double group_share_percent = 0;
};

// One row of an entry.
struct ReportedDirection {
  std::size_t direction = 0;                // of direction_names
  measure::DirectionStatistics statistics;  // without the series
  Duration runtime{};                       // the longest of the jobs with such requests
  DirectionSummary summary;
};

// As in fio, name and group are those of the first job of the entry, options and the latency target
// those of the last.
struct JobEntry {
  workload::Job job;
  std::uint32_t jobs = 0;
  Duration runtime{};                 // of all jobs together
  measure::JobStatistics statistics;  // all jobs' but for the series; the longest runtime
  // Read, write and trim; or mixed (unified_rw_reporting), or all of them.
  std::vector<ReportedDirection> directions;
};

// One direction of all jobs of a group, which ran at the same time.
struct GroupSummary {
  Bytes bytes;
  double bytes_per_second = 0;                                // all bytes in the longest run time
  double bytes_per_second_min = 0, bytes_per_second_max = 0;  // of single entries
  Duration runtime_min{}, runtime_max{};                      // 0: no job has this direction
};

// By group number; in the order of direction_names.
using GroupSummaries = std::map<std::uint32_t, std::array<GroupSummary, 4>>;

struct JobReport {
  std::vector<JobEntry> entries;
  GroupSummaries groups;
};

// A job with group_reporting joins the entry of the job before it, if that is of the same group.
JobReport job_report(const std::vector<backend::JobResult>& jobs);

}  // namespace x25sim::report
