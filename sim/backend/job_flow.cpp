#include "sim/backend/job_flow.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "nand/check.hpp"
#include "nand/errors.hpp"

namespace x25sim::backend {

namespace {

using workload::Direction;
using workload::Operation;
using workload::Request;

bool is_flush(const Request& request) { return request.operation == Operation::flush; }

}  // namespace

JobFlow::JobFlow(const Stream& stream, Time now) : stream_(stream) {
  if (stream.job != nullptr) job_ = *stream.job;
  const std::uint32_t most = stream.queue_depth.value_or(1);
  const workload::Batches& batches = job_.batches;
  submit_batch_ = batches.submit == 0 ? most : std::min(batches.submit, most);
  complete_min_ = std::min(batches.complete_min, most);
  complete_max_ = std::max(batches.complete_max, complete_min_);
  low_ = batches.low == 0 ? most : std::min(batches.low, most);
  if (RateLimiter::is_limited(job_)) limiter_.emplace(job_, stream.seed);
  if (MinimumRates::are_set(job_)) minima_.emplace(job_);
  if (job_.latency_target.target > Duration{}) search_.emplace(job_.latency_target, most);
  begin_ = now;
  start_ = now + job_.start_delay;
  measurement_ = start_ + stream.ramp_time;
  sleep_until(start_, After::start_delay);
}

void JobFlow::start(Time now) {
  if (stream_.observer != nullptr) stream_.observer->on_start(now, measurement_);
  last_think_ = now;
  restart_pace(now);
  activity_ = Activity::issuing;
  if (stream_.queue_depth) return;
  activity_ = Activity::recorded;
  next_ = stream_.source->next();
}

// fio begins again with rates and depths when the ramp time is over.
void JobFlow::begin_measurement(Time now) {
  if (stream_.ramp_time > Duration{}) restart_pace(now);
}

void JobFlow::restart_pace(Time now) {
  if (limiter_) limiter_->restart(now);
  if (minima_) minima_->restart(now);
  if (search_ && !search_->is_final()) search_->begin(now);
  completed_ = {};
}

JobFlow::Step JobFlow::step(Time now) {
  while (true) {
    switch (activity_) {
      case Activity::sleeping:
        if (now < wake_) return {Step::Kind::sleep, {}, wake_};
        after_sleep(now);
        break;
      case Activity::issuing:
        if (const auto next = issue_next(now)) return *next;
        break;
      case Activity::issued: after_issue(now); break;
      case Activity::reaping:
        if (!reap(now)) return {};
        break;
      case Activity::settling:
        take(finished_.size(), now);
        if (in_flight_ > 0) return {};
        after_settling(now);
        break;
      case Activity::flushing: return {};
      case Activity::recorded:
        if (const auto next = issue_recorded(now)) return *next;
        break;
      case Activity::draining:
        take(finished_.size(), now);
        if (in_flight_ > 0) return {};
        if (job_.durability.at_end && wrote_ && !statistics_.outcome.failure) {
          flush_is_last_ = true;
          return issue({Operation::flush, {}, {}}, now);
        }
        activity_ = Activity::ended;
        if (stream_.observer != nullptr) stream_.observer->on_end(now);
        break;
      case Activity::ended: return {Step::Kind::end, {}, {}};
    }
  }
}

std::optional<JobFlow::Step> JobFlow::issue_next(Time now) {
  X25_CHECK(in_flight_ < depth());
  if (over(now)) {
    activity_ = Activity::draining;
    return {};
  }
  const auto request = limiter_ ? next_at_rate(now) : next_request(now);
  if (request) {
    activity_ = Activity::issued;
    return issue(*request, now);
  }
  if (activity_ == Activity::issuing) activity_ = Activity::draining;
  return {};
}

std::optional<Request> JobFlow::next_request(Time now) {
  if (!job_.replay.path.empty()) return next_of_log(now);
  const auto next = stream_.source->next();
  if (!next) return {};
  return next->request;
}

// None: the job sleeps until the request's recorded time, or has nothing left.
std::optional<Request> JobFlow::next_of_log(Time now) {
  if (!next_) next_ = stream_.source->next();
  if (!next_) return {};
  const Time due = start_ + next_->at;
  if (due <= now) return std::exchange(next_, std::nullopt)->request;
  submit_queued(now);
  sleep_until(due, After::recorded_time);
  return {};
}

// As fio chooses: the direction that the mix says, if it is due; else the other one of a job that
// reads and writes; else the job sleeps until one of them is, once its requests are complete. None:
// the job sleeps, or has nothing left.
std::optional<Request> JobFlow::next_at_rate(Time now) {
  if (!held_) {
    const auto next = exhausted_ ? std::nullopt : next_request(now);
    if (!next || is_flush(*next) || limiter_->due(next->operation) <= now) return next;
    held_ = next;
    return next_at_rate(now);
  }
  const Operation ahead = held_->operation;
  Time due = limiter_->due(ahead);
  if (due <= now) return std::exchange(held_, std::nullopt);
  if (job_.direction == Direction::mixed && !exhausted_) {
    const Operation other = ahead == Operation::read ? Operation::write : Operation::read;
    if (limiter_->due(other) <= now) {
      const auto next = stream_.source->next_of(other);
      if (next) return next->request;
      exhausted_ = true;
    } else {
      due = std::min(due, limiter_->due(other));
    }
  }
  wake_ = due;
  settle(After::rate, now);
  return {};
}

std::optional<JobFlow::Step> JobFlow::issue_recorded(Time now) {
  if (!next_) {
    activity_ = Activity::draining;
    return {};
  }
  const Time due = start_ + next_->at;
  if (due > now) return Step{Step::Kind::sleep, {}, due};
  const Request request = next_->request;
  next_ = stream_.source->next();
  return issue(request, now);
}

JobFlow::Step JobFlow::issue(const Request& request, Time now) {
  const bool flush = is_flush(request);
  // A flush waits for no others, but does not overtake what is queued.
  if (flush) submit_queued(now);
  ++in_flight_;
  ++queued_;
  ++statistics_.outcome.generated;
  if (flush || queued_ >= submit_batch_) submit_queued(now);
  if (!flush) {
    last_ = request.operation;
    ++issued_;
    wrote_ |= request.operation == Operation::write;
    if (limiter_) limiter_->count(request.operation, request.length);
  } else {
    wrote_ = false;
    const bool job_waits = stream_.job != nullptr && activity_ != Activity::draining;
    if (job_waits) activity_ = Activity::flushing;
  }
  if (stream_.observer != nullptr) stream_.observer->on_issue(now, request);
  return {Step::Kind::issue, request, {}};
}

void JobFlow::submit_queued(Time now) {
  if (queued_ > 0 && now >= measurement_) {
    statistics_.depth[measure::depth_level(in_flight_)] += queued_;
    ++statistics_.submit[measure::batch_level(queued_)];
  }
  queued_ = 0;
}

void JobFlow::submitted(const CompletedRequest& request) {
  if (stream_.observer == nullptr || is_flush(request.request)) return;
  if (request.submitted < measurement_) return;
  stream_.observer->on_submit(request.submitted, request.issued, request.request);
}

bool JobFlow::finish(const CompletedRequest& request, Time now) {
  if (activity_ == Activity::flushing && is_flush(request.request)) {
    notice(request, now);
    activity_ = Activity::issued;
    return true;
  }
  finished_.push_back(request);
  switch (activity_) {
    case Activity::reaping: return finished_.size() >= wanted_;
    case Activity::settling:
    case Activity::draining: return true;
    case Activity::recorded: take(1, now); return false;
    case Activity::sleeping:
      if (after_ == After::recorded_time) take(1, now);
      return false;
    case Activity::issuing:
    case Activity::issued:
    case Activity::flushing:
    case Activity::ended: return false;
  }
  return false;
}

void JobFlow::after_issue(Time now) {
  const bool full = in_flight_ >= depth();
  const bool polls = complete_min_ == 0 && complete_max_ == 0;
  if (full || polls) {
    plan_reap(full, now);
  } else {
    after_reap(now);
  }
}

void JobFlow::plan_reap(bool full, Time now) {
  submit_queued(now);
  full_ = full;
  // As in fio, a minimum of 0 still waits for one.
  wanted_ = std::min(std::max(complete_min_, 1u), in_flight_);
  activity_ = Activity::reaping;
}

// False: there are not enough completions yet.
bool JobFlow::reap(Time now) {
  if (finished_.size() < wanted_) return false;
  take(std::min<std::size_t>(finished_.size(), std::max(complete_max_, wanted_)), now);
  const bool drains_on = full_ && in_flight_ > low_;
  if (drains_on && verdict_ == LatencySearch::Verdict::go_on) {
    plan_reap(true, now);
  } else {
    after_reap(now);
  }
  return true;
}

// Takes notice of the first `count` completions.
void JobFlow::take(std::size_t count, Time now) {
  if (count == 0) return;
  if (now >= measurement_) ++statistics_.complete[measure::batch_level(count)];
  for (std::size_t i = 0; i < count; ++i) notice(finished_[i], now);
  if (count == finished_.size()) {
    finished_.clear();
  } else {
    finished_.erase(finished_.begin(), finished_.begin() + static_cast<std::ptrdiff_t>(count));
  }
}

void JobFlow::notice(CompletedRequest completed, Time now) {
  completed.completed = now;
  --in_flight_;
  ++statistics_.outcome.completed;
  if (!is_flush(completed.request)) {
    const auto direction = static_cast<std::size_t>(completed.request.operation);
    ++completed_.requests[direction];
    completed_.bytes[direction] += completed.request.length;
    ++noticed_;
  }
  if (now >= measurement_) record(completed);
}

void JobFlow::record(const CompletedRequest& completed) {
  const Time now = completed.completed;
  // fio does not count the flush at the end of a job.
  if (flush_is_last_) return;
  statistics_.runtime = now - measurement_;
  if (is_flush(completed.request)) {
    statistics_.flush.add(now - completed.submitted);
    return;
  }
  auto& direction = statistics_.direction[static_cast<std::size_t>(completed.request.operation)];
  ++direction.requests;
  direction.bytes += completed.request.length;
  direction.submission.add(completed.submitted - completed.issued);
  direction.completion.add(now - completed.submitted);
  direction.total.add(now - completed.issued);
  direction.series.add(now - measurement_, completed.request.length);
  if (stream_.observer != nullptr) stream_.observer->on_complete(completed);
  const bool depth_was_changed = activity_ == Activity::settling &&
                                 (after_ == After::lowered_depth || after_ == After::final_run);
  const bool judged = activity_ != Activity::draining && !depth_was_changed;
  if (search_ && judged && verdict_ == LatencySearch::Verdict::go_on) {
    verdict_ = search_->add(now - completed.issued);
  }
}

// What fio's thread does at the end of each turn, having issued a request and taken notice of
// completions.
void JobFlow::after_reap(Time now) {
  activity_ = Activity::issuing;
  if (verdict_ != LatencySearch::Verdict::go_on) {
    follow(std::exchange(verdict_, LatencySearch::Verdict::go_on), now);
  } else if (thinks_now(now)) {
    think_next_ = requests_thought_of();
    settle(After::think, now);
  } else {
    check(now);
  }
}

void JobFlow::check(Time now) {
  activity_ = Activity::issuing;
  if (now < measurement_) return;
  if (minima_) {
    if (const auto message = minima_->missed(now, completed_)) {
      fail({EIO, "check_min_rate", job_.name + ": " + *message});
      return;
    }
  }
  if (search_) follow(search_->check(now), now);
}

void JobFlow::follow(LatencySearch::Verdict verdict, Time now) {
  switch (verdict) {
    case LatencySearch::Verdict::go_on: break;
    case LatencySearch::Verdict::lowered: settle(After::lowered_depth, now); break;
    case LatencySearch::Verdict::final_run: settle(After::final_run, now); break;
    case LatencySearch::Verdict::done: activity_ = Activity::draining; break;
    case LatencySearch::Verdict::too_slow:
      fail({ETIMEDOUT, "max latency exceeded",
            job_.name + ": latency_target=" + std::to_string(job_.latency_target.target.count()) +
                " ns not met by single requests"});
      break;
  }
}

void JobFlow::fail(measure::JobFailure failure) {
  statistics_.outcome.failure = std::move(failure);
  activity_ = Activity::draining;
}

std::uint64_t JobFlow::requests_thought_of() const {
  return job_.think_time.by_issue ? issued_ : noticed_;
}

bool JobFlow::thinks_now(Time now) const {
  const workload::ThinkTime& think = job_.think_time;
  if (think.time == Duration{}) return false;
  if (think.io_time > Duration{}) {
    if (now - last_think_ >= think.io_time) return true;
    // Beside thinktime_iotime, a count of one is fio's default and not meant.
    if (think.blocks <= 1) return false;
  }
  return requests_thought_of() >= think_count_ + think.blocks;
}

// Waits until nothing is in flight, as fio does before it sleeps.
void JobFlow::settle(After after, Time now) {
  submit_queued(now);
  after_ = after;
  activity_ = Activity::settling;
}

void JobFlow::after_settling(Time now) {
  const auto verdict = std::exchange(verdict_, LatencySearch::Verdict::go_on);
  if (verdict == LatencySearch::Verdict::too_slow) {
    follow(verdict, now);
    return;
  }
  if (verdict == LatencySearch::Verdict::lowered) search_->begin_window(now);
  activity_ = Activity::issuing;
  switch (after_) {
    case After::start_delay:
    case After::recorded_time: break;
    case After::rate: sleep_until(wake_, After::rate); break;
    case After::think:
      think_begin_ = now;
      sleep_until(now + std::max(job_.think_time.time, job_.think_time.spin), After::think);
      break;
    case After::lowered_depth: search_->begin_window(now); break;
    case After::final_run: {
      measure::JobOutcome outcome = std::move(statistics_.outcome);
      statistics_ = {};
      statistics_.outcome = std::move(outcome);
      measurement_ = now;
      restart_pace(now);
      search_->begin_window(now);
      break;
    }
  }
}

void JobFlow::sleep_until(Time time, After after) {
  wake_ = time;
  if (stream_.runtime) wake_ = std::min(wake_, measurement_ + *stream_.runtime);
  if (wake_.time_since_epoch() > longest_run) {
    throw InputError(job_.where,
                     "job '" + job_.name +
                         "': expected a start_delay, rate, thinktime and recorded times with which "
                         "it ends within 100 days, found that it sleeps longer");
  }
  after_ = after;
  activity_ = Activity::sleeping;
}

void JobFlow::after_sleep(Time now) {
  switch (after_) {
    case After::start_delay: start(now); break;
    case After::think:
      if (job_.rate.ignore_think_time && limiter_) limiter_->forgive(last_, now - think_begin_);
      think_count_ = think_next_;
      last_think_ = now;
      check(now);
      break;
    case After::rate:
    case After::recorded_time:
    case After::lowered_depth:
    case After::final_run: activity_ = Activity::issuing; break;
  }
}

bool JobFlow::over(Time now) const {
  return stream_.runtime && now - measurement_ >= *stream_.runtime;
}

void JobFlow::stop() {
  next_.reset();
  if (activity_ != Activity::ended) activity_ = Activity::draining;
}

double JobFlow::progress(Time now) const {
  double done = 0;
  if (stream_.expected_requests > 0) {
    done = static_cast<double>(statistics_.outcome.completed) /
           static_cast<double>(stream_.expected_requests);
  }
  if (stream_.runtime) {
    const Duration whole = measurement_ + *stream_.runtime - begin_;
    done = std::max(done, seconds(now - begin_) / seconds(whole));
  }
  return std::min(done, 1.0);
}

measure::JobStatistics JobFlow::take_statistics() {
  statistics_.outcome.latency_depth = search_ ? search_->depth() : stream_.queue_depth.value_or(0);
  return std::move(statistics_);
}

}  // namespace x25sim::backend
