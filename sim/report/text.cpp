#include "sim/report/text.hpp"

#include <fmt/format.h>

#include "nand/check.hpp"
#include "sim/report/drive_text.hpp"
#include "sim/report/job_entries.hpp"
#include "sim/report/job_text.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/summary.hpp"
#include "sim/report/trace_report.hpp"

namespace x25sim::report {

namespace {

std::string data_lines(const drive::Counters& counters, Bytes page_size) {
  std::string text;
  text += fmt::format("  host         : read={}, write={}, trim={}, commands={}\n",
                      both_units(counters.host_read), both_units(counters.host_write),
                      both_units(counters.host_trim), counters.commands);
  text += fmt::format("  NAND         : read={}, program={}, erases={}\n",
                      both_units(page_size * counters.ftl.read_total()),
                      both_units(page_size * counters.ftl.program_total()), counters.ftl.erases);
  text += fmt::format("   page reads  : {}\n", by_cause(counters.ftl.reads));
  text += fmt::format("   page progs  : {}\n", by_cause(counters.ftl.programs));
  text += fmt::format(
      "  no flash     : unmapped reads={}, write buffer reads={}, overwritten in buffer={}\n",
      counters.unmapped_read_pages, counters.buffer_read_pages, counters.buffer_merged_pages);
  text += fmt::format("  read ahead   : pages={}, hits={}; two-plane reads={}\n",
                      counters.read_ahead_pages, counters.read_ahead_hit_pages,
                      counters.two_plane_reads);
  return text;
}

// Whether the drive has settled, and how far it is from that.
std::string steady_line(const drive::SteadyState& state) {
  if (!state.window) {
    return fmt::format(
        "  steady state : no (it takes {} rounds of 0.2 drive writes with GC in each, after {} "
        "drive "
        "writes; so far {})\n",
        drive::SteadyHistory::judged_rounds, drive::SteadyHistory::conditioning_drive_writes,
        state.rounds);
  }
  const measure::SteadyStateWindow& window = *state.window;
  constexpr measure::SteadyStateRule rule;
  std::string text = fmt::format(
      "  steady state : {} (write amplification of the last {} rounds of 0.2 drive writes within "
      "{}, drift {}",
      state.reached() ? "yes" : "no", rule.rounds, percent_or_na(window.range / window.average),
      percent_or_na(window.excursion / window.average));
  if (!state.spare_is_steady()) {
    text += fmt::format(", spare area within {}", percent_or_na(state.spare_range));
  }
  if (!state.reached()) {
    text += fmt::format("; steady are {} and {}", percent_or_na(rule.range_max),
                        percent_or_na(rule.excursion_max));
  }
  return text + ")\n";
}

// How long garbage collection made a die's host programs wait.
std::string pauses_text(const measure::LatencyHistogram& pauses) {
  if (pauses.count() == 0) return "none";
  const auto ms = [](double ns) { return fmt::format("{:.3f}", ns * 1e-6); };
  const auto ns = [](Duration duration) { return static_cast<double>(duration.count()); };
  return fmt::format("{} of a die's host programs, msec: min={}, avg={}, 99th={}, max={}",
                     pauses.count(), ms(ns(pauses.min())), ms(pauses.mean_ns()),
                     ms(ns(pauses.percentile(99))), ms(ns(pauses.max())));
}

std::string space_lines(const drive::DriveReport& report, const DriveSummary& summary) {
  const ftl::SpaceSummary& space = report.space;
  std::string text;
  text += fmt::format("  GC           : runs={}, free blocks={}\n", report.counters.ftl.gc_runs,
                      space.free_blocks);
  text += fmt::format("    pauses     : {}\n", pauses_text(report.gc_pauses));
  text += wear_lines(report, summary);
  text += fmt::format(
      "  spare area   : T={} pages for data and GC, of them {} for the user, {} in use\n",
      space.gc_pages, space.user_pages, space.valid_pages);
  text += fmt::format(
      "    spare      : {} = (T - U) / T with U = all user pages; {} with U = in use\n",
      percent_or_na(summary.spare_factor), percent_or_na(summary.spare_factor_effective));
  text += fmt::format(
      "    over-prov. : {} = (T - U) / U with U = all user pages; {} with U = in use\n",
      percent_or_na(summary.over_provisioning), percent_or_na(summary.over_provisioning_effective));
  return text;
}

std::string busy_lines(const drive::DriveReport& report) {
  const drive::BusyFractions& busy = report.busy;
  return fmt::format(
      "  busy         : program slots={}, channels={}, link={}, firmware={}, dies={}, "
      "write buffer full={}\n"
      "  bound by     : {}\n",
      percent_or_na(busy.program_slots), percent_or_na(busy.channels), percent_or_na(busy.link),
      percent_or_na(busy.firmware()), percent_or_na(busy.dies), percent_or_na(busy.write_buffer),
      name(report.bound));
}

// What one step of the preparation did.
std::string step_line(const drive::DriveReport& step, Bytes page_size) {
  const DriveSummary summary = summarize(step, page_size);
  return fmt::format("  prepared     : {}: write={}, trim={}, erases={}, write ampl. of GC={}\n",
                     step.name, both_units(step.counters.host_write),
                     both_units(step.counters.host_trim), step.counters.ftl.erases,
                     fixed_or_na(summary.write_amplification_gc, 3));
}

std::string drive_block(const backend::RunResult& result, std::size_t index,
                        const DriveContext& context) {
  const drive::DriveReport& report = result.drives[index];
  const Bytes page_size = context.page_size;
  const DriveSummary summary = summarize(report, page_size);
  std::string text = fmt::format("\nDrive {} ({}), measured for {:.6f} s of simulated time:\n",
                                 index, report.name, seconds(report.measured));
  text += data_lines(report.counters, page_size) + write_amplification_lines(summary);
  if (context.theory && summary.write_amplification) text += theory_line(*context.theory, summary);
  text += steady_line(report.steady) + space_lines(report, summary);
  // Energy has no mechanism yet; the line is there so that nobody takes its absence for zero.
  text += "  energy       : n/a\n" + busy_lines(report);
  if (index < result.preparation_steps.size()) {
    for (const drive::DriveReport& step : result.preparation_steps[index]) {
      text += step_line(step, page_size);
    }
  }
  return text;
}

}  // namespace

std::string text_report(const backend::RunResult& result, const ReportContext& context) {
  X25_CHECK(context.drives.size() == result.drives.size());
  std::string text;
  for (const backend::JobResult& job : result.jobs) {
    text += result.trace ? trace_announcement(job.job) : job_announcement(job.job);
  }
  text += fmt::format("x25sim-{}, seed {}\n", context.version, context.seed);
  if (result.interrupted) text += "Interrupted: what follows is what had been measured so far.\n";
  const JobReport jobs = job_report(result.jobs);
  for (const JobEntry& entry : jobs.entries) text += job_block(entry);
  for (const auto& [number, group] : jobs.groups) text += group_block(number, group);
  if (result.trace) text += trace_replay_block(*result.trace, result.interrupted);
  for (std::size_t index = 0; index < result.drives.size(); ++index) {
    text += drive_block(result, index, context.drives[index]);
  }
  text += fmt::format("\nSimulated {:.6f} s, {} flash operations\n", seconds(result.simulated),
                      result.flash_operations);
  const auto speed = flash_operations_per_second(result);
  text += fmt::format(
      "Wall-clock time {:.3f} s, of it {:.3f} s timed: {} flash operations per second\n",
      result.wall_s, result.timed_wall_s, speed ? short_number(*speed) : "n/a");
  return text;
}

}  // namespace x25sim::report
