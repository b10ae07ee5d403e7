#include "sim/report/terse.hpp"

#include <fmt/format.h>

#include "sim/report/job_entries.hpp"
#include "sim/report/summary.hpp"

namespace x25sim::report {

namespace {

// Version 3 has no trims.
constexpr std::size_t trim_direction = 2;
// Percentiles that a line has room for; those that are not in use are "0%=0".
constexpr std::size_t percentile_count = 20;

// Minimum, maximum, mean and deviation in microseconds.
void append_latency(std::string& line, const measure::LatencyHistogram& latency) {
  line +=
      fmt::format(";{};{};{:f};{:f}", latency.min().count() / 1000, latency.max().count() / 1000,
                  latency.mean_ns() / 1000, latency.stddev_ns() / 1000);
}

void append_percentiles(std::string& line, const measure::LatencyHistogram& latency) {
  for (const double percent : percentiles) {
    line += fmt::format(";{:f}%={}", percent, latency.percentile(percent).count() / 1000);
  }
  for (std::size_t i = percentiles.size(); i < percentile_count; ++i) line += ";0%=0";
}

void append_direction(std::string& line, const ReportedDirection& direction) {
  const measure::DirectionStatistics& statistics = direction.statistics;
  const DirectionSummary& summary = direction.summary;
  line += fmt::format(";{};{:.0f};{:.0f};{}", statistics.bytes.count / 1024,
                      summary.bytes_per_second / 1024, summary.iops, summary.runtime_ms);
  append_latency(line, statistics.submission);
  append_latency(line, statistics.completion);
  append_percentiles(line, statistics.completion);
  append_latency(line, statistics.total);
  const SampleSummary& bandwidths = summary.kib_per_second;
  line += fmt::format(";{:.0f};{:.0f};{:f}%;{:f};{:f}", bandwidths.min, bandwidths.max,
                      summary.group_share_percent, bandwidths.mean, bandwidths.stddev);
}

// Levels in microseconds and milliseconds; what is shorter than a microsecond counts in the first.
void append_latency_levels(std::string& line, const measure::JobStatistics& statistics) {
  const auto shares = latency_percentages(statistics);
  double below = 0;
  std::size_t level = 0;
  while (latency_level_label(level).unit == 'n') below += shares[level++];
  for (; level < shares.size(); ++level) {
    line += fmt::format(";{:.2f}%", below + shares[level]);
    below = 0;
  }
}

}  // namespace

std::string terse_report(const backend::RunResult& result, const ReportContext& context) {
  std::string text;
  for (const JobEntry& entry : job_report(result.jobs).entries) {
    const measure::JobStatistics& statistics = entry.statistics;
    text += fmt::format("3;x25sim-{};{};{};{}", context.version, entry.job.name,
                        entry.job.report_group, error_number(statistics.outcome));
    for (const ReportedDirection& direction : entry.directions) {
      if (direction.direction != trim_direction) append_direction(text, direction);
    }
    // Processor time of user and system, context switches, major and minor page faults.
    text += ";0.000000%;0.000000%;0;0;0";
    for (const double share : depth_percentages(statistics)) text += fmt::format(";{:.1f}%", share);
    append_latency_levels(text, statistics);
    text += '\n';
  }
  return text;
}

}  // namespace x25sim::report
