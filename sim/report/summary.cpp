#include "sim/report/summary.hpp"

#include <algorithm>

#include "nand/check.hpp"

namespace x25sim::report {

namespace {

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

std::array<double, measure::batch_levels> batch_percentages(
    const std::array<std::uint64_t, measure::batch_levels>& batches) {
  return percentages(batches, 0.1);
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

std::uint32_t latency_depth(const workload::Job& job, const measure::JobOutcome& outcome) {
  return job.latency_target.target > Duration{} ? outcome.latency_depth : job.iodepth;
}

std::int64_t whole_microseconds(Duration duration) {
  return std::chrono::floor<std::chrono::microseconds>(duration).count();
}

int error_number(const measure::JobOutcome& outcome) {
  return outcome.failure ? outcome.failure->error : 0;
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
