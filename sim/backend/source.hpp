// Where the requests of a run come from.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "nand/units.hpp"
#include "sim/workload/generator.hpp"
#include "sim/workload/out_of_range.hpp"
#include "sim/workload/request.hpp"
#include "sim/workload/trace.hpp"
#include "sim/workload/trace_counts.hpp"

namespace x25sim::backend {

struct TimedRequest {
  workload::Request request;
  Duration at{};  // of recorded requests: since the first of them
};

class RequestSource {
 public:
  virtual ~RequestSource() = default;
  // The next request; none at the end.
  virtual std::optional<TimedRequest> next() = 0;
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

 private:
  workload::RequestGenerator generator_;
};

// The requests of a recorded trace, read as they are needed. A record whose time is before its
// predecessor's is issued together with that one, and counted (TraceCounts::backward_steps).
class TraceSource final : public RequestSource {
 public:
  TraceSource(std::unique_ptr<workload::TraceReader> reader, workload::OutOfRangeRule rule);

  std::optional<TimedRequest> next() override;

  // Counts of what has been read so far.
  workload::TraceCounts counts() const;

 private:
  std::unique_ptr<workload::TraceReader> reader_;
  workload::OutOfRangeRule rule_;
  workload::TraceCounter counter_;
  std::deque<TimedRequest> pending_;  // parts of a record that was split
  std::optional<std::uint64_t> first_ns_;
  Duration last_{};
};

}  // namespace x25sim::backend
