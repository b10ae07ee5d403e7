#include "sim/workload/fio_consistency.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string_view>

#include "sim/workload/fio_rules.hpp"

namespace x25sim::workload {
namespace {

class Reconciliation {
 public:
  Reconciliation(JobDraft& draft, FioNotes& notes)
      : draft_(draft), job_(draft.job), notes_(notes) {}

  void run() {
    join_sizes();
    turn_map_off();
    check_trim_write();
    fit_depths();
    check_rates();
    fit_times();
    join_durability();
    name_logs();
    fit_to_log();
    check_depth();
  }

 private:
  void note(const std::string& text) {
    notes_.texts.push_back(fmt::format("{}: job '{}': {}", job_.where.text(), job_.name, text));
  }

  [[noreturn]] void fail(const std::string& text) const {
    throw InputError(job_.where, fmt::format("job '{}': {}", job_.name, text));
  }

  // As in fio, sizes of bssplit and bsrange win over those of bs, wherever they stand.
  void join_sizes() {
    for (std::size_t direction = 0; direction < job_.sizes.size(); ++direction) {
      BlockSizes sizes = fixed_size(draft_.block[direction]);
      const auto& range = draft_.range[direction];
      if (range) {
        sizes.min = range->first;
        sizes.max = range->second;
      }
      const auto& split = draft_.split[direction];
      if (!split.empty()) {
        const auto [least, most] = std::ranges::minmax(split, {}, &BlockSizes::Share::size);
        sizes.min = least.size;
        sizes.max = most.size;
        if (!sizes.fixed()) sizes.split = split;
      }
      const Bytes align = draft_.align[direction];
      sizes.align = job_.random && align.count > 0 ? align : sizes.min;
      sizes.unit = draft_.unaligned_sizes ? sector_size : sizes.min;
      job_.sizes[direction] = sizes;
    }
    if (draft_.unaligned_sizes) {
      note(
          "bs_unaligned: sizes are multiples of a sector of 512 bytes, of which the device takes "
          "whole ones only");
    }
  }

  // As in fio, the map of blocks that were visited is in blocks of the smallest size.
  void turn_map_off() {
    if (job_.distribution.kind != OffsetDistribution::Kind::uniform) job_.no_random_map = true;
    const bool aligned = std::ranges::all_of(
        job_.sizes, [](const BlockSizes& sizes) { return sizes.align == sizes.min; });
    if (aligned || job_.no_random_map) return;
    job_.no_random_map = true;
    note("blockalign other than the smallest block size sets norandommap, as in fio");
  }

  void check_trim_write() {
    if (job_.direction != Direction::trim_write || job_.sizes[1] == job_.sizes[2]) return;
    fail("expected the same block sizes for trims and for the writes behind them, found others");
  }

  void fit_depths() {
    Batches& batches = job_.batches;
    if (batches.low > job_.iodepth) {
      note(fmt::format("iodepth_low={} is more than iodepth and has no effect, as in fio",
                       batches.low));
      batches.low = 0;
    }
    if (batches.submit > job_.iodepth) {
      note(fmt::format("iodepth_batch={} is cut to iodepth={}, as in fio", batches.submit,
                       job_.iodepth));
      batches.submit = job_.iodepth;
    }
    if (batches.submit == 0) batches.submit = job_.iodepth;
    if (batches.complete_max > 0 && batches.complete_min > batches.complete_max) {
      note(
          fmt::format("iodepth_batch_complete_max={} is raised to iodepth_batch_complete_min={}, "
                      "as in fio",
                      batches.complete_max, batches.complete_min));
      batches.complete_max = batches.complete_min;
    }
  }

  void check_rates() const {
    const Rate& rate = job_.rate;
    const auto any = [](const std::array<std::uint64_t, 3>& rates) {
      return std::ranges::any_of(rates, [](std::uint64_t value) { return value > 0; });
    };
    if (any(rate.bytes_per_s) && any(rate.requests_per_s)) {
      fail("expected rate or rate_iops, found both");
    }
    if (any(rate.min_bytes_per_s) && any(rate.min_requests_per_s)) {
      fail("expected rate_min or rate_iops_min, found both");
    }
    for (std::size_t i = 0; i < rate.bytes_per_s.size(); ++i) {
      check_minimum("rate_min", rate.min_bytes_per_s[i], "rate", rate.bytes_per_s[i]);
      check_minimum("rate_iops_min", rate.min_requests_per_s[i], "rate_iops",
                    rate.requests_per_s[i]);
    }
  }

  void check_minimum(const char* minimum_name, std::uint64_t minimum, const char* name,
                     std::uint64_t rate) const {
    if (rate == 0 || minimum <= rate) return;
    fail(
        fmt::format("expected a {} of at most {}={}, found {}", minimum_name, name, rate, minimum));
  }

  void fit_times() {
    ThinkTime& think_time = job_.think_time;
    if (think_time.spin > think_time.time) {
      note("thinktime_spin is more than thinktime and is cut to it, as in fio");
      think_time.spin = think_time.time;
    }
    if (job_.time_based && !job_.runtime) {
      job_.time_based = false;
      notes_.texts.push_back(
          fmt::format("{}: job '{}' has time_based but no runtime, and runs as if without it, as "
                      "in fio",
                      job_.where.text(), job_.name));
    }
  }

  void join_durability() {
    if (draft_.fsync > 0 && draft_.fdatasync > 0 && draft_.fsync != draft_.fdatasync) {
      fail(
          fmt::format("expected fsync and fdatasync after as many writes, of which both are one "
                      "flush of the device, found {} and {}",
                      draft_.fsync, draft_.fdatasync));
    }
    job_.durability.flush_every = std::max(draft_.fsync, draft_.fdatasync);
    job_.durability.data_only = draft_.fsync == 0 && draft_.fdatasync > 0;
    job_.durability.at_end = draft_.end_fsync || draft_.fsync_on_close;
  }

  void name_logs() {
    const auto name = [this](std::string& log, const std::optional<std::string>& given) {
      if (given) log = given->empty() ? job_.name : *given;
    };
    name(job_.logs.bandwidth, draft_.bandwidth_log);
    name(job_.logs.latency, draft_.latency_log);
    name(job_.logs.iops, draft_.iops_log);
    if (draft_.replay_paths.empty() || job_.logs.iolog.empty()) return;
    note("write_iolog is left out beside read_iolog, as in fio");
    job_.logs.iolog.clear();
  }

  // The requests of a job with read_iolog are those of the log.
  void fit_to_log() {
    if (draft_.replay_paths.empty()) return;
    const auto limited = [](std::uint64_t rate) { return rate > 0; };
    if (std::ranges::any_of(job_.rate.bytes_per_s, limited) ||
        std::ranges::any_of(job_.rate.requests_per_s, limited)) {
      fail("expected read_iolog, whose requests have times of their own, or a rate, found both");
    }
    std::vector<std::string> idle;
    for (const auto& [name, value] : job_.options) {
      if (shapes_requests(name) && std::ranges::find(idle, name) == idle.end()) {
        idle.push_back(name);
      }
    }
    job_.time_based = false;
    job_.durability.flush_every = 0;
    if (idle.empty()) return;
    note(
        fmt::format("its requests are those of read_iolog; beside it without effect, as in fio: {}",
                    fmt::join(idle, ", ")));
  }

  // Whether an option is about requests that a job makes, and does nothing to recorded ones.
  static bool shapes_requests(std::string_view option) {
    constexpr std::string_view others[]{"sync", "end_fsync", "fsync_on_close"};
    if (std::ranges::find(others, option) != std::end(others)) return false;
    if (option == "time_based") return true;
    const auto is_named = [option](const OptionRule& rule) {
      return option == rule.name || (!rule.alias.empty() && option == rule.alias);
    };
    return std::ranges::any_of(request_rules(), is_named) ||
           std::ranges::any_of(region_rules(), is_named);
  }

  void check_depth() {
    if (job_.iodepth > 1 && is_synchronous_engine(draft_.engine)) {
      notes_.shallow_jobs.push_back(job_.name);
    }
  }

  JobDraft& draft_;
  Job& job_;
  FioNotes& notes_;
};

}  // namespace

void reconcile_options(JobDraft& draft, FioNotes& notes) { Reconciliation(draft, notes).run(); }

}  // namespace x25sim::workload
