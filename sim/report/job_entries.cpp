#include "sim/report/job_entries.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/report/summary.hpp"

namespace x25sim::report {

namespace {

using backend::JobResult;
using workload::UnifiedReporting;

double per_second(double amount, Duration time) {
  return time.count() > 0 ? amount / seconds(time) : 0;
}

// Of these samples and `zeros` further ones of value 0.
SampleSummary summarize(const std::vector<double>& samples, std::uint64_t zeros) {
  SampleSummary summary;
  summary.count = samples.size() + zeros;
  if (summary.count == 0) return summary;
  const auto count = static_cast<double>(summary.count);
  if (!samples.empty()) {
    summary.min = zeros > 0 ? 0 : *std::min_element(samples.begin(), samples.end());
    summary.max = *std::max_element(samples.begin(), samples.end());
  }
  for (const double sample : samples) summary.mean += sample / count;
  if (summary.count < 2) return summary;
  double squares = static_cast<double>(zeros) * summary.mean * summary.mean;
  for (const double sample : samples) squares += std::pow(sample - summary.mean, 2);
  summary.stddev = std::sqrt(squares / (count - 1));
  return summary;
}

// fio adds up the samples of jobs that ran side by side: extremes, means and squared deviations.
SampleSummary sum(const SampleSummary& a, const SampleSummary& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const auto squares = [](const SampleSummary& of) {
    return of.stddev * of.stddev * static_cast<double>(of.count - 1);
  };
  SampleSummary result{a.min + b.min, a.max + b.max, a.mean + b.mean, 0, a.count + b.count};
  result.stddev = std::sqrt((squares(a) + squares(b)) / static_cast<double>(result.count - 1));
  return result;
}

// Adds one direction of a job to a row.
void add(ReportedDirection& row, const measure::DirectionStatistics& of_job, Duration runtime) {
  if (of_job.requests == 0) return;
  measure::DirectionStatistics& total = row.statistics;
  total.requests += of_job.requests;
  total.bytes += of_job.bytes;
  total.submission.merge(of_job.submission);
  total.completion.merge(of_job.completion);
  total.total.merge(of_job.total);
  row.runtime = std::max(row.runtime, runtime);
  std::vector<double> bandwidths;
  std::vector<double> rates;
  constexpr Duration interval = measure::IntervalSeries::interval;
  const auto samples = of_job.series.complete_samples(runtime);
  for (const auto& sample : samples.active) {
    bandwidths.push_back(per_second(static_cast<double>(sample.bytes.count) / 1024, interval));
    rates.push_back(per_second(static_cast<double>(sample.requests), interval));
  }
  DirectionSummary& summary = row.summary;
  summary.kib_per_second = sum(summary.kib_per_second, summarize(bandwidths, samples.idle));
  summary.rate = sum(summary.rate, summarize(rates, samples.idle));
}

void finish(ReportedDirection& row) {
  row.summary.runtime_ms = milliseconds_up(row.runtime);
  row.summary.bytes_per_second =
      per_second(static_cast<double>(row.statistics.bytes.count), row.runtime);
  row.summary.iops = per_second(static_cast<double>(row.statistics.requests), row.runtime);
}

template <typename Counts>
void add(Counts& total, const Counts& counts) {
  std::transform(total.begin(), total.end(), counts.begin(), total.begin(), std::plus<>());
}

void add(measure::JobOutcome& total, const measure::JobOutcome& outcome) {
  total.generated += outcome.generated;
  total.completed += outcome.completed;
  total.latency_depth = outcome.latency_depth;
  if (!total.failure) total.failure = outcome.failure;
}

// The rows that an entry's unified_rw_reporting asks for, as yet empty.
std::vector<ReportedDirection> rows_of(UnifiedReporting unified) {
  std::vector<ReportedDirection> rows;
  if (unified != UnifiedReporting::mixed) {
    for (std::size_t direction = 0; direction < mixed_direction; ++direction) {
      rows.emplace_back().direction = direction;
    }
  }
  if (unified != UnifiedReporting::none) rows.emplace_back().direction = mixed_direction;
  return rows;
}

void add(JobEntry& entry, const JobResult& result) {
  const measure::JobStatistics& of_job = result.statistics;
  if (entry.jobs == 0) {
    entry.job = result.job;
    entry.directions = rows_of(result.job.unified_rw_reporting);
  } else {
    entry.job.options = result.job.options;
    entry.job.latency_target = result.job.latency_target;
    entry.job.iodepth = result.job.iodepth;
  }
  ++entry.jobs;
  entry.runtime += of_job.runtime;
  for (ReportedDirection& row : entry.directions) {
    for (std::size_t direction = 0; direction < of_job.direction.size(); ++direction) {
      if (row.direction != direction && row.direction != mixed_direction) continue;
      add(row, of_job.direction[direction], of_job.runtime);
    }
  }
  measure::JobStatistics& total = entry.statistics;
  for (std::size_t direction = 0; direction < of_job.direction.size(); ++direction) {
    total.direction[direction].requests += of_job.direction[direction].requests;
    total.direction[direction].completion.merge(of_job.direction[direction].completion);
  }
  total.flush.merge(of_job.flush);
  add(total.depth, of_job.depth);
  add(total.submit, of_job.submit);
  add(total.complete, of_job.complete);
  total.runtime = std::max(total.runtime, of_job.runtime);
  add(total.outcome, of_job.outcome);
}

void add(GroupSummary& group, const ReportedDirection& row) {
  if (row.statistics.requests == 0) return;
  const double bandwidth = row.summary.bytes_per_second;
  const bool first = group.runtime_max.count() == 0;
  group.bytes += row.statistics.bytes;
  group.bytes_per_second_min = first ? bandwidth : std::min(group.bytes_per_second_min, bandwidth);
  group.bytes_per_second_max = std::max(group.bytes_per_second_max, bandwidth);
  group.runtime_min = first ? row.runtime : std::min(group.runtime_min, row.runtime);
  group.runtime_max = std::max(group.runtime_max, row.runtime);
}

}  // namespace

JobReport job_report(const std::vector<JobResult>& jobs) {
  JobReport report;
  std::vector<JobEntry>& entries = report.entries;
  for (const JobResult& result : jobs) {
    const bool joins = result.job.group_reporting && !entries.empty() &&
                       entries.back().job.report_group == result.job.report_group;
    add(joins ? entries.back() : entries.emplace_back(), result);
  }
  for (JobEntry& entry : entries) {
    for (ReportedDirection& row : entry.directions) {
      finish(row);
      add(report.groups[entry.job.report_group][row.direction], row);
    }
  }
  for (auto& [number, directions] : report.groups) {
    for (GroupSummary& group : directions) {
      group.bytes_per_second =
          per_second(static_cast<double>(group.bytes.count), group.runtime_max);
    }
  }
  for (JobEntry& entry : entries) {
    for (ReportedDirection& row : entry.directions) {
      const double of_group = report.groups[entry.job.report_group][row.direction].bytes_per_second;
      if (row.summary.kib_per_second.count == 0 || of_group <= 0) continue;
      const double share = 1024 * row.summary.kib_per_second.mean / of_group;
      row.summary.group_share_percent = std::min(100 * share, 100.0);
    }
  }
  return report;
}

}  // namespace x25sim::report
