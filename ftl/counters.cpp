#include "ftl/counters.hpp"

#include <numeric>

#include "nand/check.hpp"

namespace x25sim::ftl {

namespace {

using CountsByCause = std::array<std::uint64_t, cause_count>;

std::uint64_t sum(const CountsByCause& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

CountsByCause difference(const CountsByCause& later, const CountsByCause& earlier) {
  CountsByCause result{};
  for (std::size_t cause = 0; cause < cause_count; ++cause) {
    X25_CHECK(later[cause] >= earlier[cause]);
    result[cause] = later[cause] - earlier[cause];
  }
  return result;
}

// The share of `whole` pages that `used` pages leave. Negative where more are in use than there
// are.
double spare_share(std::uint64_t whole, std::uint64_t used) {
  X25_CHECK(whole > 0);
  return (static_cast<double>(whole) - static_cast<double>(used)) / static_cast<double>(whole);
}

// The pages that `used` pages leave of `whole`, as a share of those used.
double extra_share(std::uint64_t whole, std::uint64_t used) {
  X25_CHECK(used > 0);
  return (static_cast<double>(whole) - static_cast<double>(used)) / static_cast<double>(used);
}

}  // namespace

std::uint64_t Counters::program_total() const { return sum(programs); }

std::uint64_t Counters::read_total() const { return sum(reads); }

double Counters::write_amplification_gc() const {
  X25_CHECK(host_pages() > 0);
  return static_cast<double>(host_pages() + programs_of(Cause::gc)) /
         static_cast<double>(host_pages());
}

Counters Counters::operator-(const Counters& earlier) const {
  X25_CHECK(erases >= earlier.erases);
  X25_CHECK(gc_runs >= earlier.gc_runs);
  X25_CHECK(wear_runs >= earlier.wear_runs);
  X25_CHECK(retired_blocks >= earlier.retired_blocks);
  X25_CHECK(trimmed_pages >= earlier.trimmed_pages);
  return {.programs = difference(programs, earlier.programs),
          .reads = difference(reads, earlier.reads),
          .erases = erases - earlier.erases,
          .gc_runs = gc_runs - earlier.gc_runs,
          .wear_runs = wear_runs - earlier.wear_runs,
          .retired_blocks = retired_blocks - earlier.retired_blocks,
          .trimmed_pages = trimmed_pages - earlier.trimmed_pages};
}

double WearSummary::factor() const {
  X25_CHECK(mean > 0);
  return max / mean;
}

double SpaceSummary::spare_factor() const { return spare_share(gc_pages, user_pages); }

double SpaceSummary::spare_factor_effective() const { return spare_share(gc_pages, valid_pages); }

double SpaceSummary::over_provisioning() const { return extra_share(gc_pages, user_pages); }

double SpaceSummary::over_provisioning_effective() const {
  return extra_share(gc_pages, valid_pages);
}

}  // namespace x25sim::ftl
