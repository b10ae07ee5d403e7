// The options of fio job files: which exist, how each is read, and what a section of a job file has
// set so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
  SourceLocation where;  // line 0 while it has its default
};

// The options of a section so far, those of the global sections before it included.
struct JobDraft {
  Job job;
  std::uint32_t kb_base = kb_base_binary;
  Amount offset;
  Amount size;     // 0: the rest of the device, as in fio
  Amount io_size;  // 0: as `size`
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

}  // namespace x25sim::workload
