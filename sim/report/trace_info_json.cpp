#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/json_parts.hpp"
#include "sim/report/trace_json.hpp"
#include "sim/report/trace_report.hpp"

namespace x25sim::report {

namespace {

using Json = nlohmann::ordered_json;
using Parts = JsonParts<Json>;
using trace::Kind;

constexpr std::size_t sizes_listed = 64;

// {"4096": 12, "8192": 3}: the lower ends of the powers of two that hold values.
Json powers_json(const trace::PowerHistogram& histogram) {
  Json json = Json::object();
  for (std::size_t power = 0; power < histogram.size(); ++power) {
    if (histogram[power] > 0) json[std::to_string(std::uint64_t{1} << power)] = histogram[power];
  }
  return json;
}

Json sizes_json(const trace::SizeTable& sizes) {
  Json common = Json::array();
  for (const auto& [size, count] : sizes.most_common(sizes_listed)) {
    common.push_back({{"bytes", size.count}, {"requests", count}});
  }
  return {{"most_common", common}, {"by_power_of_two", powers_json(sizes.by_power())}};
}

Json times_json(const measure::LatencyHistogram& times) {
  if (times.count() == 0) return nullptr;
  Json percentiles = Json::object();
  for (const double percent : report::percentiles) {
    percentiles[fmt::format("{:.6f}", percent)] = times.percentile(percent).count();
  }
  return {{"N", times.count()},
          {"min", times.min().count()},
          {"max", times.max().count()},
          {"mean", Parts::number_or_null(times.mean_ns())},
          {"percentile", percentiles}};
}

Json alignment_json(const trace::Statistics& statistics) {
  Json shares = Json::object();
  for (std::size_t i = 0; i < trace::Statistics::alignments.size(); ++i) {
    shares[std::to_string(trace::Statistics::alignments[i])] = statistics.aligned(i);
  }
  const auto& phases = statistics.page_phases();
  Json offsets = Json::object();
  for (std::size_t sector = 0; sector < 8; ++sector) {
    offsets[std::to_string(512 * sector)] = phases[sector];
  }
  offsets["within_sectors"] = phases[8];
  return {
      {"requests", statistics.with_data()}, {"aligned", shares}, {"offset_modulo_4096", offsets}};
}

Json depth_json(const trace::RecordedDepth& depth) {
  if (!depth.mean()) return nullptr;
  return {{"mean", Parts::number_or_null(depth.mean())},
          {"max", depth.max()},
          {"by_power_of_two", powers_json(depth.by_power())}};
}

Json devices_json(const TraceInfo& info) {
  Json devices = Json::array();
  const auto& all = info.statistics.devices();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const trace::DeviceStatistics& device = all[i];
    if (device.records == 0) continue;
    devices.push_back({{"name", info.devices.name(i)},
                       {"records", device.records},
                       {"reads", device.reads},
                       {"writes", device.writes},
                       {"bytes_read", device.bytes_read.count},
                       {"bytes_written", device.bytes_written.count},
                       {"max_end_byte", device.max_end.count}});
  }
  return devices;
}

}  // namespace

std::string trace_info_json(const TraceInfo& info, const std::string& version) {
  const trace::Statistics& statistics = info.statistics;
  trace::Counts counts = statistics.counts();
  counts.malformed = info.malformed;
  const trace::PageTable::Footprint footprint = statistics.footprint();
  Json trace = TraceJson<Json>::counts(counts);
  trace["format"] = info.format;
  trace["footprint_4k_pages"] = {
      {"read", footprint.read}, {"written", footprint.written}, {"touched", footprint.touched}};
  trace["overwrite_share"] = Parts::number_or_null(statistics.overwrite_share());
  trace["rewrite_distance_4k_pages"] = powers_json(statistics.pages().rewrite_distances());
  for (const Kind kind : {Kind::read, Kind::write, Kind::trim}) {
    const std::string name{trace::name(kind)};
    trace["sequential_share"][name] = Parts::number_or_null(statistics.sequential_share(kind));
    trace["sizes"][name] = sizes_json(statistics.sizes(kind));
  }
  trace["interarrival_ns"] = times_json(statistics.interarrival());
  trace["response_ns"] = times_json(statistics.response());
  trace["queue_depth"] = depth_json(statistics.depth());
  trace["alignment"] = alignment_json(statistics);
  trace["devices"] = devices_json(info);
  trace["oddities"] = Json::array();
  for (const trace::Notes::Note& note : statistics.oddities()) {
    trace["oddities"].push_back(TraceJson<Json>::note(note));
  }
  trace["notes"] = TraceJson<Json>::notes(info.notes);
  const Json report{{"x25sim", {{"version", version}, {"trace", trace}}}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace x25sim::report
