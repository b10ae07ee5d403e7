// Figures that all report formats derive from a result, in one place so that they agree.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nand/units.hpp"
#include "sim/backend/result.hpp"
#include "sim/model/workload_theory.hpp"

namespace x25sim::report {

// The percentiles that fio reports by default.
inline constexpr std::array<double, 17> percentiles{1,  5,  10, 20, 30,   40,   50,    60,   70,
                                                    80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

// fio's name of a latency level: its unit, "n", "u" or "m", and its bound in it.
struct LatencyLevelLabel {
  char unit;
  std::string_view name;
};
// Requires: level <= latency_level_bounds.size().
LatencyLevelLabel latency_level_label(std::size_t level);

// fio's names of the depth levels, and of the sizes of batches that requests are submitted and
// completed in.
inline constexpr std::array<std::string_view, 7> depth_level_names{"1",  "2",  "4",   "8",
                                                                   "16", "32", ">=64"};
inline constexpr std::array<std::string_view, measure::batch_levels> batch_level_names{
    "0", "4", "8", "16", "32", "64", ">=64"};

// Share of the job's requests at each level, in percent. As in fio, what is there but would be
// shown as nothing counts as 0.1 (depth) or 0.01 (latency), which fio defines on completion
// latency.
std::array<double, measure::depth_levels.size()> depth_percentages(
    const measure::JobStatistics& statistics);
std::array<double, std::tuple_size_v<measure::LatencyHistogram::Levels>> latency_percentages(
    const measure::JobStatistics& statistics);

// Share of submissions, or of looks at completions, at each level of requests at once, in percent.
std::array<double, measure::batch_levels> batch_percentages(
    const std::array<std::uint64_t, measure::batch_levels>& batches);

std::uint64_t total_requests(const measure::JobStatistics& statistics);

// The depth that the job ended at: what latency_target has found, or else its iodepth.
std::uint32_t latency_depth(const workload::Job& job, const measure::JobOutcome& outcome);

std::int64_t whole_microseconds(Duration duration);

// The number of the error that the job ended in, as errno; 0: none.
int error_number(const measure::JobOutcome& outcome);

// fio's name of what the job does, as "randread".
std::string access_name(const workload::Job& job);

// What a drive's counts amount to; none where the definition has a denominator of 0.
struct DriveSummary {
  std::optional<double> write_amplification;     // all NAND program bytes / host bytes written
  std::optional<double> write_amplification_gc;  // (host + gc) / host pages
  std::array<std::optional<double>, ftl::cause_count> write_amplification_by_cause;
  std::optional<double> spare_factor, spare_factor_effective;
  std::optional<double> over_provisioning, over_provisioning_effective;
  std::optional<double> wear_factor;  // most worn block / mean
  bool gc_never_ran = false;  // although the host wrote: write amplification is not a steady one
};

DriveSummary summarize(const drive::DriveReport& report, Bytes page_size);

// (simulated - theory) / theory, of write_amplification_gc; none if one of them is missing.
std::optional<double> difference_from(const model::WorkloadTheory& theory,
                                      const DriveSummary& summary);

// Flash operations of the timed part per second of wall-clock time.
std::optional<double> flash_operations_per_second(const backend::RunResult& result);

// Milliseconds, rounded up, as fio rounds run times.
std::uint64_t milliseconds_up(Duration duration);

}  // namespace x25sim::report
