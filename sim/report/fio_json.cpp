#include "sim/report/fio_json.hpp"

#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "nand/check.hpp"
#include "sim/report/job_entries.hpp"
#include "sim/report/json_parts.hpp"
#include "sim/report/summary.hpp"
#include "sim/report/trace_json.hpp"

namespace x25sim::report {

namespace {

using Json = nlohmann::ordered_json;  // keeps the order in which fio prints its keys
using Parts = JsonParts<Json>;

constexpr auto number_or_null = &Parts::number_or_null;
constexpr std::size_t trim_direction = 2;

std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

// The wall-clock fields of fio's part.
void add_wall_clock(Json& report, std::chrono::system_clock::time_point wall_clock) {
  const auto since_epoch = wall_clock.time_since_epoch();
  const std::time_t seconds_since_epoch = std::chrono::system_clock::to_time_t(wall_clock);
  std::tm local{};
  localtime_r(&seconds_since_epoch, &local);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &local);
  report["timestamp"] = std::chrono::floor<std::chrono::seconds>(since_epoch).count();
  report["timestamp_ms"] = std::chrono::floor<std::chrono::milliseconds>(since_epoch).count();
  report["time"] = text.data();
}

Json latency(const measure::LatencyHistogram& histogram) {
  return {{"min", histogram.min().count()},
          {"max", histogram.max().count()},
          {"mean", histogram.mean_ns()},
          {"stddev", histogram.stddev_ns()},
          {"N", histogram.count()}};
}

Json latency_with_percentiles(const measure::LatencyHistogram& histogram, bool with_bins) {
  Json result = latency(histogram);
  if (histogram.count() == 0) return result;
  Json& values = result["percentile"];
  for (const double percent : percentiles) {
    values[fmt::format("{:f}", percent)] = histogram.percentile(percent).count();
  }
  if (!with_bins) return result;
  Json& bins = result["bins"];
  for (const auto& [value, count] : histogram.bins()) {
    bins[std::to_string(value.count())] = count;
  }
  return result;
}

Json direction_json(const ReportedDirection& direction, bool json_plus) {
  const measure::DirectionStatistics& statistics = direction.statistics;
  const DirectionSummary& summary = direction.summary;
  const std::uint64_t bytes_per_second = rounded(summary.bytes_per_second);
  return {{"io_bytes", statistics.bytes.count},
          {"io_kbytes", statistics.bytes.count / 1024},
          {"bw_bytes", bytes_per_second},
          {"bw", bytes_per_second / 1024},
          {"iops", summary.iops},
          {"runtime", summary.runtime_ms},
          {"total_ios", statistics.requests},
          {"short_ios", 0},
          {"drop_ios", 0},
          {"slat_ns", latency(statistics.submission)},
          {"clat_ns", latency_with_percentiles(statistics.completion, json_plus)},
          {"lat_ns", latency(statistics.total)},
          {"bw_min", rounded(summary.kib_per_second.min)},
          {"bw_max", rounded(summary.kib_per_second.max)},
          {"bw_agg", summary.group_share_percent},
          {"bw_mean", summary.kib_per_second.mean},
          {"bw_dev", summary.kib_per_second.stddev},
          {"bw_samples", summary.kib_per_second.count},
          {"iops_min", rounded(summary.rate.min)},
          {"iops_max", rounded(summary.rate.max)},
          {"iops_mean", summary.rate.mean},
          {"iops_stddev", summary.rate.stddev},
          {"iops_samples", summary.rate.count}};
}

void add_depths(Json& report, const measure::JobStatistics& statistics) {
  const auto depths = depth_percentages(statistics);
  for (std::size_t level = 0; level < depths.size(); ++level) {
    report["iodepth_level"][std::string{depth_level_names[level]}] = depths[level];
  }
  for (const auto& [key, batches] : {std::pair{"iodepth_submit", statistics.submit},
                                     {"iodepth_complete", statistics.complete}}) {
    const auto shares = batch_percentages(batches);
    for (std::size_t level = 0; level < shares.size(); ++level) {
      report[key][std::string{batch_level_names[level]}] = shares[level];
    }
  }
}

void add_latency_levels(Json& report, const measure::JobStatistics& statistics) {
  const auto shares = latency_percentages(statistics);
  for (std::size_t level = 0; level < shares.size(); ++level) {
    const auto& [unit, name] = latency_level_label(level);
    report[fmt::format("latency_{}s", unit)][std::string{name}] = shares[level];
  }
}

Json job_json(const JobEntry& entry, const backend::RunResult& run, bool json_plus) {
  const workload::Job& job = entry.job;
  const measure::JobStatistics& statistics = entry.statistics;
  Json report{{"jobname", job.name},
              {"groupid", job.report_group},
              {"error", error_number(statistics.outcome)},
              {"eta", 0},
              {"elapsed", rounded(std::ceil(seconds(run.simulated)))},
              {"job options", Json::object()}};
  for (const auto& [option, value] : job.options) report["job options"][option] = value;
  const Json sync{{"total_ios", statistics.flush.count()},
                  {"lat_ns", latency_with_percentiles(statistics.flush, json_plus)}};
  for (const ReportedDirection& direction : entry.directions) {
    report[std::string{direction_names[direction.direction]}] =
        direction_json(direction, json_plus);
    if (direction.direction == trim_direction) report["sync"] = sync;
  }
  report["job_runtime"] = milliseconds_up(entry.runtime);
  report["usr_cpu"] = 0.0;
  report["sys_cpu"] = 0.0;
  for (const char* const key : {"ctx", "majf", "minf"}) report[key] = 0;
  add_depths(report, statistics);
  add_latency_levels(report, statistics);
  report["latency_depth"] = latency_depth(job, statistics.outcome);
  report["latency_target"] = job.latency_target.target.count();
  report["latency_percentile"] = job.latency_target.percentile;
  report["latency_window"] = whole_microseconds(job.latency_target.window);
  return report;
}

// Counts and state of a drive; what has to do with time is added for the measured job only.
Json drive_state_json(const drive::DriveReport& report, Bytes page_size) {
  const drive::Counters& counters = report.counters;
  const DriveSummary summary = summarize(report, page_size);
  return {{"name", report.name},
          {"host_read_bytes", counters.host_read.count},
          {"host_write_bytes", counters.host_write.count},
          {"host_trim_bytes", counters.host_trim.count},
          {"commands", counters.commands},
          {"unmapped_read_pages", counters.unmapped_read_pages},
          {"buffer_read_pages", counters.buffer_read_pages},
          {"read_ahead_pages", counters.read_ahead_pages},
          {"read_ahead_hit_pages", counters.read_ahead_hit_pages},
          {"buffer_merged_pages", counters.buffer_merged_pages},
          {"nand_program_pages", Parts::by_cause(counters.ftl.programs)},
          {"nand_read_pages", Parts::by_cause(counters.ftl.reads)},
          {"two_plane_reads", counters.two_plane_reads},
          {"erases", counters.ftl.erases},
          {"trimmed_pages", counters.ftl.trimmed_pages},
          {"write_amplification", number_or_null(summary.write_amplification)},
          {"write_amplification_gc", number_or_null(summary.write_amplification_gc)},
          {"erase_count", Parts::erase_count(report.wear)},
          {"wear_factor", number_or_null(summary.wear_factor)},
          {"wear_runs", counters.ftl.wear_runs},
          {"free_blocks", report.space.free_blocks},
          {"valid_pages", report.space.valid_pages},
          {"spare_factor", number_or_null(summary.spare_factor)},
          {"spare_factor_effective", number_or_null(summary.spare_factor_effective)},
          {"over_provisioning", number_or_null(summary.over_provisioning)},
          {"over_provisioning_effective", number_or_null(summary.over_provisioning_effective)},
          {"gc_runs", counters.ftl.gc_runs},
          {"gc_pages", report.space.gc_pages},
          {"gc_valid_pages", report.space.valid_pages},
          {"energy_j", nullptr},
          {"in_steady_state", report.steady.reached()}};
}

// What the preparation did, in all and step by step.
Json prepare_json(const backend::RunResult& result, std::size_t index, Bytes page_size) {
  if (index >= result.prepared.size()) return nullptr;
  Json json = drive_state_json(result.prepared[index], page_size);
  json["steps"] = Json::array();
  if (index < result.preparation_steps.size()) {
    for (const drive::DriveReport& step : result.preparation_steps[index]) {
      json["steps"].push_back(drive_state_json(step, page_size));
    }
  }
  return json;
}

Json drive_json(const backend::RunResult& result, std::size_t index, const DriveContext& context) {
  const drive::DriveReport& report = result.drives[index];
  const Bytes page_size = context.page_size;
  Json json = drive_state_json(report, page_size);
  json["theory"] =
      context.theory ? Parts::theory(*context.theory, summarize(report, page_size)) : Json(nullptr);
  json["measured_s"] = seconds(report.measured);
  json["busy"] = {{"program_slots", number_or_null(report.busy.program_slots)},
                  {"channels", number_or_null(report.busy.channels)},
                  {"link", number_or_null(report.busy.link)},
                  {"firmware", number_or_null(report.busy.firmware())},
                  {"dies", number_or_null(report.busy.dies)},
                  {"write_buffer", number_or_null(report.busy.write_buffer)}};
  json["bound_by"] = std::string{name(report.bound)};
  const measure::LatencyHistogram& pauses = report.gc_pauses;
  json["gc_pause_ns"] = {{"N", pauses.count()},
                         {"min", pauses.min().count()},
                         {"max", pauses.max().count()},
                         {"mean", number_or_null(pauses.mean_ns())},
                         {"percentile", {{"99.000000", pauses.percentile(99).count()}}}};
  json["prepare"] = prepare_json(result, index, page_size);
  return json;
}

// How many requests the jobs issued, measured or not, flushes included, and how many of them were
// completed; of a job that ended in error, why.
Json outcomes_json(const std::vector<JobEntry>& entries) {
  Json outcomes = Json::array();
  for (const JobEntry& entry : entries) {
    const measure::JobOutcome& outcome = entry.statistics.outcome;
    outcomes.push_back({{"jobname", entry.job.name},
                        {"generated", outcome.generated},
                        {"completed", outcome.completed},
                        {"failure", nullptr}});
    if (outcome.failure) outcomes.back()["failure"] = outcome.failure->message;
  }
  return outcomes;
}

Json x25sim_json(const backend::RunResult& result, const ReportContext& context) {
  X25_CHECK(context.drives.size() == result.drives.size());
  const Configuration configuration =
      context.drives.empty() ? Configuration{} : context.drives.front().configuration;
  Json report{{"version", context.version},
              {"seed", context.seed},
              {"interrupted", result.interrupted},
              {"config", Parts::configuration(configuration)},
              {"simulated_s", seconds(result.simulated)},
              {"timed_wall_s", number_or_null(result.timed_wall_s)},
              {"wall_s", number_or_null(result.wall_s)},
              {"flash_ops", result.flash_operations},
              {"flash_ops_per_s", number_or_null(flash_operations_per_second(result))},
              {"drives", Json::array()}};
  for (std::size_t index = 0; index < result.drives.size(); ++index) {
    const Configuration& drive_configuration = context.drives[index].configuration;
    Json drive = drive_json(result, index, context.drives[index]);
    // The drives of an array are alike, and `config` above says it all; one that differs says how.
    if (drive_configuration != configuration) {
      drive["config"] = Parts::configuration(drive_configuration);
    }
    report["drives"].push_back(std::move(drive));
  }
  if (result.trace) report["trace"] = TraceJson<Json>::replay(*result.trace);
  return report;
}

}  // namespace

std::string fio_json(const backend::RunResult& result, const ReportContext& context) {
  Json report = Json::object();
  report["fio version"] = fmt::format("x25sim-{}", context.version);
  add_wall_clock(report, context.wall_clock);
  report["global options"] = Json::object();
  report["jobs"] = Json::array();
  const std::vector<JobEntry> entries = job_report(result.jobs).entries;
  for (const JobEntry& entry : entries) {
    report["jobs"].push_back(job_json(entry, result, context.json_plus));
  }
  report["disk_util"] = Json::array();
  report["x25sim"] = x25sim_json(result, context);
  report["x25sim"]["jobs"] = outcomes_json(entries);
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace x25sim::report
