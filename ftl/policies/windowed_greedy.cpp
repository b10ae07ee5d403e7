// Windowed greedy: the block with the fewest valid pages among a share of the closed blocks, those
// closed first; of equal ones the oldest. Hu et al., "Write amplification analysis in flash-based
// solid state drives", SYSTOR 2009.
#include <algorithm>

#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class WindowedGreedy final : public VictimPolicy {
 public:
  explicit WindowedGreedy(std::uint32_t window_ppm) : window_ppm_(window_ppm) {}

  SuperblockId choose(const VictimView& view, Random& /*random*/) const override {
    const std::uint64_t window =
        std::max<std::uint64_t>(1, std::uint64_t{view.size()} * window_ppm_ / 1'000'000);
    SuperblockId best = view.oldest();
    SuperblockId block = best;
    for (std::uint64_t i = 1; i < window; ++i) {
      block = view.closed_after(block);
      if (view.valid_pages(block) < view.valid_pages(best)) best = block;
    }
    return best;
  }

 private:
  std::uint32_t window_ppm_;
};

}  // namespace

std::unique_ptr<const VictimPolicy> make_windowed_greedy(const Config& config) {
  return std::make_unique<WindowedGreedy>(config.gc_window_ppm);
}

}  // namespace x25sim::ftl::policies
