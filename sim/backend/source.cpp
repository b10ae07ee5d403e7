#include "sim/backend/source.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "nand/errors.hpp"

namespace x25sim::backend {

TraceSource::TraceSource(std::unique_ptr<trace::Reader> reader,
                         trace::OutOfRangeRule rule)
    : reader_(std::move(reader)), rule_(std::move(rule)) {}

std::optional<TimedRequest> TraceSource::next() {
  while (pending_.empty()) {
    const auto record = reader_->next();
    if (!record) return {};
    counter_.add(*record);
    if (!first_ns_) {
      first_ns_ = record->time_ns;
      first_device_ = record->device;
    }
    several_devices_ |= record->device != first_device_;
    last_ = std::max(last_, since_first(*record));
    for (const workload::Request& request : rule_.apply(*record)) {
      pending_.push_back({request, last_});
    }
  }
  const TimedRequest next = pending_.front();
  pending_.pop_front();
  return next;
}

// Since the first record; 0 where the clock went back behind it.
Duration TraceSource::since_first(const trace::Record& record) const {
  if (record.time_ns <= *first_ns_) return {};
  // The difference is taken before anything is signed: some formats count from the year 1601.
  const std::uint64_t ns = record.time_ns - *first_ns_;
  if (ns > time_limit_ns_) {
    throw InputError({rule_.trace_name(), record.line},
                     "expected a record at most " + std::to_string(time_limit_ns_) +
                         " ns after the first one, found one after " + std::to_string(ns) +
                         " ns; --queue-depth leaves the recorded times aside");
  }
  constexpr auto longest = static_cast<std::uint64_t>(Duration::max().count());
  return Duration{static_cast<Duration::rep>(std::min(ns, longest))};
}

trace::Counts TraceSource::counts() const {
  trace::Counts counts = counter_.counts();
  rule_.add_to(counts);
  counts.malformed = reader_->malformed();
  return counts;
}

}  // namespace x25sim::backend
