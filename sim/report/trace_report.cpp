#include "sim/report/trace_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/trace_json.hpp"

namespace x25sim::report {

namespace {

using Json = nlohmann::ordered_json;

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

std::string trace_info_text(const trace::Counts& counts) {
  return "Trace:\n" + trace_count_lines(counts) +
         fmt::format("  damaged      : lines passed over={}\n", counts.malformed);
}

std::string trace_info_json(const trace::Counts& counts, const std::string& version) {
  const Json report{{"x25sim", {{"version", version}, {"trace", TraceJson<Json>::counts(counts)}}}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace x25sim::report
