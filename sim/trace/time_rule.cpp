#include "sim/trace/time_rule.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "nand/check.hpp"
#include "nand/errors.hpp"

namespace x25sim::trace {

Duration TimeRule::at(const Record& record) {
  if (!first_ns_) first_ns_ = record.time_ns;
  X25_CHECK(record.time_ns >= *first_ns_);
  // The difference is taken before anything is signed: some formats count from the year 1601.
  const std::uint64_t distance = record.time_ns - *first_ns_;
  const auto longest = static_cast<std::uint64_t>((Duration::max() - begin_).count());
  std::uint64_t ns = distance;
  if (scale_ != 1) {
    const double scaled = static_cast<double>(distance) * scale_;
    ns = scaled < static_cast<double>(longest) ? static_cast<std::uint64_t>(std::llround(scaled))
                                               : longest;
  }
  const Duration at = begin_ + Duration{static_cast<Duration::rep>(std::min(ns, longest))};
  if (limit_ && (ns > longest || at > *limit_)) {
    throw InputError(
        names_.where(record),
        fmt::format("expected a record at most {} ns after the first one, found one after {} ns; "
                    "--time-unit says what times count, --time-scale makes them shorter, "
                    "--queue-depth leaves them aside",
                    limit_->count(), static_cast<std::uint64_t>(begin_.count()) + ns));
  }
  last_ = at;
  return at;
}

void TimeRule::begin_pass() {
  begin_ = last_;
  first_ns_.reset();
}

}  // namespace x25sim::trace
