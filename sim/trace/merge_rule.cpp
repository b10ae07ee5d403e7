#include "sim/trace/merge_rule.hpp"

#include "sim/trace/extents.hpp"

namespace x25sim::trace {

namespace {

bool joinable(const Record& record, const Issue& issue) {
  return has_data(record) && !record.flush_first && !record.durable && issue.requests.size() == 1;
}

}  // namespace

bool MergeRule::join(Joint& joint, const Record& record, const Issue& issue,
                     Bytes device_size) const {
  const Record& first = joint.first;
  if (!active() || !joinable(first, joint.issue) || !joinable(record, issue)) return false;
  if (record.kind != first.kind || record.device != first.device) return false;
  if (record.offset != joint.end || record.time_ns - first.time_ns > window_ns) return false;
  const workload::Request& head = joint.issue.requests[0];
  const workload::Request& tail = issue.requests[0];
  // Scaled addresses of neighbours have gaps and overlaps, which the joined request has not.
  const bool scaled = joint.issue.scaled && issue.scaled;
  if (!scaled && head.offset + head.length != tail.offset) return false;
  const Bytes length = head.length + tail.length;
  if (length > most_ || length > device_size - head.offset) return false;
  joint.issue.requests.extend_last(tail.length);
  joint.end = record.offset + record.length;
  ++joint.joined;
  return true;
}

}  // namespace x25sim::trace
