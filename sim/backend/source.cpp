#include "sim/backend/source.hpp"

#include <algorithm>
#include <utility>

namespace x25sim::backend {

TraceSource::TraceSource(std::unique_ptr<workload::TraceReader> reader,
                         workload::OutOfRangeRule rule)
    : reader_(std::move(reader)), rule_(std::move(rule)) {}

std::optional<TimedRequest> TraceSource::next() {
  while (pending_.empty()) {
    const auto record = reader_->next();
    if (!record) return {};
    counter_.add(*record);
    if (!first_ns_) first_ns_ = record->time_ns;
    if (record->time_ns >= *first_ns_) {
      // Differences are taken before anything is signed: some formats count from the year 1601.
      const Duration at{static_cast<Duration::rep>(record->time_ns - *first_ns_)};
      last_ = std::max(last_, at);
    }
    for (const workload::Request& request : rule_.apply(*record)) {
      pending_.push_back({request, last_});
    }
  }
  const TimedRequest next = pending_.front();
  pending_.pop_front();
  return next;
}

workload::TraceCounts TraceSource::counts() const {
  workload::TraceCounts counts = counter_.counts();
  rule_.add_to(counts);
  return counts;
}

}  // namespace x25sim::backend
