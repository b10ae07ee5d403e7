#include "sim/workload/fio_option_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string>

#include "nand/suggestion.hpp"

namespace x25sim::workload {
namespace {

constexpr std::string_view ignored_options[] = {
    // description, files and engines
    "description",
    "filename",
    "filename_format",
    "unique_filename",
    "directory",
    "lockfile",
    "direct",
    "buffered",
    "atomic",
    "userspace_reap",
    "hipri",
    "fixedbufs",
    "registerfiles",
    "sqthread_poll",
    "sqthread_poll_cpu",
    "nonvectored",
    "uncached",
    "nowait",
    "force_async",
    "fallocate",
    "fadvise_hint",
    "overwrite",
    "invalidate",
    "create_serialize",
    "create_fsync",
    "create_on_open",
    "allow_file_create",
    "allow_mounted_write",
    "unlink",
    "unlink_each_loop",
    "write_hint",
    "ioscheduler",
    // data
    "zero_buffers",
    "refill_buffers",
    "scramble_buffers",
    "buffer_pattern",
    "buffer_compress_percentage",
    "buffer_compress_chunk",
    "dedupe_percentage",
    "dedupe_mode",
    "dedupe_working_set_percentage",
    "dedupe_global",
    // processors and memory
    "thread",
    "mem",
    "iomem",
    "iomem_align",
    "mem_align",
    "hugepage-size",
    "lockmem",
    "nice",
    "prio",
    "prioclass",
    "cpumask",
    "cpus_allowed",
    "cpus_allowed_policy",
    "numa_cpu_nodes",
    "numa_mem_policy",
    "cgroup",
    "cgroup_nodelete",
    "cgroup_weight",
    "uid",
    "gid",
    "clocksource",
    "gtod_reduce",
    "gtod_cpu",
    // errors of the device, which has none
    "continue_on_error",
    "ignore_error",
    "error_dump",
    "exitall_on_error",
    // reports and logs
    "unit_base",
    "bwavgtime",
    "iopsavgtime",
    "log_entries",
    "log_hist_msec",
    "log_hist_coarseness",
    "log_prio",
    "log_compression",
    "log_compression_cpus",
    "log_store_compressed",
    "log_alternate_epoch",
    "log_alternate_epoch_clock_id",
    "block_error_percentiles",
    "significant_figures",
    "disk_util",
    "disable_lat",
    "disable_clat",
    "disable_slat",
    "disable_bw_measurement",
    "disable_bw",
    // traces: they are always read piece by piece, and repeated on the simulated drive
    "read_iolog_chunked",
    "replay_redirect",
};

constexpr std::string_view unsupported_options[] = {
    // what is reported
    "write_hist_log",
    "clat_percentiles",
    "lat_percentiles",
    "slat_percentiles",
    "percentile_list",
    // regions, block sizes and offsets
    "opendir",
    "nrfiles",
    "nr_files",
    "openfiles",
    "file_service_type",
    "file_append",
    "fill_device",
    "fill_fs",
    "zonemode",
    "zonesize",
    "zonecapacity",
    "zonerange",
    "zoneskip",
    "read_beyond_wp",
    "max_open_zones",
    "job_max_open_zones",
    "ignore_zone_limits",
    "zone_reset_threshold",
    "zone_reset_frequency",
    "trim_percentage",
    "trim_verify_zero",
    "trim_backlog",
    "trim_backlog_batch",
    // depth, pace and order
    "serialize_overlap",
    "io_submit_mode",
    "wait_for",
    "exitall",
    "exit_what",
    "max_latency",
    "flow",
    "flow_id",
    "flow_sleep",
    "steadystate",
    "ss",
    "steadystate_duration",
    "ss_dur",
    "steadystate_ramp_time",
    "ss_ramp",
    "cmdprio_percentage",
    "cmdprio_class",
    "cmdprio",
    "cmdprio_bssplit",
    "profile",
    // flushes and further requests
    "write_barrier",
    "sync_file_range",
    "pre_read",
    "create_only",
    "verify",
    "do_verify",
    "verify_only",
    "verify_interval",
    "verify_offset",
    "verify_pattern",
    "verify_fatal",
    "verify_dump",
    "verify_async",
    "verify_backlog",
    "verify_backlog_batch",
    "experimental_verify",
    "verify_state_load",
    "verify_state_save",
    "exec_prerun",
    "exec_postrun",
    // traces
    "merge_blktrace_file",
    "merge_blktrace_scalars",
    "merge_blktrace_iters",
    // reports that would look different
    "stats",
};

// A longer name cannot be a misspelling, and would take long to compare.
constexpr std::size_t longest_name = 64;

class Nearest {
 public:
  // Option names are in lower case: one in capitals is misspelt by that alone.
  explicit Nearest(std::string_view name)
      : name_(name), distance_(1 + std::max<std::size_t>(1, name.size() / 3)) {
    for (char& c : name_) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }

  void offer(std::string_view candidate) {
    const std::size_t distance = edit_distance(name_, candidate);
    if (distance >= distance_) return;
    distance_ = distance;
    best_ = candidate;
  }

  std::string_view best() const { return best_; }

 private:
  std::string name_;
  std::string_view best_;
  std::size_t distance_;  // of the best so far; at first one more than a misspelling has
};

}  // namespace

bool is_ignored_option(std::string_view name) {
  return std::ranges::find(ignored_options, name) != std::end(ignored_options);
}

bool is_unsupported_option(std::string_view name) {
  return std::ranges::find(unsupported_options, name) != std::end(unsupported_options);
}

std::string_view nearest_option(std::string_view name,
                                std::span<const std::string_view> supported) {
  if (name.size() > longest_name) return {};
  Nearest nearest(name);
  // Supported names first: they win where distances are equal.
  for (const std::string_view candidate : supported) nearest.offer(candidate);
  for (const std::string_view candidate : ignored_options) nearest.offer(candidate);
  for (const std::string_view candidate : unsupported_options) nearest.offer(candidate);
  return nearest.best();
}

}  // namespace x25sim::workload
