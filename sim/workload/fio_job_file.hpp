// Reads fio job files, and jobs from the command line.
//
// They are read as fio 3.33 reads them, but for three things: environment variables are not
// expanded, for a run depends on nothing but its files; blanks around '=' are skipped for every
// option; and a region that does not lie within the device is an error instead of being cut.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "nand/units.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::workload {

// The numbers that the first job of a file gets. They continue over all job files of a run.
struct JobNumbering {
  std::uint32_t number = 0;        // Job::number
  std::uint32_t group = 0;         // Job::group
  std::uint32_t report_group = 0;  // Job::report_group

  bool operator==(const JobNumbering&) const = default;
};

struct JobFile {
  std::vector<Job> jobs;
  // What the reader wants to be known once: options that mean nothing for a simulated drive and
  // were ignored, suffixes that fio reads unexpectedly, depths that fio itself would not reach.
  std::vector<std::string> notices;
  // For the next job file of the run, whose jobs start when all of this one have ended, as in fio.
  JobNumbering next;
};

// Reads the job file at `path` for a device of `device_size` bytes (percentages and default sizes
// refer to it). Files that it includes are looked for in the working directory and then beside the
// file that names them. Times and sizes that are given as ranges are drawn under `seed`, the run's.
// Throws InputError, with file and line, for options that are not known (naming the nearest known
// one), values out of range and regions beyond the device; for a file that can't be opened, with
// its path.
JobFile read_fio_job_file(const std::string& path, Bytes device_size, JobNumbering first = {},
                          std::uint64_t seed = 1);

// The same from `text`, which error messages call `name`.
JobFile parse_fio_jobs(std::istream& text, const std::string& name, Bytes device_size,
                       JobNumbering first = {}, std::uint64_t seed = 1);

// The same from words of a command line such as "--name=job", "--rw=read" or "--norandommap", whose
// places are the words themselves: each --name begins a job, and what comes before the first one is
// for all of them.
JobFile parse_fio_arguments(const std::vector<std::string>& words, Bytes device_size,
                            JobNumbering first = {}, std::uint64_t seed = 1);

}  // namespace x25sim::workload
