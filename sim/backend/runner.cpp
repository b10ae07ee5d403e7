#include "sim/backend/runner.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "nand/check.hpp"

namespace x25sim::backend {

namespace {

using workload::Operation;
using workload::Request;

constexpr std::uint64_t steps_between_progress = 1u << 16;

// Requests in flight that a timeline shows on tracks of their own.
constexpr std::uint64_t host_tracks = 1u << 16;

}  // namespace

Runner::Runner(kernel::Kernel& kernel, Duration command_overhead)
    : kernel_(kernel),
      command_overhead_(command_overhead),
      first_leaf_(kernel.add_resources(*this, resource_count)) {}

std::vector<measure::JobStatistics> Runner::run(const std::vector<Stream>& streams) {
  X25_CHECK(device_ != nullptr);
  flows_.clear();
  flows_.reserve(streams.size());
  for (const Stream& stream : streams) {
    Flow& flow = flows_.emplace_back();
    flow.stream = stream;
    start(flow);
  }
  begin_measurements();
  for (std::uint32_t number = 0; number < flows_.size(); ++number) {
    if (flows_[number].stream.queue_depth) fill(number);
  }
  issue_recorded();
  const auto active = [](const Flow& flow) { return !flow.exhausted || flow.in_flight > 0; };
  while (std::any_of(flows_.begin(), flows_.end(), active)) {
    // A stopped run has no request to come; recorded ones may still be scheduled.
    if (interrupted()) {
      for (Flow& flow : flows_) flow.exhausted = true;
      kernel_.cancel(first_leaf_ + issue_resource);
      if (in_flight_ == 0) break;
    }
    X25_CHECK(step(), stall_report());
  }
  kernel_.cancel(first_leaf_ + ramp_resource);
  std::vector<measure::JobStatistics> statistics;
  for (Flow& flow : flows_) statistics.push_back(std::move(flow.statistics));
  flows_.clear();
  return statistics;
}

void Runner::start(Flow& flow) {
  flow.start = kernel_.now();
  flow.measurement = flow.start + flow.stream.ramp_time;
  if (!flow.stream.queue_depth) {
    flow.next = flow.stream.source->next();
    flow.exhausted = !flow.next;
  }
}

// Tells of the measurements that start now, and plans for the next to start.
void Runner::begin_measurements() {
  std::optional<Time> next;
  for (const Flow& flow : flows_) {
    if (flow.measurement == kernel_.now() && measurement_callback_) measurement_callback_();
    if (flow.measurement > kernel_.now()) {
      next = next ? std::min(*next, flow.measurement) : flow.measurement;
    }
  }
  if (next) kernel_.schedule(first_leaf_ + ramp_resource, *next);
}

// Issues requests of a job until its queue depth is reached.
void Runner::fill(std::uint32_t number) {
  Flow& flow = flows_[number];
  while (!flow.exhausted && flow.in_flight < *flow.stream.queue_depth) {
    const bool over =
        flow.stream.runtime && kernel_.now() - flow.measurement >= *flow.stream.runtime;
    const auto request = over ? std::nullopt : flow.stream.source->next();
    if (!request) {
      flow.exhausted = true;
      return;
    }
    issue(number, request->request);
  }
}

// Issues the recorded requests that are due.
void Runner::issue_recorded() {
  for (std::uint32_t number = 0; number < flows_.size(); ++number) {
    Flow& flow = flows_[number];
    while (flow.next && flow.start + flow.next->at <= kernel_.now()) {
      issue(number, flow.next->request);
      flow.next = flow.stream.source->next();
      flow.exhausted = !flow.next;
    }
  }
  schedule_recorded();
}

void Runner::schedule_recorded() {
  std::optional<Time> earliest;
  for (const Flow& flow : flows_) {
    if (!flow.next) continue;
    const Time time = flow.start + flow.next->at;
    earliest = earliest ? std::min(*earliest, time) : time;
  }
  if (earliest) kernel_.schedule(first_leaf_ + issue_resource, *earliest);
}

void Runner::issue(std::uint32_t number, const Request& request) {
  std::uint64_t id = pending_.size();
  if (free_ids_.empty()) {
    pending_.emplace_back();
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  Flow& flow = flows_[number];
  ++flow.in_flight;
  ++in_flight_;
  pending_[id] = {number, 0, request, kernel_.now(), {}};
  if (kernel_.now() >= flow.measurement) {
    ++flow.statistics.depth[measure::depth_level(flow.in_flight)];
  }
  arrivals_.push_back({kernel_.now() + command_overhead_, id});
  if (!kernel_.is_scheduled(first_leaf_ + arrival_resource)) {
    kernel_.schedule(first_leaf_ + arrival_resource, arrivals_.front().time);
  }
}

void Runner::on_event(std::uint32_t number) {
  switch (number) {
    case arrival_resource: {
      const std::uint64_t id = arrivals_.front().id;
      arrivals_.pop_front();
      if (!arrivals_.empty()) {
        kernel_.schedule(first_leaf_ + arrival_resource, arrivals_.front().time);
      }
      submit(id);
      break;
    }
    case issue_resource: issue_recorded(); break;
    case ramp_resource: begin_measurements(); break;
    default: X25_CHECK(false);
  }
}

// Hands the request to the device, in several commands where one can't carry it.
void Runner::submit(std::uint64_t id) {
  pending_[id].submitted = kernel_.now();
  const Request request = pending_[id].request;
  const Bytes most = device_->max_request(request.operation);
  pending_[id].parts =
      request.length.count == 0
          ? 1
          : static_cast<std::uint32_t>((request.length.count + most.count - 1) / most.count);
  if (request.length <= most) {
    device_->submit(id, request);
    return;
  }
  for (Bytes done; done < request.length; done += most) {
    device_->submit(
        id, {request.operation, request.offset + done, std::min(most, request.length - done)});
  }
}

void Runner::on_complete(std::uint64_t id) {
  Pending& pending = pending_[id];
  if (--pending.parts > 0) return;
  Flow& flow = flows_[pending.flow];
  const std::uint32_t number = pending.flow;
  --flow.in_flight;
  ++flow.completed;
  --in_flight_;
  ++completed_;
  if (observer_ != nullptr) {
    observer_->on_span({drive::Resource::host, static_cast<std::uint32_t>(id % host_tracks),
                        workload::name(pending.request.operation).data(), pending.issued,
                        kernel_.now() - pending.issued, pending.request.offset.count});
  }
  record(pending);
  free_ids_.push_back(id);
  if (flow.stream.queue_depth) fill(number);
}

void Runner::record(const Pending& pending) {
  Flow& flow = flows_[pending.flow];
  const Time now = kernel_.now();
  if (now < flow.measurement) return;
  flow.statistics.runtime = now - flow.measurement;
  if (pending.request.operation == Operation::flush) {
    flow.statistics.flush.add(now - pending.submitted);
    return;
  }
  auto& direction = flow.statistics.direction[static_cast<std::size_t>(pending.request.operation)];
  ++direction.requests;
  direction.bytes += pending.request.length;
  direction.submission.add(pending.submitted - pending.issued);
  direction.completion.add(now - pending.submitted);
  direction.total.add(now - pending.issued);
  direction.series.add(now - flow.measurement, pending.request.length);
}

double Runner::progress() const {
  double sum = 0;
  for (const Flow& flow : flows_) {
    double done = 0;
    if (flow.stream.expected_requests > 0) {
      done =
          static_cast<double>(flow.completed) / static_cast<double>(flow.stream.expected_requests);
    }
    if (flow.stream.runtime) {
      const Duration whole = flow.stream.ramp_time + *flow.stream.runtime;
      done = std::max(done, seconds(kernel_.now() - flow.start) / seconds(whole));
    }
    sum += std::min(done, 1.0);
  }
  return flows_.empty() ? 0 : sum / static_cast<double>(flows_.size());
}

bool Runner::step() {
  if (++steps_ % steps_between_progress == 0 && progress_callback_) progress_callback_();
  return kernel_.step();
}

void Runner::drain() {
  while (!device_->idle()) X25_CHECK(step(), stall_report());
}

std::string Runner::stall_report() const {
  std::string report = "nothing happens any more, but ";
  report += std::to_string(in_flight_) + " requests are in flight after " +
            std::to_string(completed_) + " completed ones, at " +
            std::to_string(nanoseconds(kernel_.now())) + " ns";
  return report;
}

}  // namespace x25sim::backend
