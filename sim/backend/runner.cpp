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
  ended_flows_ = 0;
  for (const Stream& stream : streams) flows_.emplace_back(stream, kernel_.now());
  begin_measurements();
  for (std::uint32_t number = 0; number < flows_.size(); ++number) run_flow(number);
  bool stopped = false;
  while (ended_flows_ < flows_.size()) {
    if (!stopped && interrupted()) {
      stopped = true;
      stop_flows();
      continue;
    }
    X25_CHECK(step(), stall_report());
  }
  kernel_.cancel(first_leaf_ + ramp_resource);
  std::vector<measure::JobStatistics> statistics;
  for (JobFlow& flow : flows_) {
    statistics.push_back(flow.take_statistics());
    const measure::JobOutcome& outcome = statistics.back().outcome;
    X25_CHECK(outcome.generated == outcome.completed, "requests issued and completed differ");
  }
  flows_.clear();
  return statistics;
}

// Issues nothing any more, and lets every flow end with what is in flight.
void Runner::stop_flows() {
  wakes_ = {};
  kernel_.cancel(first_leaf_ + wake_resource);
  for (std::uint32_t number = 0; number < flows_.size(); ++number) {
    if (flows_[number].ended()) continue;
    flows_[number].stop();
    run_flow(number);
  }
}

// Lets a flow do what it has to do now.
void Runner::run_flow(std::uint32_t number) {
  JobFlow& flow = flows_[number];
  while (true) {
    const JobFlow::Step next = flow.step(kernel_.now());
    switch (next.kind) {
      case JobFlow::Step::Kind::issue: issue(number, next.request); break;
      case JobFlow::Step::Kind::sleep:
        wakes_.emplace(next.until, number);
        kernel_.schedule(first_leaf_ + wake_resource, wakes_.top().first);
        return;
      case JobFlow::Step::Kind::wait: return;
      case JobFlow::Step::Kind::end: ++ended_flows_; return;
    }
  }
}

void Runner::wake_flows() {
  while (!wakes_.empty() && wakes_.top().first <= kernel_.now()) {
    const std::uint32_t number = wakes_.top().second;
    wakes_.pop();
    run_flow(number);
  }
  if (!wakes_.empty()) kernel_.schedule(first_leaf_ + wake_resource, wakes_.top().first);
}

// Tells of the measurements that start now, and plans for the next to start.
void Runner::begin_measurements() {
  std::optional<Time> next;
  for (JobFlow& flow : flows_) {
    if (flow.measurement() == kernel_.now()) {
      if (measurement_callback_) measurement_callback_();
      flow.begin_measurement(kernel_.now());
    }
    if (flow.measurement() > kernel_.now()) {
      next = next ? std::min(*next, flow.measurement()) : flow.measurement();
    }
  }
  if (next) kernel_.schedule(first_leaf_ + ramp_resource, *next);
}

void Runner::issue(std::uint32_t number, const Request& request) {
  std::uint64_t id = pending_.size();
  if (free_ids_.empty()) {
    pending_.emplace_back();
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  ++in_flight_;
  pending_[id] = {number, 0, false, {request, kernel_.now(), {}, {}}};
  send(id);
}

// Lets the request arrive at the device when the host has got it there.
void Runner::send(std::uint64_t id) {
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
    case wake_resource: wake_flows(); break;
    case ramp_resource: begin_measurements(); break;
    default: X25_CHECK(false);
  }
}

// Hands the request to the device, in several commands where one can't carry it.
void Runner::submit(std::uint64_t id) {
  Pending& pending = pending_[id];
  if (pending.flushing) {
    pending.parts = 1;
    device_->submit(id, {Operation::flush, {}, {}});
    return;
  }
  pending.times.submitted = kernel_.now();
  flows_[pending.flow].submitted(pending.times);
  const Request request = pending.times.request;
  const Bytes most = device_->max_request(request.operation);
  pending.parts =
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
  const std::uint32_t number = pending.flow;
  JobFlow& flow = flows_[number];
  const Request& request = pending.times.request;
  if (request.operation == Operation::write && !pending.flushing && flow.writes_are_durable()) {
    pending.flushing = true;
    send(id);
    return;
  }
  --in_flight_;
  ++completed_;
  if (observer_ != nullptr) {
    observer_->on_span({drive::Resource::host, static_cast<std::uint32_t>(id % host_tracks),
                        workload::name(request.operation).data(), pending.times.issued,
                        kernel_.now() - pending.times.issued, request.offset.count});
  }
  free_ids_.push_back(id);
  if (flow.finish(pending.times, kernel_.now())) run_flow(number);
}

double Runner::progress() const {
  double sum = 0;
  for (const JobFlow& flow : flows_) sum += flow.progress(kernel_.now());
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
