#include "sim/workload/out_of_range.hpp"

#include <fmt/format.h>
#include <utility>

#include "nand/check.hpp"
#include "nand/errors.hpp"

namespace x25sim::workload {
namespace {

std::string range_text(const Request& request) {
  return fmt::format("a {} of {} bytes at byte {}", name(request.operation), request.length.count,
                     request.offset.count);
}

bool in_whole_sectors(const Request& request) {
  return (request.offset % sector_size).count == 0 && (request.length % sector_size).count == 0;
}

}  // namespace

OutOfRangeRule::OutOfRangeRule(OutOfRange policy, Bytes device_size, std::string trace_name)
    : policy_(policy), device_size_(device_size), trace_name_(std::move(trace_name)) {
  X25_CHECK(device_size.count > 0);
  X25_CHECK((device_size % sector_size).count == 0);
}

IssueList OutOfRangeRule::apply(const TraceRecord& record) {
  const Request& request = record.request;
  IssueList issue;
  if (request.operation == Operation::flush) {
    issue.add(request);
  } else if (request.length.count == 0) {
    return skip();
  } else if (!in_whole_sectors(request)) {
    fail(record, fmt::format("expected a request in whole sectors of {} bytes, found {}",
                             sector_size.count, range_text(request)));
  } else if (request.offset < device_size_ && request.length <= device_size_ - request.offset) {
    issue.add(request);
  } else {
    switch (policy_) {
      case OutOfRange::error:
        fail(record, fmt::format("expected a request within the device of {} bytes, found {}; "
                                 "--out-of-range has other rules than 'error'",
                                 device_size_.count, range_text(request)));
      case OutOfRange::wrap: issue = wrap(record); break;
      case OutOfRange::clip: issue = clip(record); break;
      case OutOfRange::skip: return skip();
    }
  }
  issued_ += issue.size() > 0 ? 1 : 0;
  return issue;
}

IssueList OutOfRangeRule::wrap(const TraceRecord& record) {
  Request request = record.request;
  if (request.length > device_size_) {
    fail(record, fmt::format("expected a request of at most the device's {} bytes to wrap, found "
                             "{}",
                             device_size_.count, range_text(request)));
  }
  ++wrapped_;
  request.offset = request.offset % device_size_;
  const Bytes rest = device_size_ - request.offset;
  IssueList issue;
  if (request.length <= rest) {
    issue.add(request);
    return issue;
  }
  issue.add({request.operation, request.offset, rest});
  issue.add({request.operation, Bytes{0}, request.length - rest});
  return issue;
}

IssueList OutOfRangeRule::clip(const TraceRecord& record) {
  const Request& request = record.request;
  if (request.offset >= device_size_) return skip();
  ++clipped_;
  IssueList issue;
  issue.add({request.operation, request.offset, device_size_ - request.offset});
  return issue;
}

IssueList OutOfRangeRule::skip() {
  ++skipped_;
  return {};
}

void OutOfRangeRule::fail(const TraceRecord& record, const std::string& message) const {
  throw InputError({trace_name_, record.line}, message);
}

void OutOfRangeRule::add_to(TraceCounts& counts) const {
  counts.issued += issued_;
  counts.skipped += skipped_;
  counts.clipped += clipped_;
  counts.wrapped += wrapped_;
}

}  // namespace x25sim::workload
