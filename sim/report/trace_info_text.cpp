#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "sim/report/drive_text.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/table.hpp"
#include "sim/report/trace_report.hpp"
#include "sim/trace/plausible_times.hpp"

namespace x25sim::report {

namespace {

using trace::Kind;
using trace::Statistics;

constexpr std::size_t sizes_listed = 8;
constexpr std::size_t devices_listed = 32;  // a trace may have a million

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "n/a";
  return percent_or_na(static_cast<double>(part) / static_cast<double>(whole));
}

// "4K 50.0%, 8K 25.0%", the lower ends of the powers of two that hold values.
std::string powers_text(const trace::PowerHistogram& histogram) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : histogram) sum += count;
  std::string text;
  for (std::size_t power = 0; power < histogram.size(); ++power) {
    if (histogram[power] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", std::uint64_t{1} << power,
                        percent(histogram[power], sum));
  }
  return text.empty() ? "none" : text;
}

std::string times_text(const measure::LatencyHistogram& times) {
  if (times.count() == 0) return "n/a";
  const auto us = [](Duration time) { return static_cast<double>(time.count()) * 1e-3; };
  return fmt::format(
      "min={:.3f}, 1st={:.3f}, 50th={:.3f}, 90th={:.3f}, 99th={:.3f}, 99.9th={:.3f}, max={:.3f}, "
      "avg={:.3f}",
      us(times.min()), us(times.percentile(1)), us(times.percentile(50)), us(times.percentile(90)),
      us(times.percentile(99)), us(times.percentile(99.9)), us(times.max()),
      times.mean_ns() * 1e-3);
}

std::string time_lines(const Statistics& statistics, const trace::Counts& counts) {
  const double span = static_cast<double>(counts.latest_ns - counts.first_ns) * 1e-9;
  std::string text = fmt::format("  span         : {:.6f} s", span);
  if (span > 0) {
    text += fmt::format(
        ", {} requests and {} a second", short_number(static_cast<double>(counts.records) / span),
        decimal_bytes(static_cast<double>((counts.bytes_read + counts.bytes_written).count) /
                      span));
  }
  text += fmt::format("\n  interarrival : usec: {}\n", times_text(statistics.interarrival()));
  text += fmt::format("  response     : usec: {}\n", times_text(statistics.response()));
  const trace::RecordedDepth& depth = statistics.depth();
  // Arrivals alone do not tell how long a request is in flight.
  text += depth.mean()
              ? fmt::format("  queue depth  : avg={}, max={}; {}\n", fixed_or_na(depth.mean(), 1),
                            depth.max(), powers_text(depth.by_power()))
              : std::string("  queue depth  : n/a\n");
  return text;
}

std::string size_lines(const Statistics& statistics) {
  std::string text;
  for (const Kind kind : {Kind::read, Kind::write, Kind::trim}) {
    const trace::SizeTable& sizes = statistics.sizes(kind);
    if (sizes.count() == 0) continue;
    std::string common;
    for (const auto& [size, count] : sizes.most_common(sizes_listed)) {
      common += fmt::format("{}{} B {}", common.empty() ? "" : ", ", size.count,
                            percent(count, sizes.count()));
    }
    text += fmt::format("  {:<5} sizes  : {}\n", trace::name(kind), common);
    text += fmt::format("    from bytes : {}\n", powers_text(sizes.by_power()));
  }
  return text;
}

std::string locality_lines(const Statistics& statistics) {
  constexpr Bytes page{4096};
  const trace::PageTable::Footprint footprint = statistics.footprint();
  std::string text = fmt::format(
      "  footprint    : 4 KiB pages read={}, written={}, touched={} ({})\n", footprint.read,
      footprint.written, footprint.touched, both_units(page * footprint.touched));
  text += fmt::format("  overwrites   : {} of the 4 KiB pages written had been written before\n",
                      percent_or_na(statistics.overwrite_share()));
  text += fmt::format("    distance   : from 4 KiB pages written in between: {}\n",
                      powers_text(statistics.pages().rewrite_distances()));
  text += fmt::format(
      "  sequential   : read={}, write={}, trim={} begin where the one before on the "
      "device ended\n",
      percent_or_na(statistics.sequential_share(Kind::read)),
      percent_or_na(statistics.sequential_share(Kind::write)),
      percent_or_na(statistics.sequential_share(Kind::trim)));
  return text;
}

std::string alignment_lines(const Statistics& statistics) {
  std::string shares;
  for (std::size_t i = 0; i < Statistics::alignments.size(); ++i) {
    shares += fmt::format("{}{} B {}", i == 0 ? "" : ", ", Statistics::alignments[i],
                          percent(statistics.aligned(i), statistics.with_data()));
  }
  std::string phases;
  for (std::size_t sector = 0; sector < 8; ++sector) {
    phases += fmt::format("{}{} {}", sector == 0 ? "" : ", ", 512 * sector,
                          percent(statistics.page_phases()[sector], statistics.with_data()));
  }
  return fmt::format(
      "  aligned      : offset and length to {}\n"
      "    in 4 KiB   : offset at byte {}, within sectors {}\n",
      shares, phases, percent(statistics.page_phases()[8], statistics.with_data()));
}

std::string device_table(const TraceInfo& info) {
  const auto& devices = info.statistics.devices();
  Table table({{"device"},
               {"records", Align::right},
               {"reads", Align::right},
               {"writes", Align::right},
               {"read", Align::right},
               {"written", Align::right},
               {"highest byte", Align::right}});
  std::size_t listed = 0;
  std::size_t present = 0;
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    const trace::DeviceStatistics& device = devices[i];
    if (device.records == 0) continue;
    ++present;
    if (listed == devices_listed) continue;
    ++listed;
    const std::string& name = info.devices.name(i);
    table.add_row({fmt::format("'{}'", name), std::to_string(device.records),
                   std::to_string(device.reads), std::to_string(device.writes),
                   both_units(device.bytes_read), both_units(device.bytes_written),
                   std::to_string(device.max_end.count)});
  }
  std::string text = fmt::format("\n{}", table.text());
  if (present > listed) text += fmt::format("and {} more\n", present - listed);
  return text;
}

std::string oddity_lines(const TraceInfo& info, const trace::Counts& counts) {
  std::string text;
  for (const trace::Notes::Note& note : info.statistics.oddities()) {
    text += fmt::format("  odd          : {}\n", trace::Notes::sentence(note));
  }
  for (const std::string& sentence :
       trace::implausible_times(counts.records, counts.latest_ns - counts.first_ns)) {
    text += fmt::format("  odd          : {}\n", sentence);
  }
  return text + trace_note_lines(info.notes);
}

}  // namespace

std::string trace_info_text(const TraceInfo& info) {
  const Statistics& statistics = info.statistics;
  const trace::Counts counts = statistics.counts();
  std::string text =
      fmt::format("{}: {}{}\n", info.name, info.format,
                  info.action.empty() ? "" : fmt::format(", action {}", info.action));
  text += trace_count_lines(counts);
  text += time_lines(statistics, counts) + size_lines(statistics) + locality_lines(statistics);
  text += alignment_lines(statistics);
  text += fmt::format("  damaged      : lines passed over={}\n", info.malformed);
  return text + oddity_lines(info, counts) + device_table(info);
}

}  // namespace x25sim::report
