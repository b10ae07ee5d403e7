// Options that say when a job makes its requests: depth, times, rates and latencies.
#include "sim/workload/fio_rules.hpp"

namespace x25sim::workload {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A limit that keeps a misprint from asking for gigabytes of bookkeeping.
constexpr std::uint64_t iodepth_max = 1 << 20;

constexpr std::uint64_t cycle_max_ms = 1'000'000'000;

bool apply_runtime(OptionReader& reader) {
  Duration time{};
  if (!reader.time(time, seconds{1})) return false;
  reader.job.runtime.reset();  // 0 is fio's "no limit"
  if (time > Duration::zero()) reader.job.runtime = time;
  return true;
}

// "10", or a range "10-20" of which a time is drawn.
bool apply_startdelay(OptionReader& reader) {
  const std::string_view text = reader.text();
  const std::size_t minus = text.starts_with('(') ? text.npos : text.find('-');
  const auto low = parse_fio_time(text.substr(0, minus));
  if (!low) return false;
  reader.draft.start_delay_max.reset();
  if (minus != text.npos) {
    const auto high = parse_fio_time(text.substr(minus + 1));
    if (!high || *high < *low) return false;
    reader.draft.start_delay_max = *high;
  }
  reader.job.start_delay = *low;
  return true;
}

bool apply_latency_percentile(OptionReader& reader) {
  const auto percentile = parse_fio_real(reader.text());
  if (!percentile || *percentile <= 0 || *percentile > 100) return false;
  reader.job.latency_target.percentile = *percentile;
  return true;
}

bool apply_rate_cycle(OptionReader& reader) {
  const auto cycle = reader.number(reader.text(), 1, cycle_max_ms);
  if (cycle) reader.job.rate.cycle = milliseconds{*cycle};
  return cycle.has_value();
}

bool apply_rate_process(OptionReader& reader) {
  constexpr std::array choices{std::pair{std::string_view("linear"), false},
                               std::pair{std::string_view("poisson"), true}};
  return reader.choice(reader.job.rate.poisson, choices);
}

bool apply_thinktime_blocks_type(OptionReader& reader) {
  constexpr std::array choices{std::pair{std::string_view("complete"), false},
                               std::pair{std::string_view("issue"), true}};
  return reader.choice(reader.job.think_time.by_issue, choices);
}

constexpr std::string_view expects_time = "a time such as 30 (seconds), 500ms, 10us, 30s, 5m, 1h";
constexpr std::string_view expects_short_time =
    "a time such as 30 (microseconds), 500ms, 10us, 30s, 5m, 1h";
constexpr std::string_view expects_depth = "an integer from 0 to 1048576";
constexpr std::string_view expects_rates =
    "bytes per second such as 500k or 10m, or up to three for reads, writes and trims";
constexpr std::string_view expects_request_rates =
    "requests per second such as 500, or up to three for reads, writes and trims";

constexpr OptionRule rules[] = {
    {"iodepth", "", "an integer from 1 to 1048576",
     [](OptionReader& r) { return r.count(r.job.iodepth, 1, iodepth_max); }},
    {"iodepth_batch", "iodepth_batch_submit", expects_depth,
     [](OptionReader& r) { return r.count(r.job.batches.submit, 0, iodepth_max); }},
    {"iodepth_batch_complete_min", "iodepth_batch_complete", expects_depth,
     [](OptionReader& r) { return r.count(r.job.batches.complete_min, 0, iodepth_max); }},
    {"iodepth_batch_complete_max", "", expects_depth,
     [](OptionReader& r) { return r.count(r.job.batches.complete_max, 0, iodepth_max); }},
    {"iodepth_low", "", expects_depth,
     [](OptionReader& r) { return r.count(r.job.batches.low, 0, iodepth_max); }},
    {"runtime", "timeout", expects_time, apply_runtime},
    {"time_based", "", expects_flag, [](OptionReader& r) { return r.flag(r.job.time_based); },
     true},
    {"ramp_time", "", expects_time,
     [](OptionReader& r) { return r.time(r.job.ramp_time, seconds{1}); }},
    {"startdelay", "", "a time such as 30 (seconds) or 500ms, or a range such as 10-20",
     apply_startdelay},
    {"thinktime", "", expects_short_time,
     [](OptionReader& r) { return r.time(r.job.think_time.time, microseconds{1}); }},
    {"thinktime_spin", "", expects_short_time,
     [](OptionReader& r) { return r.time(r.job.think_time.spin, microseconds{1}); }},
    {"thinktime_blocks", "", "a number of requests from 1",
     [](OptionReader& r) { return r.count(r.job.think_time.blocks, 1); }},
    {"thinktime_blocks_type", "", "complete or issue", apply_thinktime_blocks_type},
    {"thinktime_iotime", "", expects_time,
     [](OptionReader& r) { return r.time(r.job.think_time.io_time, seconds{1}); }},
    {"rate", "", expects_rates,
     [](OptionReader& r) { return r.counts(r.job.rate.bytes_per_s, 0); }},
    {"rate_min", "ratemin", expects_rates,
     [](OptionReader& r) { return r.counts(r.job.rate.min_bytes_per_s, 0); }},
    {"rate_iops", "", expects_request_rates,
     [](OptionReader& r) { return r.counts(r.job.rate.requests_per_s, 0); }},
    {"rate_iops_min", "", expects_request_rates,
     [](OptionReader& r) { return r.counts(r.job.rate.min_requests_per_s, 0); }},
    {"rate_process", "", "linear or poisson", apply_rate_process},
    {"rate_cycle", "ratecycle", "a number of milliseconds from 1 to 1000000000", apply_rate_cycle},
    {"rate_ignore_thinktime", "", expects_switch,
     [](OptionReader& r) { return r.flag(r.job.rate.ignore_think_time); }},
    {"latency_target", "", expects_short_time,
     [](OptionReader& r) { return r.time(r.job.latency_target.target, microseconds{1}); }},
    {"latency_window", "", expects_short_time,
     [](OptionReader& r) { return r.time(r.job.latency_target.window, microseconds{1}); }},
    {"latency_percentile", "", "a percentage above 0 up to 100, without a sign",
     apply_latency_percentile},
    {"latency_run", "", expects_switch,
     [](OptionReader& r) { return r.flag(r.job.latency_target.run_on); }},
};

}  // namespace

std::span<const OptionRule> pace_rules() { return rules; }

}  // namespace x25sim::workload
