#include "sim/report/trace_report.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "sim/trace/plausible_times.hpp"

namespace x25sim::report {

namespace {

// Devices that are listed; a trace may have a million.
constexpr std::size_t devices_listed = 32;

std::string device_lines(const std::vector<trace::DeviceRegion>& devices) {
  // A trace without device names has one device, which is everything.
  if (devices.size() == 1 && devices.front().name.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < std::min(devices.size(), devices_listed); ++i) {
    const trace::DeviceRegion& device = devices[i];
    text +=
        fmt::format("  device       : '{}' records={}, at bytes [{}, {})\n", device.name,
                    device.records, device.offset.count, device.offset.count + device.length.count);
  }
  if (devices.size() > devices_listed) {
    text += fmt::format("  device       : and {} more\n", devices.size() - devices_listed);
  }
  return text;
}

}  // namespace

std::string trace_count_lines(const trace::Counts& trace) {
  return fmt::format(
      "  records      : {} = reads {} + writes {} + trims {} + flushes {} + other {}\n"
      "  bytes        : read={}, write={}, trim={}; in [{}, {})\n"
      "  unique       : 4 KiB pages written={}\n"
      "  time         : first={} ns, last={} ns, backward steps={}\n",
      trace.records, trace.reads, trace.writes, trace.trims, trace.flushes, trace.other,
      trace.bytes_read.count, trace.bytes_written.count, trace.bytes_trimmed.count,
      trace.min_byte.count, trace.max_end_byte.count, trace.unique_4k_pages_written, trace.first_ns,
      trace.last_ns, trace.backward_steps);
}

std::string trace_note_lines(const trace::Notes& notes) {
  std::string text;
  for (const trace::Notes::Note& note : notes.all()) {
    text += fmt::format("  note         : {}\n", trace::Notes::sentence(note));
  }
  return text;
}

std::string trace_replay_block(const trace::ReplaySummary& summary, bool interrupted) {
  const trace::Counts& counts = summary.counts;
  std::string text = "\nTrace:\n";
  if (interrupted) {
    text += fmt::format("  interrupted  : at {} in pass {} of {}\n",
                        summary.reached.empty() ? "its start" : summary.reached, summary.pass,
                        summary.passes);
  } else if (summary.passes > 1) {
    text += fmt::format("  passes       : {}, counted together\n", summary.passes);
  }
  text += trace_count_lines(counts);
  const std::string waiting =
      summary.waiting > 0 || interrupted ? fmt::format(" + waiting {}", summary.waiting) : "";
  text += fmt::format("  fate         : {} = issued {} + merged {} + refused {} + skipped {}{}\n",
                      counts.records, counts.issued, counts.merged, counts.refused, counts.skipped,
                      waiting);
  text += fmt::format(
      "  changed      : clipped={}, wrapped={}, scaled={}, expanded={}, clamped in time={}\n"
      "  damaged      : lines passed over={}\n",
      counts.clipped, counts.wrapped, counts.scaled, counts.expanded, counts.clamped,
      counts.malformed);
  if (!summary.action.empty()) text += fmt::format("  action       : {}\n", summary.action);
  return text + device_lines(summary.devices) + trace_note_lines(summary.notes);
}

std::vector<std::string> trace_notices(const trace::ReplaySummary& summary,
                                       bool at_recorded_times) {
  const trace::Counts& counts = summary.counts;
  std::vector<std::string> notices;
  if (counts.backward_steps > 0 && at_recorded_times) {
    notices.push_back(
        fmt::format("{} records are before their predecessors in time; {} were "
                    "issued together with them",
                    counts.backward_steps, counts.clamped));
  }
  if (counts.malformed > 0) {
    notices.push_back(fmt::format("{} damaged lines were passed over", counts.malformed));
  }
  if (summary.devices.size() > 1) {
    const bool apart = summary.devices.back().offset.count > 0;
    notices.push_back(
        fmt::format("records of {} devices, replayed {}", summary.devices.size(),
                    apart ? "one behind the other on the drive" : "as if they were of one"));
  }
  if (at_recorded_times && counts.records > 0) {
    for (std::string& sentence : trace::implausible_times(counts.records / summary.pass,
                                                          counts.latest_ns - counts.first_ns)) {
      notices.push_back(std::move(sentence));
    }
  }
  return notices;
}

}  // namespace x25sim::report
