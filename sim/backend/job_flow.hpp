// One flow of requests: when it issues the next one, what it waits for, and what is measured of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/backend/job_observer.hpp"
#include "sim/backend/latency_search.hpp"
#include "sim/backend/rate_limiter.hpp"
#include "sim/backend/source.hpp"
#include "sim/measure/job_statistics.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::backend {

struct Stream {
  RequestSource* source = nullptr;  // not owned
  // Requests in flight; none: each request is issued at its recorded time, however many there are.
  std::optional<std::uint32_t> queue_depth;
  std::optional<Duration> runtime;      // stop issuing so long after the start of measurement
  Duration ramp_time{};                 // from the start of the stream to the start of measurement
  std::uint64_t expected_requests = 0;  // for progress; 0 where the number is not known
  // Whose options of pace and durability the flow follows; not owned. None: requests are issued as
  // fast as the depth allows, flushes like any other.
  const workload::Job* job = nullptr;
  std::uint64_t seed = 0;           // of the run, for random arrivals
  JobObserver* observer = nullptr;  // not owned; none: nobody looks
};

// A job as the thread that fio gives it (backend.c, do_io): the thread issues requests until its
// queue is full, waits for completions, takes notice of them, thinks, goes on. Requests that
// complete while it waits for something else are noticed later, and their latency ends there, as
// fio measures it. The thread takes no time for what it does, so that requests which are queued for
// a submission of several at once (iodepth_batch) are submitted in the same instant: before it
// waits for anything, fio submits what is queued.
//
// Where this differs from fio on purpose: the end of a job notices completions one by one; sleeping
// for a rate ends at the time that is due, however long it took for requests in flight to complete
// before; while a job that repeats a log (read_iolog) sleeps until a recorded time, it takes notice
// of each completion at once; and while requests of a depth that was just lowered complete
// (latency_target), they do not lower it further.
//
// Flows at recorded times have no such thread: they issue each request when its time has come.
class JobFlow {
 public:
  // The flow starts at `now`, or its job's start_delay later.
  JobFlow(const Stream& stream, Time now);

  struct Step {
    enum class Kind : std::uint8_t {
      issue,  // `request`, and step again at once
      sleep,  // step again at `until`, and not before
      wait,   // step again when finish() says so
      end,    // nothing is left to do
    };
    Kind kind = Kind::wait;
    workload::Request request;
    Time until{};
  };

  // What the flow does now. Throws InputError if it would sleep beyond the clock's reach.
  Step step(Time now);

  // A request has arrived at the device.
  void submitted(const CompletedRequest& request);
  // A request has completed, its `completed` is set to the time at which the flow takes notice.
  // Returns whether the flow has to step now.
  bool finish(const CompletedRequest& request, Time now);

  // Issues nothing more. Only step() may be called before its next sleep is over.
  void stop();

  // A measurement begins, after the ramp time.
  void begin_measurement(Time now);
  Time measurement() const { return measurement_; }

  // Whether a write is complete only when a flush behind it is (fio's sync).
  bool writes_are_durable() const { return job_.durability.each_write; }

  bool ended() const { return activity_ == Activity::ended; }
  std::uint32_t in_flight() const { return in_flight_; }
  double progress(Time now) const;
  // What was measured. Call once, at the end.
  measure::JobStatistics take_statistics();

 private:
  enum class Activity : std::uint8_t {
    sleeping,  // until wake_, then after_
    issuing,   // the next request
    issued,    // a request, just now
    reaping,   // waits for wanted_ completions
    settling,  // waits until nothing is in flight, then after_
    flushing,  // waits for a flush
    draining,  // waits until nothing is in flight, then ends
    recorded,  // waits for recorded times
    ended
  };
  // What was the reason to sleep or to settle.
  enum class After : std::uint8_t {
    start_delay,
    rate,
    think,
    recorded_time,
    lowered_depth,
    final_run
  };

  void start(Time now);
  void restart_pace(Time now);
  std::optional<Step> issue_next(Time now);
  std::optional<Step> issue_recorded(Time now);
  std::optional<workload::Request> next_request(Time now);
  std::optional<workload::Request> next_of_log(Time now);
  std::optional<workload::Request> next_at_rate(Time now);
  Step issue(const workload::Request& request, Time now);
  void submit_queued(Time now);

  std::uint32_t depth() const { return search_ ? search_->depth() : *stream_.queue_depth; }
  void after_issue(Time now);
  void plan_reap(bool full, Time now);
  bool reap(Time now);
  void take(std::size_t count, Time now);
  void notice(CompletedRequest completed, Time now);
  void record(const CompletedRequest& completed);
  void after_reap(Time now);
  void check(Time now);
  void follow(LatencySearch::Verdict verdict, Time now);
  void fail(measure::JobFailure failure);

  std::uint64_t requests_thought_of() const;
  bool thinks_now(Time now) const;
  void settle(After after, Time now);
  void after_settling(Time now);
  void sleep_until(Time time, After after);
  void after_sleep(Time now);
  bool over(Time now) const;

  Stream stream_;
  workload::Job job_;
  std::uint32_t submit_batch_, complete_min_, complete_max_, low_;  // with fio's defaults
  std::optional<RateLimiter> limiter_;
  std::optional<MinimumRates> minima_;
  std::optional<LatencySearch> search_;
  measure::JobStatistics statistics_;
  std::vector<CompletedRequest> finished_;  // and not noticed yet

  Activity activity_ = Activity::sleeping;
  After after_ = After::start_delay;
  Time wake_{};
  bool full_ = false;         // when the thread began to wait for completions
  std::uint32_t wanted_ = 0;  // completions it waits for
  LatencySearch::Verdict verdict_ = LatencySearch::Verdict::go_on;  // on what was just noticed

  Time begin_{};  // when the flow was made
  Time start_{};  // after the start_delay
  Time measurement_{};
  std::uint32_t in_flight_ = 0;                           // issued and not noticed
  std::uint32_t queued_ = 0;                              // of them, not submitted
  std::uint64_t issued_ = 0;                              // reads, writes and trims
  workload::Operation last_ = workload::Operation::read;  // the last of them
  bool wrote_ = false;                                    // since the last flush
  bool flush_is_last_ = false;  // the flush under way is that of the job's end
  CompletedAmounts completed_;
  std::optional<TimedRequest> next_;  // of recorded requests: the one whose time is to come
  // A request of a direction that is ahead of its rate; the other direction goes on meanwhile.
  std::optional<workload::Request> held_;
  bool exhausted_ = false;
  std::uint64_t noticed_ = 0;  // completed reads, writes and trims
  Time think_begin_{}, last_think_{};
  std::uint64_t think_count_ = 0;  // of requests, at the last thinking
  std::uint64_t think_next_ = 0;   // the count that becomes think_count_
};

}  // namespace x25sim::backend
