// Options about logs, those that are written and those that are repeated, and about reports.
#include <algorithm>

#include "sim/workload/fio_rules.hpp"

namespace x25sim::workload {
namespace {

constexpr std::uint64_t average_max_ms = 1'000'000'000;

bool apply_name_of_log(OptionReader& reader, std::optional<std::string>& field) {
  field = reader.text();
  return true;
}

bool apply_path(OptionReader& reader, std::string& field) {
  field = reader.text();
  return !field.empty();
}

bool apply_log_avg_msec(OptionReader& reader) {
  const auto average = reader.number(reader.text(), 0, average_max_ms);
  if (average) reader.job.logs.average = std::chrono::milliseconds{*average};
  return average.has_value();
}

bool apply_replay_align(OptionReader& reader) {
  const auto align = reader.number(reader.text(), 0);
  if (!align || *align % sector_size.count != 0) return false;
  reader.job.replay.align = Bytes{*align};
  return true;
}

bool apply_replay_skip(OptionReader& reader) {
  constexpr std::array choices{
      std::pair{std::string_view("read"), Operation::read},
      std::pair{std::string_view("write"), Operation::write},
      std::pair{std::string_view("trim"), Operation::trim},
      std::pair{std::string_view("sync"), Operation::flush},
  };
  std::vector<Operation> skip;
  for (const std::string_view item : split(reader.text(), ',')) {
    const auto* const choice =
        std::ranges::find(choices, item, [](const auto& pair) { return pair.first; });
    if (choice == choices.end()) return false;
    skip.push_back(choice->second);
  }
  reader.job.replay.skip = std::move(skip);
  return true;
}

bool apply_unified(OptionReader& reader) {
  using enum UnifiedReporting;
  constexpr std::array choices{
      std::pair{std::string_view("none"), none},   std::pair{std::string_view("0"), none},
      std::pair{std::string_view("mixed"), mixed}, std::pair{std::string_view("1"), mixed},
      std::pair{std::string_view("both"), both},   std::pair{std::string_view("2"), both},
  };
  return reader.choice(reader.job.unified_rw_reporting, choices);
}

constexpr std::string_view expects_name = "a name";
constexpr std::string_view expects_file = "the name of a file";
constexpr std::string_view expects_milliseconds = "a number of milliseconds from 0 to 1000000000";

constexpr OptionRule rules[] = {
    {"group_reporting", "", expects_flag,
     [](OptionReader& r) { return r.flag(r.job.group_reporting); }, true},
    {"unified_rw_reporting", "", "none, mixed, both, 0, 1 or 2", apply_unified},
    {"write_iolog", "", expects_file,
     [](OptionReader& r) { return apply_path(r, r.job.logs.iolog); }},
    {"write_bw_log", "", expects_name,
     [](OptionReader& r) { return apply_name_of_log(r, r.draft.bandwidth_log); }, true},
    {"write_lat_log", "", expects_name,
     [](OptionReader& r) { return apply_name_of_log(r, r.draft.latency_log); }, true},
    {"write_iops_log", "", expects_name,
     [](OptionReader& r) { return apply_name_of_log(r, r.draft.iops_log); }, true},
    {"log_avg_msec", "", expects_milliseconds, apply_log_avg_msec},
    {"log_max_value", "", expects_switch,
     [](OptionReader& r) { return r.flag(r.job.logs.maximum); }},
    {"log_offset", "", expects_switch, [](OptionReader& r) { return r.flag(r.job.logs.offsets); }},
    {"per_job_logs", "", expects_switch,
     [](OptionReader& r) { return r.flag(r.job.logs.per_job); }},
    {"log_unix_epoch", "", expects_switch,
     [](OptionReader& r) { return r.flag(r.job.logs.unix_epoch); }},
    {"read_iolog", "", expects_file,
     [](OptionReader& r) {
       r.job.replay.where = r.where();
       return apply_path(r, r.draft.replay_paths);
     }},
    {"replay_no_stall", "", expects_switch,
     [](OptionReader& r) { return r.flag(r.job.replay.no_stall); }},
    {"replay_time_scale", "", "a percentage from 1, without a sign",
     [](OptionReader& r) { return r.count(r.job.replay.time_scale_percent, 1); }},
    {"replay_scale", "", "an integer from 1",
     [](OptionReader& r) { return r.count(r.job.replay.scale, 1); }},
    {"replay_align", "", "0, or a multiple of 512 bytes such as 4096 or 64k", apply_replay_align},
    {"replay_skip", "", "a list of read, write, trim and sync, such as read,sync",
     apply_replay_skip},
};

}  // namespace

std::span<const OptionRule> log_rules() { return rules; }

}  // namespace x25sim::workload
