// Stationary state of blocks that hold hot and cold pages (`mixed_write_amplification`).
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "nand/check.hpp"
#include "sim/model/hot_cold.hpp"
#include "sim/model/numeric.hpp"

namespace x25sim::model {

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::VectorXd;

constexpr int rounds_max = 5000;
constexpr Index sequence_length = 10;
constexpr double settled = 1e-11;  // change of all shares together
// More give the same to four digits, but powers that a double does not resolve well enough.
constexpr std::uint32_t choices_max = 10000;

// Element n: the probabilities of 0 to n hot pages among n written ones.
std::vector<ArrayXd> binomials(Index count, double hot) {
  std::vector<ArrayXd> table{ArrayXd::Ones(1)};
  for (Index n = 1; n <= count; ++n) {
    ArrayXd next = ArrayXd::Zero(n + 1);
    next.head(n) += (1 - hot) * table.back();
    next.tail(n) += hot * table.back();
    table.push_back(std::move(next));
  }
  return table;
}

// One generation of blocks after the other. A generation is the distribution of hot pages in new
// blocks, elements 0 to b, and the host writes per victim over b, element b + 1.
class Generations {
 public:
  Generations(double spare_factor, std::uint32_t pages_per_block, std::uint32_t choices,
              const HotCold& mix)
      : pages_per_block_(pages_per_block),
        choices_(choices <= choices_max ? choices : 0),
        hot_rate_(mix.writes / (mix.space * (1 - spare_factor))),
        cold_rate_((1 - mix.writes) / ((1 - mix.space) * (1 - spare_factor))),
        fresh_pages_(binomials(pages_per_block_, mix.writes)) {}

  // Hot pages as if no page was copied.
  VectorXd first(double spare_factor) const {
    VectorXd generation(pages_per_block_ + 2);
    generation << fresh_pages_.back().matrix(), spare_factor;
    return generation;
  }

  // Follows the blocks of `generation` from full to victim; the blocks that the victims become.
  VectorXd next(const VectorXd& generation) const {
    const double writes = generation[pages_per_block_ + 1];  // lambda / b
    ArrayXd arriving = generation.head(pages_per_block_ + 1).array();
    VectorXd result = VectorXd::Zero(pages_per_block_ + 2);
    double at_least = 0;
    double copies = 0;
    for (Index level = pages_per_block_; level >= 0; --level) {
      const ArrayXd hot = ArrayXd::LinSpaced(level + 1, 0, static_cast<double>(level));
      const ArrayXd hot_decay = writes * hot_rate_ * hot;
      const ArrayXd cold_decay = writes * cold_rate_ * (static_cast<double>(level) - hot);
      const ArrayXd decay = hot_decay + cold_decay;
      const double rate = victim_rate(arriving, decay, at_least);
      const bool all = std::isinf(rate);
      const ArrayXd blocks = all ? ArrayXd::Zero(level + 1) : ArrayXd(arriving / (decay + rate));
      const ArrayXd victims = all ? arriving : ArrayXd(rate * blocks);
      at_least += blocks.sum();
      copies += static_cast<double>(level) * victims.sum();
      add_new_blocks(level, victims, result);
      if (level == 0) break;
      arriving = (hot_decay * blocks).tail(level) + (cold_decay * blocks).head(level);
    }
    result[pages_per_block_ + 1] = 1 - copies / static_cast<double>(pages_per_block_);
    return result;
  }

 private:
  // Victims per block of a level and victim of the drive, given the blocks that come to the level
  // per victim, their decay and the share of blocks above it. Infinite: blocks are cleaned at once.
  double victim_rate(const ArrayXd& arriving, const ArrayXd& decay, double above) const {
    const double room = 1 - above;
    const double total = arriving.sum();
    if (choices_ > 0) {
      if (room <= 0 || total <= 0) return choices_;
      // The share of blocks that the victims of a level of that share would leave there.
      const auto excess = [&](double share) {
        return share - (arriving / (decay + power_slope(above, above + share, choices_))).sum();
      };
      const double share = excess(room) <= 0 ? room : find_root(excess, 0, room);
      return power_slope(above, above + share, choices_);
    }
    if (room <= 1e-15) return std::numeric_limits<double>::infinity();
    if (decay.minCoeff() > 0 && (arriving / decay).sum() <= room) return 0;
    return find_root([&](double rate) { return room - (arriving / (decay + rate)).sum(); }, 1e-300,
                     2 * total / room);
  }

  void add_new_blocks(Index level, const ArrayXd& victims, VectorXd& result) const {
    const ArrayXd& fresh = fresh_pages_[static_cast<std::size_t>(pages_per_block_ - level)];
    for (Index hot = 0; hot <= level; ++hot) {
      if (victims[hot] < 1e-18) continue;  // far below what the sum of all resolves
      result.segment(hot, fresh.size()).array() += victims[hot] * fresh;
    }
  }

  Index pages_per_block_;
  std::uint32_t choices_;
  double hot_rate_;
  double cold_rate_;
  std::vector<ArrayXd> fresh_pages_;
};

// Where a sequence of generations leads, the columns of `sequence`: the weighted mean of all but
// the first whose change is least (reduced rank extrapolation). Shares that it would make negative
// are none, and all are one in sum.
VectorXd extrapolated(const Eigen::MatrixXd& sequence) {
  const Index steps = sequence.cols() - 1;
  const Eigen::MatrixXd changes = sequence.rightCols(steps) - sequence.leftCols(steps);
  const VectorXd last = changes.col(steps - 1);
  const Eigen::MatrixXd second = changes.rightCols(steps - 1) - changes.leftCols(steps - 1);
  const VectorXd weights = second.completeOrthogonalDecomposition().solve(last);
  VectorXd result = (sequence.col(steps) - changes.rightCols(steps - 1) * weights).cwiseMax(0.0);
  const Index pages = result.size() - 1;
  result.head(pages) /= result.head(pages).sum();
  const double writes = sequence(pages, steps);
  result[pages] = std::clamp(result[pages], 0.9 * writes, 1.1 * writes);
  return result;
}

}  // namespace

std::optional<double> mixed_write_amplification(double spare_factor, std::uint32_t pages_per_block,
                                                std::uint32_t choices, const HotCold& mix) {
  for (const double share : {spare_factor, mix.writes, mix.space}) {
    X25_CHECK(share >= mixed_share_min);
    X25_CHECK(share <= 1 - mixed_share_min);
  }
  X25_CHECK(pages_per_block > 0);
  X25_CHECK(pages_per_block <= mixed_pages_per_block_max);
  const Generations generations(spare_factor, pages_per_block, choices, mix);
  VectorXd generation = generations.first(spare_factor);
  Eigen::MatrixXd sequence(generation.size(), sequence_length);
  for (int round = 0; round < rounds_max; ++round) {
    sequence.col(0) = generation;
    for (Index i = 1; i < sequence_length; ++i) {
      sequence.col(i) = generations.next(sequence.col(i - 1));
    }
    generation = sequence.col(sequence_length - 1);
    const double change = (generation - sequence.col(sequence_length - 2)).lpNorm<1>();
    if (change < settled) return 1 / generation[pages_per_block + 1];
    // Pages that are hardly ever written would else take thousands of generations to settle.
    const VectorXd guess = extrapolated(sequence);
    const VectorXd next = generations.next(guess);
    if ((next - guess).lpNorm<1>() < change) generation = next;
  }
  return {};
}

}  // namespace x25sim::model
