// The logs that jobs write in fio's formats: write_bw_log, write_lat_log, write_iops_log and
// write_iolog.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/backend/job_observer.hpp"
#include "sim/report/streamed_file.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::report {

class JobLogWriter;

// The log files of a run, written while it goes, in constant memory.
//
// Figures go to NAME_bw.N.log, NAME_iops.N.log and NAME_lat.N.log, NAME_slat.N.log, NAME_clat.N.log
// with N = 1, 2, ... the number of the job, as fio's: a line is "time in ms, value, direction,
// block size, priority", with log_offset the offset before the priority, which is always 0. Times
// count from the start of the job's measurement. Values: nanoseconds; of single requests kB/s (10^3
// bytes over the completion latency) and 1, of intervals (log_avg_msec) KiB/s and requests per
// second. Unlike fio's, the last interval of bandwidth and IOPS is written although it is a partial
// one. Without per_job_logs the jobs' lines are in one file NAME_bw.log, in the order of time.
//
// An iolog is of fio's version 3, with simulated microseconds since the start of the job. The file
// that it names is the drive, spaces replaced by "_".
class JobLogFiles {
 public:
  // Opens the files of `jobs`; `drive`: its name; `epoch`: the present, for log_unix_epoch. Throws
  // SystemError for a file that can't be written, and InputError for an iolog of two jobs.
  JobLogFiles(const std::vector<workload::Job>& jobs, const std::string& drive,
              std::chrono::milliseconds epoch);
  ~JobLogFiles();
  JobLogFiles(const JobLogFiles&) = delete;
  JobLogFiles& operator=(const JobLogFiles&) = delete;

  // Who writes the logs of a job; none if it has no logs.
  backend::JobObserver* observer(const workload::Job& job) const;

  // Ends all files. Throws SystemError if one can't be written.
  void close();

 private:
  struct Entry {
    std::string writer;  // whose it is: a kind of log that jobs share, or one job
    std::unique_ptr<StreamedFile> file;
  };

  StreamedFile* open(const std::string& path, const std::string& writer, const workload::Job& job);
  StreamedFile* open_figures(const std::string& name, const std::string& kind,
                             const workload::Job& job);

  std::map<std::string, Entry> files_;                              // by path
  std::map<std::uint32_t, std::unique_ptr<JobLogWriter>> writers_;  // by number of the job
};

}  // namespace x25sim::report
