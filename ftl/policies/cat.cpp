// Cost-age-times: the block with the lowest u / (1 - u) x erase count / age, u its share of valid
// pages, age in host pages since it was closed; of equal ones the oldest. Worn blocks are spared.
// Chiang and Chang, "Cleaning policies in mobile computers using flash memory", Journal of Systems
// and Software 48, 1999. Looks at every block.
#include <limits>

#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class CostAgeTimes final : public VictimPolicy {
 public:
  SuperblockId choose(const VictimView& view, Random& /*random*/) const override {
    SuperblockId best = view.oldest();
    double best_score = std::numeric_limits<double>::infinity();
    for (SuperblockId block = best; block != no_superblock; block = view.closed_after(block)) {
      const double valid = view.valid_pages(block);
      if (valid == 0) return block;
      // Counts and ages from 1, or a block never erased or just closed would end the comparison.
      const double score = valid * (1.0 + view.erase_count(block)) /
                           ((view.pages_per_block() - valid) * (1.0 + view.age(block)));
      if (score < best_score) {
        best = block;
        best_score = score;
      }
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<const VictimPolicy> make_cat(const Config& /*config*/) {
  return std::make_unique<CostAgeTimes>();
}

}  // namespace x25sim::ftl::policies
