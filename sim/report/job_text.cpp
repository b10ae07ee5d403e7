#include "sim/report/job_text.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "sim/report/number_text.hpp"
#include "sim/report/summary.hpp"

namespace x25sim::report {

namespace {

// A unit of time that fits a set of durations.
struct TimeUnit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr TimeUnit nsec{"nsec", 1};
constexpr TimeUnit usec{"usec", 1'000};
constexpr TimeUnit msec{"msec", 1'000'000};

// "35.8MiB/s (37.6MB/s)"
std::string bandwidth(double bytes_per_second) {
  return fmt::format("{}/s ({}/s)", binary_bytes(bytes_per_second),
                     decimal_bytes(bytes_per_second));
}

// fio's rule: a larger unit only if even the smallest value has digits enough in it.
TimeUnit unit_of(double lowest, double highest) {
  if (lowest > 2e6 && highest > 99'999'999) return msec;
  if (lowest > 2e3 && highest > 99'999) return usec;
  return nsec;
}

// As unit_of, but nanoseconds also where the values hardly differ.
TimeUnit unit_of(const measure::LatencyHistogram& latency) {
  const auto lowest = static_cast<double>(latency.min().count());
  const auto highest = static_cast<double>(latency.max().count());
  if (lowest > 2e6 && highest > 99'999'999 && latency.stddev_ns() > 1e6) return msec;
  if (lowest > 2e3 && highest > 99'999 && latency.stddev_ns() > 1e3) return usec;
  return nsec;
}

std::string latency_line(std::string_view name, const measure::LatencyHistogram& latency) {
  if (latency.count() == 0) return "";
  const TimeUnit unit = unit_of(latency);
  const auto whole = [&](Duration duration) {
    const std::int64_t units = duration.count() / unit.nanoseconds;
    return short_number(static_cast<double>(units), 6);
  };
  const auto scale = static_cast<double>(unit.nanoseconds);
  return fmt::format("    {:>4} ({}): min={}, max={}, avg={:5.2f}, stdev={:5.2f}\n", name,
                     unit.name, whole(latency.min()), whole(latency.max()),
                     latency.mean_ns() / scale, latency.stddev_ns() / scale);
}

std::string percentile_table(std::string_view name, const measure::LatencyHistogram& latency) {
  if (latency.count() == 0) return "";
  const std::int64_t highest = latency.percentile(percentiles.back()).count();
  const TimeUnit unit =
      unit_of(static_cast<double>(latency.percentile(percentiles.front()).count()),
              static_cast<double>(highest));
  const std::size_t width =
      std::max<std::size_t>(5, std::to_string(highest / unit.nanoseconds).size());
  const std::size_t per_line = (80 - 7) / (12 + width);
  std::string text = fmt::format("    {} percentiles ({}):\n", name, unit.name);
  for (std::size_t i = 0; i < percentiles.size(); ++i) {
    const std::int64_t value = latency.percentile(percentiles[i]).count();
    const bool last_of_line = i % per_line == per_line - 1 || i + 1 == percentiles.size();
    text += fmt::format("{} {:5.2f}th=[{:{}}]{}{}", i % per_line == 0 ? "     |" : "",
                        percentiles[i], (value + unit.nanoseconds - 1) / unit.nanoseconds, width,
                        i + 1 < percentiles.size() ? "," : "", last_of_line ? "\n" : "");
  }
  return text;
}

std::string sample_lines(const DirectionSummary& summary) {
  if (summary.kib_per_second.count == 0) return "";
  const SampleSummary& bandwidths = summary.kib_per_second;
  const bool large = bandwidths.mean > 1024 * 1024;
  const double scale = large ? 1024 : 1;
  const SampleSummary& rate = summary.rate;
  return fmt::format(
      "   bw (  {}/s): min={:5.0f}, max={:5.0f}, per={:.2f}%, avg={:5.2f}, stdev={:5.2f}, "
      "samples={}\n"
      "   iops        : min={:5.0f}, max={:5.0f}, avg={:5.2f}, stdev={:5.2f}, samples={}\n",
      large ? "MiB" : "KiB", bandwidths.min / scale, bandwidths.max / scale,
      summary.group_share_percent, bandwidths.mean / scale, bandwidths.stddev / scale,
      bandwidths.count, rate.min, rate.max, rate.mean, rate.stddev, rate.count);
}

std::string direction_block(const ReportedDirection& direction) {
  const measure::DirectionStatistics& statistics = direction.statistics;
  if (statistics.requests == 0) return "";
  const DirectionSummary& summary = direction.summary;
  return fmt::format("  {}: IOPS={}, BW={}({}/{}msec)\n", direction_names[direction.direction],
                     short_number(summary.iops), bandwidth(summary.bytes_per_second),
                     binary_bytes(static_cast<double>(statistics.bytes.count)),
                     summary.runtime_ms) +
         latency_line("slat", statistics.submission) + latency_line("clat", statistics.completion) +
         latency_line("lat", statistics.total) + percentile_table("clat", statistics.completion) +
         sample_lines(summary);
}

// The levels in use, five to a line, each unit on lines of its own.
std::string latency_levels(const measure::JobStatistics& statistics) {
  const auto shares = latency_percentages(statistics);
  std::string text;
  char unit_before = ' ';
  int of_line = 0;
  for (std::size_t level = 0; level < shares.size(); ++level) {
    if (shares[level] <= 0) continue;
    const auto [unit, name] = latency_level_label(level);
    const bool new_line = unit != unit_before || of_line == 5;
    if (new_line) {
      text += fmt::format("{}  lat ({}sec)   : ", text.empty() ? "" : "\n", unit);
      of_line = 0;
    }
    text += fmt::format("{}{}={:.2f}%", new_line ? "" : ", ", name, shares[level]);
    unit_before = unit;
    ++of_line;
  }
  return text.empty() ? text : text + '\n';
}

std::string flush_block(const measure::LatencyHistogram& flush) {
  if (flush.count() == 0) return "";
  return "  fsync/fdatasync/sync_file_range:\n" + latency_line("sync", flush) +
         percentile_table("sync", flush);
}

template <std::size_t levels>
std::string level_line(std::string_view title, const std::array<std::string_view, levels>& names,
                       const std::array<double, levels>& shares) {
  std::string text{title};
  for (std::size_t level = 0; level < levels; ++level) {
    text += fmt::format("{}{}={:.1f}%", level == 0 ? "" : ", ", names[level], shares[level]);
  }
  return text + '\n';
}

// fio's "err= 0", with the reason of an error.
std::string error_text(const measure::JobOutcome& outcome) {
  if (!outcome.failure) return "err= 0";
  return fmt::format("err={:2} (func={}, error={})", outcome.failure->error,
                     outcome.failure->function, std::strerror(outcome.failure->error));
}

std::string depth_lines(const measure::JobStatistics& statistics) {
  return level_line("  IO depths    : ", depth_level_names, depth_percentages(statistics)) +
         level_line("     submit    : ", batch_level_names, batch_percentages(statistics.submit)) +
         level_line("     complete  : ", batch_level_names, batch_percentages(statistics.complete));
}

}  // namespace

std::string job_announcement(const workload::Job& job) {
  std::string sizes;
  for (std::size_t direction = 0; direction < job.sizes.size(); ++direction) {
    sizes += fmt::format("{}({}) {}B-{}B", direction == 0 ? "" : ", ", "RWT"[direction],
                         job.sizes[direction].min.count, job.sizes[direction].max.count);
  }
  return fmt::format("{}: (g={}): rw={}, bs={}, ioengine=x25sim, iodepth={}\n", job.name,
                     job.report_group, access_name(job), sizes, job.iodepth);
}

std::string trace_announcement(const workload::Job& job) {
  return job.iodepth == 0 ? fmt::format("{}: recorded trace, at its recorded times\n", job.name)
                          : fmt::format("{}: recorded trace, iodepth={}\n", job.name, job.iodepth);
}

std::string job_block(const JobEntry& entry) {
  const workload::Job& job = entry.job;
  const measure::JobStatistics& statistics = entry.statistics;
  std::string text = fmt::format("\n{}: (groupid={}, jobs={}): {}: pid=0: simulated\n", job.name,
                                 job.report_group, entry.jobs, error_text(statistics.outcome));
  for (const ReportedDirection& direction : entry.directions) text += direction_block(direction);
  text += latency_levels(statistics) + flush_block(statistics.flush) + depth_lines(statistics);
  text += fmt::format(
      "     issued rwts: total={},{},{},{} short=0,0,0,0 dropped=0,0,0,0\n"
      "     latency   : target={}, window={}, percentile={:.2f}%, depth={}\n",
      statistics.direction[0].requests, statistics.direction[1].requests,
      statistics.direction[2].requests, statistics.flush.count(), job.latency_target.target.count(),
      whole_microseconds(job.latency_target.window), job.latency_target.percentile,
      latency_depth(job, statistics.outcome));
  return text;
}

std::string group_block(std::uint32_t number, const std::array<GroupSummary, 4>& group) {
  constexpr std::array<std::string_view, 4> titles{"   READ", "  WRITE", "   TRIM", "  MIXED"};
  std::string text = fmt::format("\nRun status group {} (all jobs):\n", number);
  for (std::size_t direction = 0; direction < group.size(); ++direction) {
    const GroupSummary& summary = group[direction];
    if (summary.bytes == Bytes{0}) continue;
    const double lowest = summary.bytes_per_second_min;
    const double highest = summary.bytes_per_second_max;
    const auto bytes = static_cast<double>(summary.bytes.count);
    text += fmt::format("{}: bw={}, {}/s-{}/s ({}/s-{}/s), io={} ({}), run={}-{}msec\n",
                        titles[direction], bandwidth(summary.bytes_per_second),
                        binary_bytes(lowest), binary_bytes(highest), decimal_bytes(lowest),
                        decimal_bytes(highest), binary_bytes(bytes), decimal_bytes(bytes),
                        milliseconds_up(summary.runtime_min), milliseconds_up(summary.runtime_max));
  }
  return text;
}

}  // namespace x25sim::report
