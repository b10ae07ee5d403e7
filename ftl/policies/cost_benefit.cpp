// Cost-benefit: the block with the highest age x (1 - u) / (2u), u its share of valid pages, age in
// host pages since it was closed; of equal ones the oldest. Rosenblum and Ousterhout, "The design
// and implementation of a log-structured file system", ACM TOCS 10, 1992. Looks at every block.
#include "ftl/policies/policies.hpp"

namespace x25sim::ftl::policies {

namespace {

class CostBenefit final : public VictimPolicy {
 public:
  SuperblockId choose(const VictimView& view, Random& /*random*/) const override {
    SuperblockId best = view.oldest();
    double best_score = -1;
    for (SuperblockId block = best; block != no_superblock; block = view.closed_after(block)) {
      const double valid = view.valid_pages(block);
      if (valid == 0) return block;
      const double score = view.age(block) * (view.pages_per_block() - valid) / valid;
      if (score > best_score) {
        best = block;
        best_score = score;
      }
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<const VictimPolicy> make_cost_benefit(const Config& /*config*/) {
  return std::make_unique<CostBenefit>();
}

}  // namespace x25sim::ftl::policies
