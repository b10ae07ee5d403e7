#include "sim/report/drive_text.hpp"

#include <fmt/format.h>

#include "sim/report/number_text.hpp"

namespace x25sim::report {

std::string both_units(Bytes bytes) {
  const auto count = static_cast<double>(bytes.count);
  return fmt::format("{} ({})", binary_bytes(count), decimal_bytes(count));
}

std::string by_cause(const std::array<std::uint64_t, ftl::cause_count>& counts) {
  std::string text;
  for (std::size_t cause = 0; cause < counts.size(); ++cause) {
    text += fmt::format("{}{}={}", cause == 0 ? "" : ", ", name(static_cast<ftl::Cause>(cause)),
                        counts[cause]);
  }
  return text;
}

std::string write_amplification_lines(const DriveSummary& summary) {
  std::string causes;
  for (std::size_t cause = 0; cause < ftl::cause_count; ++cause) {
    causes += fmt::format("{}{}={}", cause == 0 ? "" : ", ", name(static_cast<ftl::Cause>(cause)),
                          fixed_or_na(summary.write_amplification_by_cause[cause], 3));
  }
  std::string text;
  text += fmt::format("  write ampl.  : {} = bytes programmed / bytes written by the host\n",
                      fixed_or_na(summary.write_amplification, 3));
  text += fmt::format("    by cause   : {}\n", causes);
  text += fmt::format("    of GC      : {} = (host + rmw + gc) / (host + rmw), in pages\n",
                      fixed_or_na(summary.write_amplification_gc, 3));
  if (summary.gc_never_ran) {
    text += "    note       : GC never ran: write amplification is not in steady state\n";
  }
  return text;
}

std::string theory_line(const model::WorkloadTheory& theory, const DriveSummary& summary) {
  if (!theory.write_amplification) return fmt::format("    theory     : none: {}\n", theory.reason);
  std::string inputs = fmt::format("spare factor {}", percent_or_na(theory.spare_factor));
  if (theory.pages_per_block) inputs += fmt::format(", b={}", *theory.pages_per_block);
  if (theory.choices) inputs += fmt::format(", d={}", *theory.choices);
  std::string text =
      fmt::format("    theory     : {} in steady state ({}; {})",
                  fixed_or_na(theory.write_amplification, 3), theory.formula, inputs);
  if (const auto difference = difference_from(theory, summary)) {
    text += fmt::format("; simulated {:+.1f}%", 100 * *difference);
  }
  return text + "\n";
}

std::string wear_lines(const drive::DriveReport& report, const DriveSummary& summary) {
  const ftl::WearSummary& wear = report.wear;
  return fmt::format(
      "  erase counts : min={}, max={}, avg={}, stdev={}; wear factor={} = max / avg\n"
      "    levelling  : data of {} blocks moved to level wear\n",
      wear.min, wear.max, fixed_or_na(wear.mean, 2), fixed_or_na(wear.stddev, 2),
      fixed_or_na(summary.wear_factor, 3), report.counters.ftl.wear_runs);
}

}  // namespace x25sim::report
