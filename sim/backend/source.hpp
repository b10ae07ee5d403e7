// Where the requests of a run come from.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "nand/units.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/out_of_range.hpp"
#include "sim/trace/reader.hpp"
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
// predecessor's is issued together with that one, and counted (trace::Counts::backward_steps).
class TraceSource final : public RequestSource {
 public:
  TraceSource(std::unique_ptr<trace::Reader> reader, trace::OutOfRangeRule rule);

  std::optional<TimedRequest> next() override;

  // From now on, a record later than `limit` after the first one is an error.
  void limit_time(Duration limit) { time_limit_ns_ = static_cast<std::uint64_t>(limit.count()); }

  // Counts of what has been read so far.
  trace::Counts counts() const;
  // Whether records of more than one device have been read. They share one address space here.
  bool several_devices() const { return several_devices_; }

 private:
  Duration since_first(const trace::Record& record) const;

  std::unique_ptr<trace::Reader> reader_;
  trace::OutOfRangeRule rule_;
  trace::Counter counter_;
  std::deque<TimedRequest> pending_;  // parts of a record that was split
  std::optional<std::uint64_t> first_ns_;
  std::uint64_t first_device_ = 0;
  bool several_devices_ = false;
  std::uint64_t time_limit_ns_ = ~std::uint64_t{0};
  Duration last_{};
};

}  // namespace x25sim::backend
