#include "sim/workload/trace.hpp"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "sim/workload/trace_formats.hpp"

namespace x25sim::workload {
namespace {

template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

constexpr std::array formats{
    Named<TraceFormat>{"mqsim", TraceFormat::mqsim},
    Named<TraceFormat>{"msr", TraceFormat::msr},
};

constexpr std::array policies{
    Named<OutOfRange>{"error", OutOfRange::error},
    Named<OutOfRange>{"wrap", OutOfRange::wrap},
    Named<OutOfRange>{"clip", OutOfRange::clip},
    Named<OutOfRange>{"skip", OutOfRange::skip},
};

// The entry called `name`; `what` says in the error what it would have been.
template <typename Table>
const auto& find_named(const Table& table, const std::string& name, std::string_view what) {
  std::string names;
  for (const auto& entry : table) {
    if (name == entry.name) return entry.value;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InputError(fmt::format("expected {} ({}), found '{}'", what, names, name));
}

}  // namespace

TraceFormat trace_format(const std::string& name) {
  return find_named(formats, name, "a trace format");
}

std::unique_ptr<TraceReader> open_trace(TraceFormat format, const std::string& path) {
  switch (format) {
    case TraceFormat::mqsim: return open_mqsim_trace(path);
    case TraceFormat::msr: return open_msr_trace(path);
  }
  return nullptr;
}

OutOfRange out_of_range_policy(const std::string& name) {
  return find_named(policies, name, "a rule for requests out of range");
}

}  // namespace x25sim::workload
