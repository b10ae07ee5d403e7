#include "sim/report/endurance_report.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "nand/check.hpp"
#include "sim/model/wear.hpp"
#include "sim/report/drive_text.hpp"
#include "sim/report/json_parts.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/summary.hpp"

namespace x25sim::report {

namespace {

using Json = nlohmann::ordered_json;
using Parts = JsonParts<Json>;

constexpr auto number_or_null = &Parts::number_or_null;

constexpr double days_per_year = 365.25;

// What a life amounts to; none where a definition has a denominator of 0.
struct LifeSummary {
  DriveSummary drive;
  double host_tb = 0;  // 10^12 bytes
  double drive_writes = 0;
  double years = 0;
  // Intel's arithmetic, forward and back.
  std::optional<double> formula_cycles;
  std::optional<double> formula_bytes;
  std::optional<double> formula_difference;  // (simulated - formula) / formula
  // Of the erase counts, by theory, at the mean that was simulated.
  std::optional<double> theory_stddev;
  std::optional<double> theory_max;
};

LifeSummary summarize(const backend::EnduranceResult& result, const DriveContext& context) {
  const drive::DriveReport& life = result.life;
  const auto host = static_cast<double>(life.counters.host_write.count);
  const auto capacity = static_cast<double>(result.capacity.count);
  X25_CHECK(capacity > 0);
  LifeSummary summary;
  summary.drive = report::summarize(life, context.page_size);
  summary.host_tb = host * 1e-12;
  summary.drive_writes = host / capacity;
  summary.years = host / lifetime_bytes_per_day / days_per_year;
  const std::optional<double>& amplification = summary.drive.write_amplification;
  const std::optional<double>& factor = summary.drive.wear_factor;
  if (amplification && *amplification > 0 && factor) {
    summary.formula_cycles = host * *amplification * *factor / capacity;
    summary.formula_bytes = model::lifetime_bytes(static_cast<double>(result.raw.count),
                                                  result.rated_cycles, *amplification, *factor);
    summary.formula_difference = host / *summary.formula_bytes - 1;
  }
  const bool covered = context.theory && context.theory->erase_dispersion;
  // Theory is of blocks that are left where the garbage collector put them.
  if (covered && life.counters.ftl.wear_runs == 0 && life.wear.blocks > 0) {
    const double dispersion = *context.theory->erase_dispersion;
    summary.theory_stddev = std::sqrt(dispersion * life.wear.mean);
    summary.theory_max = model::expected_max_erases(life.wear.mean, dispersion,
                                                    static_cast<double>(life.wear.blocks));
  }
  return summary;
}

Json amplification_by_cause(const DriveSummary& summary) {
  Json json = Json::object();
  for (std::size_t cause = 0; cause < ftl::cause_count; ++cause) {
    json[std::string{name(static_cast<ftl::Cause>(cause))}] =
        number_or_null(summary.write_amplification_by_cause[cause]);
  }
  return json;
}

Json theory_json(const LifeSummary& summary, const DriveContext& context) {
  if (!context.theory) return nullptr;
  Json json = Parts::theory(*context.theory, summary.drive);
  json["erase_dispersion"] = number_or_null(context.theory->erase_dispersion);
  json["erase_count_stddev"] = number_or_null(summary.theory_stddev);
  json["erase_count_max"] = number_or_null(summary.theory_max);
  return json;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// "12.34 TB", of 10^12 bytes, whatever the size: lifetimes are compared in it.
std::string terabytes(std::optional<double> tb) {
  if (!tb || !std::isfinite(*tb)) return "n/a";
  return *tb < 1 ? fmt::format("{:.4g} TB", *tb) : fmt::format("{:.2f} TB", *tb);
}

std::string end_lines(const backend::EnduranceResult& result, const LifeSummary& summary) {
  return fmt::format(
      "  end of life  : {}; complete passes={}\n"
      "  host wrote   : {} (of 10^12 bytes) = {:.4g} drive writes; {} of it to prepare\n"
      "    a day      : {} years at {} a day\n",
      result.interrupted ? "not reached" : "a block wore out that nothing can replace",
      result.passes, terabytes(summary.host_tb), summary.drive_writes,
      decimal_bytes(static_cast<double>(result.prepared_write.count)),
      fixed_or_na(summary.years, 2), decimal_bytes(lifetime_bytes_per_day));
}

std::string formula_lines(const backend::EnduranceResult& result, const LifeSummary& summary) {
  std::string text = fmt::format(
      "  formula      : {} cycles = host writes x write ampl. x wear factor / capacity\n"
      "    lifetime   : {} = raw bytes x {} cycles / (write ampl. x wear factor)",
      fixed_or_na(summary.formula_cycles, 1),
      terabytes(summary.formula_bytes ? std::optional(*summary.formula_bytes * 1e-12)
                                      : std::nullopt),
      result.rated_cycles);
  if (summary.formula_difference && result.worn_out) {
    text += fmt::format("; simulated {:+.1f}%", 100 * *summary.formula_difference);
  }
  return text + "\n";
}

}  // namespace

std::string endurance_json(const backend::EnduranceResult& result, const ReportContext& context) {
  X25_CHECK(context.drives.size() == 1);
  const DriveContext& drive = context.drives.front();
  const LifeSummary summary = summarize(result, drive);
  const ftl::Counters& counters = result.life.counters.ftl;
  const Json json{
      {"version", context.version},
      {"seed", context.seed},
      {"drive", result.life.name},
      {"jobs", result.jobs},
      {"worn_out", result.worn_out},
      {"interrupted", result.interrupted},
      {"passes", result.passes},
      {"rated_cycles", result.rated_cycles},
      {"user_bytes", result.capacity.count},
      {"raw_bytes", result.raw.count},
      {"host_written_bytes", result.life.counters.host_write.count},
      {"host_written_tb", summary.host_tb},
      {"prepare_host_written_bytes", result.prepared_write.count},
      {"drive_writes", summary.drive_writes},
      {"years_at_20_gb_per_day", summary.years},
      {"write_amplification", number_or_null(summary.drive.write_amplification)},
      {"write_amplification_gc", number_or_null(summary.drive.write_amplification_gc)},
      {"write_amplification_by_cause", amplification_by_cause(summary.drive)},
      {"nand_program_pages", Parts::by_cause(counters.programs)},
      {"erases", counters.erases},
      {"erase_count", Parts::erase_count(result.life.wear)},
      {"wear_factor", number_or_null(summary.drive.wear_factor)},
      {"wear_runs", counters.wear_runs},
      {"reserve_blocks", result.reserve_blocks},
      {"retired_blocks", counters.retired_blocks},
      {"reserve_blocks_left", result.reserve_blocks_left},
      {"cycles_formula", number_or_null(summary.formula_cycles)},
      {"lifetime_formula_bytes", number_or_null(summary.formula_bytes)},
      {"lifetime_formula_relative_difference", number_or_null(summary.formula_difference)},
      {"theory", theory_json(summary, drive)},
      {"config", Parts::configuration(drive.configuration)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string endurance_text(const backend::EnduranceResult& result, const ReportContext& context) {
  X25_CHECK(context.drives.size() == 1);
  const DriveContext& drive = context.drives.front();
  const LifeSummary summary = summarize(result, drive);
  const ftl::Counters& counters = result.life.counters.ftl;
  std::string text = fmt::format("x25sim-{}, seed {}\n", context.version, context.seed);
  if (result.interrupted) text += "Interrupted: what follows is what had been reached so far.\n";
  text += fmt::format("\nLife of {} ({} cycles) under {}:\n", result.life.name, result.rated_cycles,
                      joined(result.jobs));
  text += end_lines(result, summary);
  text += write_amplification_lines(summary.drive);
  if (drive.theory) text += theory_line(*drive.theory, summary.drive);
  text +=
      fmt::format("  page progs   : {}; erases={}\n", by_cause(counters.programs), counters.erases);
  text += wear_lines(result.life, summary.drive);
  if (summary.theory_max) {
    text += fmt::format(
        "    theory     : max={:.1f}, stdev={:.2f} of {} blocks without wear levelling\n",
        *summary.theory_max, *summary.theory_stddev, result.life.wear.blocks);
  }
  text +=
      fmt::format("  reserve      : {} blocks worn out and replaced, of {} in reserve; {} left\n",
                  counters.retired_blocks, result.reserve_blocks, result.reserve_blocks_left);
  return text + formula_lines(result, summary);
}

}  // namespace x25sim::report
