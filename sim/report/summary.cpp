#include "sim/report/summary.hpp"

#include <algorithm>
#include <cmath>

#include "nand/check.hpp"

namespace x25sim::report {

namespace {

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

double per_second(double amount, Duration time) {
  return time.count() > 0 ? amount / seconds(time) : 0;
}

template <std::size_t levels>
std::array<double, levels> percentages(const std::array<std::uint64_t, levels>& counts,
                                       double smallest) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) total += count;
  std::array<double, levels> result{};
  for (std::size_t level = 0; level < levels; ++level) {
    if (counts[level] == 0) continue;
    const double share = static_cast<double>(counts[level]) / static_cast<double>(total);
    result[level] = std::max(100 * share, smallest);
  }
  return result;
}

}  // namespace

std::uint64_t milliseconds_up(Duration duration) {
  return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

GroupSummaries summarize_groups(const std::vector<backend::JobResult>& jobs) {
  GroupSummaries groups;
  for (const auto& [job, statistics] : jobs) {
    for (std::size_t direction = 0; direction < statistics.direction.size(); ++direction) {
      const measure::DirectionStatistics& of_job = statistics.direction[direction];
      GroupSummary& group = groups[job.report_group][direction];
      if (of_job.requests == 0) continue;
      const Duration runtime = statistics.runtime;
      const double bandwidth = per_second(static_cast<double>(of_job.bytes.count), runtime);
      const bool first = group.runtime_max.count() == 0;
      group.bytes += of_job.bytes;
      group.bytes_per_second_min =
          first ? bandwidth : std::min(group.bytes_per_second_min, bandwidth);
      group.bytes_per_second_max = std::max(group.bytes_per_second_max, bandwidth);
      group.runtime_min = first ? runtime : std::min(group.runtime_min, runtime);
      group.runtime_max = std::max(group.runtime_max, runtime);
    }
  }
  for (auto& [number, directions] : groups) {
    for (GroupSummary& group : directions) {
      group.bytes_per_second =
          per_second(static_cast<double>(group.bytes.count), group.runtime_max);
    }
  }
  return groups;
}

DirectionSummary summarize(const backend::JobResult& job, std::size_t direction,
                           const GroupSummaries& groups) {
  const measure::DirectionStatistics& statistics = job.statistics.direction[direction];
  const Duration runtime = job.statistics.runtime;
  DirectionSummary summary;
  if (statistics.requests == 0) return summary;
  summary.runtime_ms = milliseconds_up(runtime);
  summary.bytes_per_second = per_second(static_cast<double>(statistics.bytes.count), runtime);
  summary.iops = per_second(static_cast<double>(statistics.requests), runtime);

  std::vector<double> bandwidths;
  std::vector<double> rates;
  constexpr Duration interval = measure::IntervalSeries::interval;
  const auto samples = statistics.series.complete_samples(runtime);
  for (const auto& sample : samples.active) {
    bandwidths.push_back(per_second(static_cast<double>(sample.bytes.count) / 1024, interval));
    rates.push_back(per_second(static_cast<double>(sample.requests), interval));
  }
  summary.kib_per_second = summarize(bandwidths, samples.idle);
  summary.rate = summarize(rates, samples.idle);
  const double group_bandwidth = groups.at(job.job.report_group)[direction].bytes_per_second;
  if (summary.kib_per_second.count > 0 && group_bandwidth > 0) {
    const double share = 1024 * summary.kib_per_second.mean / group_bandwidth;
    summary.group_share_percent = std::min(100 * share, 100.0);
  }
  return summary;
}

std::array<double, measure::depth_levels.size()> depth_percentages(
    const measure::JobStatistics& statistics) {
  return percentages(statistics.depth, 0.1);
}

std::array<double, std::tuple_size_v<measure::LatencyHistogram::Levels>> latency_percentages(
    const measure::JobStatistics& statistics) {
  measure::LatencyHistogram::Levels counts{};
  for (const measure::DirectionStatistics& direction : statistics.direction) {
    for (std::size_t level = 0; level < counts.size(); ++level) {
      counts[level] += direction.completion.levels()[level];
    }
  }
  return percentages(counts, 0.01);
}

LatencyLevelLabel latency_level_label(std::size_t level) {
  X25_CHECK(level <= measure::latency_level_bounds.size());
  // Ten levels of each unit; the last two, from a second on, are in milliseconds as well.
  constexpr std::size_t levels_per_unit = 10;
  constexpr std::array<std::string_view, 12> names{"2",   "4",   "10",  "20",   "50",   "100",
                                                   "250", "500", "750", "1000", "2000", ">=2000"};
  const std::size_t unit = std::min<std::size_t>(level / levels_per_unit, 2);
  return {"num"[unit], names[level - unit * levels_per_unit]};
}

std::uint64_t total_requests(const measure::JobStatistics& statistics) {
  std::uint64_t total = 0;
  for (const measure::DirectionStatistics& direction : statistics.direction) {
    total += direction.requests;
  }
  return total;
}

std::string access_name(const workload::Job& job) {
  switch (job.direction) {
    case workload::Direction::read: return job.random ? "randread" : "read";
    case workload::Direction::write: return job.random ? "randwrite" : "write";
    case workload::Direction::trim: return job.random ? "randtrim" : "trim";
    case workload::Direction::mixed: return job.random ? "randrw" : "rw";
    case workload::Direction::trim_write: return job.random ? "randtrimwrite" : "trimwrite";
  }
  return "";
}

DriveSummary summarize(const drive::DriveReport& report, Bytes page_size) {
  X25_CHECK(page_size > Bytes{0});
  const drive::Counters& counters = report.counters;
  DriveSummary summary;
  if (counters.host_write > Bytes{0}) {
    const double page_share =
        static_cast<double>(page_size.count) / static_cast<double>(counters.host_write.count);
    summary.write_amplification = static_cast<double>(counters.ftl.program_total()) * page_share;
    for (std::size_t cause = 0; cause < ftl::cause_count; ++cause) {
      summary.write_amplification_by_cause[cause] =
          static_cast<double>(counters.ftl.programs[cause]) * page_share;
    }
    summary.gc_never_ran = counters.ftl.gc_runs == 0;
  }
  if (counters.ftl.host_pages() > 0) {
    summary.write_amplification_gc = counters.ftl.write_amplification_gc();
  }
  if (report.space.gc_pages > 0) {
    summary.spare_factor = report.space.spare_factor();
    summary.spare_factor_effective = report.space.spare_factor_effective();
    if (report.space.user_pages > 0) summary.over_provisioning = report.space.over_provisioning();
    if (report.space.valid_pages > 0) {
      summary.over_provisioning_effective = report.space.over_provisioning_effective();
    }
  }
  if (report.wear.mean > 0) summary.wear_factor = report.wear.factor();
  return summary;
}

std::optional<double> difference_from(const model::WorkloadTheory& theory,
                                      const DriveSummary& summary) {
  if (!theory.write_amplification || !summary.write_amplification_gc) return std::nullopt;
  return *summary.write_amplification_gc / *theory.write_amplification - 1;
}

std::optional<double> flash_operations_per_second(const backend::RunResult& result) {
  if (result.timed_wall_s <= 0) return std::nullopt;
  return static_cast<double>(result.flash_operations) / result.timed_wall_s;
}

}  // namespace x25sim::report
