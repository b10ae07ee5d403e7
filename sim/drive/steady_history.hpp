// A drive's record of its write amplification, from which it is judged whether the drive has
// settled. A real drive keeps none; it is the simulator's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ftl/counters.hpp"
#include "nand/state_archive.hpp"
#include "sim/measure/steady_state.hpp"

namespace x25sim::drive {

// How near a drive is to its steady state.
struct SteadyState {
  std::uint32_t rounds = 0;  // that count, of the last five
  // Of their write amplification; nothing while they are fewer than five.
  std::optional<measure::SteadyStateWindow> window;
  // How far the drive's spare pages (T - U with U the pages that hold data) have lain apart at the
  // ends of these rounds and now, as a share of their average.
  double spare_range = 0;

  bool spare_is_steady() const { return spare_range <= measure::SteadyStateRule{}.range_max; }
  bool reached() const { return window && window->steady && spare_is_steady(); }
};

// Splits all that the host writes into rounds of 0.2 drive writes. A drive write is as many pages
// as the host can address; the metric is theory's write amplification, (host + gc) / host.
//
// Numbers alone cannot tell a drive that has settled from one that has not begun to change: while a
// drive lives on erased blocks its write amplification is 1 round after round. So a round counts
// only if it began after two drive writes, and if blocks were erased in it; five in a row that
// count are judged by SNIA's criterion. And as write amplification follows the spare pages, a drive
// on which data are still becoming more, or from which many have been trimmed since, has not
// settled.
class SteadyHistory {
 public:
  static constexpr std::uint32_t rounds_per_drive_write = 5;
  static constexpr std::uint32_t conditioning_drive_writes = 2;
  static constexpr std::uint32_t judged_rounds = 5;

  // All that a history remembers.
  struct State {
    std::uint64_t rounds = 0;       // complete ones, of all that the drive has been through
    std::uint64_t pages_left = 0;   // of the round under way
    std::uint64_t gc_programs = 0;  // counts when it began
    std::uint64_t erases = 0;
    // Of the last rounds in a row that count, oldest first: how many they are, their write
    // amplification, and the spare pages at their ends.
    std::uint64_t counting = 0;
    std::array<double, judged_rounds> amplification{};
    std::array<double, judged_rounds> spare_pages{};
  };

  // Requires: logical_pages > 0.
  explicit SteadyHistory(std::uint64_t logical_pages);

  // The host's next page has been written. Whether a round is complete: call end_round() then.
  bool add_host_page() { return --state_.pages_left == 0; }
  // `counters` are those of the drive's whole life.
  void end_round(const ftl::Counters& counters, const ftl::SpaceSummary& space);

  SteadyState judge(const ftl::SpaceSummary& now) const;
  // Host pages that complete the round under way.
  std::uint64_t pages_left() const { return state_.pages_left; }

  const State& state() const { return state_; }
  // Hands over all that is remembered, or takes that of a drive with as many logical pages.
  void exchange(StateArchive& archive);

 private:
  std::uint64_t logical_pages_;
  std::uint64_t round_pages_;
  State state_;
};

}  // namespace x25sim::drive
