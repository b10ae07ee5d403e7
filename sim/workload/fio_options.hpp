// The options of fio job files: which exist, and what a section of a job file has set so far.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nand/errors.hpp"
#include "nand/units.hpp"
#include "sim/workload/fio_suffix.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::workload {

// One option as it stands in a job file.
struct OptionLine {
  std::string name;
  std::optional<std::string> value;  // none for "name" without "="
  SourceLocation where;
};

// A number of bytes, or a percentage of something that is known only when the section ends.
struct Amount {
  std::uint64_t value = 0;
  bool percent = false;
  SourceLocation where;
  std::uint32_t order = 0;  // among the options of the job, from 1; 0 while it has its default
};

// The options of a section so far, those of the global sections before it included.
struct JobDraft {
  Job job;
  std::uint32_t kb_base = kb_base_binary;
  std::uint32_t options_read = 0;

  Amount offset;
  Amount offset_increment;                           // from one copy of the job to the next
  Amount size;                                       // 0: the rest of the device, as in fio
  Amount io_size;                                    // 0: as `size`
  Bytes offset_align;                                // of offsets in percent; 0: the smallest block
  std::optional<std::pair<Bytes, Bytes>> file_size;  // from, to
  SourceLocation file_size_where;

  // Of reads, writes and trims, before they are joined to Job::sizes.
  std::array<Bytes, 3> block{Bytes{4096}, Bytes{4096}, Bytes{4096}};
  std::array<std::optional<std::pair<Bytes, Bytes>>, 3> range;
  std::array<std::vector<BlockSizes::Share>, 3> split;
  std::array<Bytes, 3> align{};  // 0: as the smallest block
  bool unaligned_sizes = false;

  std::uint64_t fsync = 0;
  std::uint64_t fdatasync = 0;
  bool end_fsync = false;
  bool fsync_on_close = false;
  std::optional<Duration> start_delay_max;  // of a range
  std::string replay_paths;                 // one for each copy, between colons
  // Names of logs; an empty one is the job's.
  std::optional<std::string> bandwidth_log, latency_log, iops_log;

  std::uint32_t copies = 1;
  bool stonewall = false;
  bool new_group = false;
  std::string engine;  // empty while unset
};

// What is to be said about a job file that is not wrong.
struct FioNotes {
  std::vector<std::string> ignored;       // options without a meaning here, each once
  std::vector<std::string> shallow_jobs;  // jobs that fio itself would run at depth 1
  std::vector<std::string> texts;         // everything else, in order of appearance
};

// Applies `options`, in order but for kb_base, which comes first as in fio, and records them in
// draft.job.options. Throws InputError with file and line for unknown options (with the nearest
// known name), unsupported ones, and values out of range.
void apply_options(const std::vector<OptionLine>& options, JobDraft& draft, FioNotes& notes);

// Whether fio's I/O engine `engine` has one request at a time, whatever `iodepth` says. The empty
// name is fio's default.
bool is_synchronous_engine(const std::string& engine);

// Whether fio has an option of that name, supported here or not.
bool is_fio_option(std::string_view name);

// Whether the option is a supported one that must have a value.
bool needs_value(std::string_view name);

// The names of all options that are supported, aliases included.
std::vector<std::string_view> supported_options();

}  // namespace x25sim::workload
