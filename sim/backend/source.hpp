// Where the requests of a run come from.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "nand/units.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/extents.hpp"
#include "sim/trace/merge_rule.hpp"
#include "sim/trace/out_of_range.hpp"
#include "sim/trace/reader.hpp"
#include "sim/trace/replay_rules.hpp"
#include "sim/trace/time_rule.hpp"
#include "sim/trace/trace_files.hpp"
#include "sim/workload/generator.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::backend {

// The latest time for which a request can be planned, from the start of a run on. The clock reaches
// four days further (kernel::EventTree), for what is under way then.
inline constexpr Duration longest_run = std::chrono::hours{100 * 24};

struct TimedRequest {
  workload::Request request;
  Duration at{};  // of recorded requests: since the first of them
};

class RequestSource {
 public:
  virtual ~RequestSource() = default;
  // The next request; none at the end.
  virtual std::optional<TimedRequest> next() = 0;
  // The same of a job that reads and writes at rates, one of which is not due: if the next request
  // is a read or a write, it is of direction `operation`.
  virtual std::optional<TimedRequest> next_of(workload::Operation operation) {
    static_cast<void>(operation);
    return next();
  }
};

// The requests of a synthetic job.
class JobSource final : public RequestSource {
 public:
  JobSource(const workload::Job& job, std::uint64_t seed) : generator_(job, seed) {}

  std::optional<TimedRequest> next() override {
    const auto request = generator_.next();
    if (!request) return {};
    return TimedRequest{*request, {}};
  }

  std::optional<TimedRequest> next_of(workload::Operation operation) override {
    const auto request = generator_.next_of(operation);
    if (!request) return {};
    return TimedRequest{*request, {}};
  }

 private:
  workload::RequestGenerator generator_;
};

// The requests of a recorded trace, read as they are needed, in memory that does not grow with
// them. Every record goes through the rules in the order of trace::ReplayRules; what is merged,
// refused or skipped on the way is counted. A write that asks for what was written before it to be
// durable is issued behind a flush, one that must be on the medium before one: the drives have no
// such writes.
class TraceSource final : public RequestSource {
 public:
  // Opens the trace. `device_size`: of the drive, a multiple of 512 bytes, not 0. Throws InputError
  // for files that can't be read, or not as often as the rules need.
  TraceSource(trace::TraceFiles files, const trace::ReplayRules& rules, Bytes device_size);

  std::optional<TimedRequest> next() override;

  // From now on, a record that is issued later than `limit` is an error.
  void limit_time(Duration limit) { time_.limit(limit); }

  // What was done so far.
  trace::ReplaySummary summary() const;
  // The names of the devices that were met, the first few, for messages.
  std::string device_names() const;
  // Requests that next() has returned.
  std::uint64_t requests() const { return requests_; }

 private:
  struct Outgoing {
    TimedRequest request;
    bool first = false;        // of its record
    std::uint64_t joined = 0;  // records that were merged into the first
  };

  bool advance();
  bool begin_pass();
  std::optional<trace::Record> next_in_time();
  std::optional<trace::Record> next_on_drive();
  trace::Issue issue_of(const trace::Record& record);
  [[noreturn]] void fail_beyond(const trace::OutOfRangeError& error);
  void release();
  void release_part(const workload::Request& request);

  const trace::TraceFiles files_;
  const trace::ReplayRules rules_;
  const Bytes device_size_;
  trace::Survey survey_;
  trace::ClockRule clock_;
  trace::DeviceRule devices_;
  trace::SectorRule sectors_;
  trace::OutOfRangeRule range_;
  trace::MergeRule merge_;
  trace::TimeRule time_;
  trace::Counter counter_;
  std::unique_ptr<trace::Reader> reader_;
  std::uint32_t pass_ = 1;
  std::uint64_t malformed_ = 0;  // in earlier passes
  trace::Notes notes_;           // of the first pass, when there is another one
  std::uint64_t skipped_ = 0, refused_ = 0, merged_ = 0, issued_ = 0;
  std::uint64_t requests_ = 0;
  std::optional<trace::MergeRule::Joint> joint_;  // what the next record may be joined to
  Duration joint_at_{};
  std::deque<Outgoing> outgoing_;
  std::optional<trace::Record> read_last_;
  Duration now_{};  // when the record that is being dealt with is issued
  bool extent_known_ = false;
};

}  // namespace x25sim::backend
