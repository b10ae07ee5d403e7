// The requests of a job that repeats a recorded log, fio's read_iolog.
//
// Models: logs of fio (version 2 and 3) and binary traces of blktrace, told apart by their content
// as fio does; replay_scale, _align, _skip, _time_scale and _no_stall; all files of a log as one
// device, which is the drive. Of blktrace's events for a request the queued one (Q) is taken, as in
// fio, and the issued one (D) where a trace has none. Times count from the first request: it comes
// when the job starts. Where fio 3.33 counts the time from one request to the next, so that a late
// one delays all behind it, times here are those of the log as far as the queue has room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nand/units.hpp"
#include "sim/backend/result.hpp"
#include "sim/backend/source.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::backend {

class ReplayLog final : public RequestSource {
 public:
  // Opens the log of `job`, which has one. `device_size`: of the drive, a multiple of 512 bytes,
  // not 0. Throws InputError with the place of the option for a log that can't be opened, is of
  // another format or begins with a damaged record, and for one without a request.
  ReplayLog(const workload::Job& job, Bytes device_size);
  ReplayLog(const ReplayLog&) = delete;
  ReplayLog& operator=(const ReplayLog&) = delete;

  // Throws InputError with file and line of the log for a damaged record, a request that is not in
  // whole sectors or beyond the device, and one later than longest_run.
  std::optional<TimedRequest> next() override { return source_->next(); }

  // What was done so far.
  ReplayedLog summary() const;

 private:
  std::string action_;
  std::uint64_t left_out_ = 0;  // by replay_skip
  std::optional<TraceSource> source_;
};

}  // namespace x25sim::backend
