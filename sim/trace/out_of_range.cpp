#include "sim/trace/out_of_range.hpp"

#include <fmt/format.h>
#include <utility>

#include "nand/check.hpp"
#include "nand/errors.hpp"

namespace x25sim::trace {
namespace {

std::string range_text(const workload::Request& request) {
  return fmt::format("a {} of {} bytes at byte {}", workload::name(request.operation),
                     request.length.count, request.offset.count);
}

bool in_whole_sectors(const workload::Request& request) {
  return (request.offset % sector_size).count == 0 && (request.length % sector_size).count == 0;
}

struct NamedPolicy {
  std::string_view name;
  OutOfRange policy;
};

constexpr std::array policies{
    NamedPolicy{"error", OutOfRange::error},
    NamedPolicy{"wrap", OutOfRange::wrap},
    NamedPolicy{"clip", OutOfRange::clip},
    NamedPolicy{"skip", OutOfRange::skip},
};

}  // namespace

OutOfRange out_of_range_policy(const std::string& name) {
  std::string names;
  for (const NamedPolicy& policy : policies) {
    if (name == policy.name) return policy.policy;
    names += (names.empty() ? "" : ", ") + std::string(policy.name);
  }
  throw InputError(
      fmt::format("expected a rule for requests out of range ({}), found '{}'", names, name));
}

OutOfRangeRule::OutOfRangeRule(OutOfRange policy, Bytes device_size, std::string trace_name)
    : policy_(policy), device_size_(device_size), trace_name_(std::move(trace_name)) {
  X25_CHECK(device_size.count > 0);
  X25_CHECK((device_size % sector_size).count == 0);
}

IssueList OutOfRangeRule::apply(const Record& record) {
  const workload::Request request = request_of(record);
  IssueList issue;
  if (record.kind == Kind::other) {
    return skip();
  } else if (record.kind == Kind::flush) {
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

IssueList OutOfRangeRule::wrap(const Record& record) {
  workload::Request request = request_of(record);
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

IssueList OutOfRangeRule::clip(const Record& record) {
  const workload::Request request = request_of(record);
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

void OutOfRangeRule::fail(const Record& record, const std::string& message) const {
  throw InputError({trace_name_, record.line}, message);
}

void OutOfRangeRule::add_to(Counts& counts) const {
  counts.issued += issued_;
  counts.skipped += skipped_;
  counts.clipped += clipped_;
  counts.wrapped += wrapped_;
}

}  // namespace x25sim::trace
