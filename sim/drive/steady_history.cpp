#include "sim/drive/steady_history.hpp"

#include <algorithm>
#include <numeric>

#include "nand/check.hpp"

namespace x25sim::drive {

namespace {

static_assert(measure::SteadyStateRule{}.rounds == SteadyHistory::judged_rounds);

double spare_pages(const ftl::SpaceSummary& space) {
  return static_cast<double>(space.gc_pages) - static_cast<double>(space.valid_pages);
}

}  // namespace

SteadyHistory::SteadyHistory(std::uint64_t logical_pages)
    : logical_pages_(logical_pages),
      round_pages_((logical_pages + rounds_per_drive_write - 1) / rounds_per_drive_write) {
  X25_CHECK(logical_pages > 0);
  state_.pages_left = round_pages_;
}

void SteadyHistory::exchange(StateArchive& archive) {
  for (std::uint64_t* number : {&state_.rounds, &state_.pages_left, &state_.gc_programs,
                                &state_.erases, &state_.counting}) {
    archive.value("rounds", *number);
  }
  archive.array("amplify", std::span<double>(state_.amplification));
  archive.array("spare", std::span<double>(state_.spare_pages));
  if (state_.pages_left == 0 || state_.pages_left > round_pages_) {
    archive.reject("a round has more pages left than it has in all");
  }
  if (state_.counting > judged_rounds) archive.reject("more rounds are judged than can be");
}

void SteadyHistory::end_round(const ftl::Counters& counters, const ftl::SpaceSummary& space) {
  X25_CHECK(state_.pages_left == 0);
  const std::uint64_t gc_programs = counters.programs_of(ftl::Cause::gc);
  const bool conditioned =
      state_.rounds * round_pages_ >= conditioning_drive_writes * logical_pages_;
  if (!conditioned || counters.erases == state_.erases) {
    state_.counting = 0;
  } else {
    if (state_.counting == judged_rounds) {
      std::shift_left(state_.amplification.begin(), state_.amplification.end(), 1);
      std::shift_left(state_.spare_pages.begin(), state_.spare_pages.end(), 1);
      --state_.counting;
    }
    state_.amplification[state_.counting] =
        1 +
        static_cast<double>(gc_programs - state_.gc_programs) / static_cast<double>(round_pages_);
    state_.spare_pages[state_.counting] = spare_pages(space);
    ++state_.counting;
  }
  ++state_.rounds;
  state_.pages_left = round_pages_;
  state_.gc_programs = gc_programs;
  state_.erases = counters.erases;
}

SteadyState SteadyHistory::judge(const ftl::SpaceSummary& now) const {
  SteadyState result;
  result.rounds = static_cast<std::uint32_t>(state_.counting);
  if (state_.counting < judged_rounds) return result;
  result.window = measure::judge_steady_state(state_.amplification, {});
  const auto& spare = state_.spare_pages;
  const double spare_now = spare_pages(now);
  const auto [least, most] = std::minmax_element(spare.begin(), spare.end());
  const double range = std::max(*most, spare_now) - std::min(*least, spare_now);
  const double average =
      std::accumulate(spare.begin(), spare.end(), spare_now) / (judged_rounds + 1);
  result.spare_range = range > 0 ? range / average : 0;
  return result;
}

}  // namespace x25sim::drive
