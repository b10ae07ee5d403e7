#include "sim/trace/out_of_range.hpp"

#include <fmt/format.h>
#include <utility>

#include "nand/check.hpp"

namespace x25sim::trace {
namespace {

std::string range_text(const workload::Request& request) {
  return fmt::format("a {} of {} bytes at byte {}", workload::name(request.operation),
                     request.length.count, request.offset.count);
}

struct NamedPolicy {
  std::string_view name;
  OutOfRange policy;
};

constexpr std::array policies{
    NamedPolicy{"error", OutOfRange::error}, NamedPolicy{"wrap", OutOfRange::wrap},
    NamedPolicy{"clip", OutOfRange::clip},   NamedPolicy{"skip", OutOfRange::skip},
    NamedPolicy{"scale", OutOfRange::scale},
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

OutOfRangeRule::OutOfRangeRule(OutOfRange policy, Bytes device_size, FileNames names)
    : policy_(policy), device_size_(device_size), names_(std::move(names)) {
  X25_CHECK(device_size.count > 0);
  X25_CHECK((device_size % sector_size).count == 0);
}

Issue OutOfRangeRule::apply(const Record& record) {
  Issue issue;
  if (record.kind == Kind::flush) {
    issue.requests.add({workload::Operation::flush, {}, {}});
  } else if (policy_ == OutOfRange::scale && extent_ > device_size_) {
    issue = {scale(record), true};
  } else if (is_within(record)) {
    issue.requests.add(request_of(record));
  } else {
    issue = beyond(record);
  }
  return issue;
}

Issue OutOfRangeRule::beyond(const Record& record) {
  switch (policy_) {
    case OutOfRange::wrap: return {wrap(record)};
    case OutOfRange::clip: return {clip(record)};
    case OutOfRange::skip: return {};
    case OutOfRange::scale:  // Beyond an extent that is within the device: the trace has changed.
    case OutOfRange::error: break;
  }
  throw OutOfRangeError(names_.where(record),
                        fmt::format("expected a request within the device of {} bytes, found {}",
                                    device_size_.count, range_text(request_of(record))));
}

void OutOfRangeRule::require_fitting(const Record& record, const char* purpose) const {
  if (record.length <= device_size_) return;
  throw InputError(
      names_.where(record),
      fmt::format("expected a request of at most the device's {} bytes to {}, found {}",
                  device_size_.count, purpose, range_text(request_of(record))));
}

IssueList OutOfRangeRule::wrap(const Record& record) {
  require_fitting(record, "wrap");
  workload::Request request = request_of(record);
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
  IssueList issue;
  if (request.offset >= device_size_) return issue;
  ++clipped_;
  issue.add({request.operation, request.offset, device_size_ - request.offset});
  return issue;
}

IssueList OutOfRangeRule::scale(const Record& record) {
  require_fitting(record, "scale");
  workload::Request request = request_of(record);
  ++scaled_;
  constexpr std::uint64_t unit = 4096;
  const std::uint64_t within = request.offset.count % unit;
  __extension__ using Wide = unsigned __int128;
  const auto scaled =
      static_cast<std::uint64_t>(Wide{request.offset.count} * device_size_.count / extent_.count);
  std::uint64_t offset = scaled / unit * unit + within;
  const std::uint64_t last = (device_size_ - request.length).count;
  if (offset > last) {
    // Back by whole units, but not beyond the device's begin.
    const std::uint64_t units = (offset - last + unit - 1) / unit;
    offset = units * unit <= offset ? offset - units * unit : last;
  }
  request.offset = Bytes{offset};
  IssueList issue;
  issue.add(request);
  return issue;
}

void OutOfRangeRule::add_to(Counts& counts) const {
  counts.clipped += clipped_;
  counts.wrapped += wrapped_;
  counts.scaled += scaled_;
}

}  // namespace x25sim::trace
