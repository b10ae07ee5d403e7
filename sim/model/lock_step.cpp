// Exact number of busy dies where all dies take the same time (`lock_step_busy_dies`).
#include <Eigen/Sparse>
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "nand/check.hpp"
#include "sim/model/queueing.hpp"

namespace x25sim::model {

namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Matrix = Eigen::SparseMatrix<double>;

// Queue lengths of the busy dies, longest first.
using Partition = std::vector<std::uint16_t>;
using Partitions = std::map<Partition, Index>;  // numbered in their order

constexpr int steps_max = 200000;
constexpr double settled = 1e-14;  // change of all probabilities together

// Every state from 0 to K requests, the moves between them that one request makes when it goes to
// a random die, and what one service time leaves of the K.
class LockStep {
 public:
  LockStep(std::uint32_t dies, std::uint32_t queue_depth) : dies_(dies) {
    Partitions states{{Partition{}, 0}};
    for (std::uint32_t requests = 0; requests < queue_depth; ++requests) {
      const Partitions above = successors(states);
      arrivals_.push_back(moves(states, above));
      layers_.push_back(std::move(states));
      states = above;
    }
    layers_.push_back(std::move(states));
    for (const auto& [state, number] : layers_.back()) {
      Partition rest;
      for (const std::uint16_t length : state) {
        if (length > 1) rest.push_back(static_cast<std::uint16_t>(length - 1));
      }
      left_.push_back(layers_[queue_depth - state.size()].at(rest));
    }
  }

  double busy_dies() const {
    VectorXd state = VectorXd::Constant(size(), 1.0 / static_cast<double>(size()));
    for (int step = 0; step < steps_max; ++step) {
      const VectorXd following = next(state);
      const double change = (following - state).lpNorm<1>();
      state = following;
      if (change < settled) break;
    }
    double busy = 0;
    for (const auto& [lengths, number] : layers_.back()) {
      busy += static_cast<double>(lengths.size()) * state[number];
    }
    return busy;
  }

 private:
  Index size() const { return static_cast<Index>(layers_.back().size()); }

  // Calls `move` with each state that one request makes of `state` and the probability of that.
  template <typename Move>
  void for_each_arrival(const Partition& state, const Move& move) const {
    for (std::size_t first = 0; first < state.size();) {
      std::size_t end = first;
      while (end < state.size() && state[end] == state[first]) ++end;
      Partition longer = state;
      ++longer[first];
      move(longer, static_cast<double>(end - first) / dies_);
      first = end;
    }
    if (state.size() < dies_) {
      Partition more = state;
      more.push_back(1);
      move(more, static_cast<double>(dies_ - state.size()) / dies_);
    }
  }

  Partitions successors(const Partitions& states) const {
    Partitions result;
    for (const auto& [state, number] : states) {
      for_each_arrival(state, [&](const Partition& next, double) { result.emplace(next, 0); });
    }
    Index count = 0;
    for (auto& [state, number] : result) number = count++;
    return result;
  }

  Matrix moves(const Partitions& from, const Partitions& to) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (const auto& [state, number] : from) {
      for_each_arrival(state, [&, column = number](const Partition& next, double probability) {
        entries.emplace_back(to.at(next), column, probability);
      });
    }
    Matrix matrix(static_cast<Index>(to.size()), static_cast<Index>(from.size()));
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  // One service time: every busy die ends a request, then the requests that ended arrive again.
  // Those states that wait for the same number of arrivals take them together.
  VectorXd next(const VectorXd& state) const {
    std::vector<VectorXd> waiting;
    waiting.reserve(layers_.size());
    for (const Partitions& layer : layers_) {
      waiting.emplace_back(VectorXd::Zero(static_cast<Index>(layer.size())));
    }
    for (const auto& [lengths, number] : layers_.back()) {
      const std::size_t requests = layers_.size() - 1 - lengths.size();
      waiting[requests][left_[static_cast<std::size_t>(number)]] += state[number];
    }
    for (std::size_t requests = 0; requests < arrivals_.size(); ++requests) {
      waiting[requests + 1] += arrivals_[requests] * waiting[requests];
    }
    return waiting.back();
  }

  std::uint32_t dies_;
  std::vector<Partitions> layers_;  // by number of requests
  std::vector<Matrix> arrivals_;    // from each layer to the next
  std::vector<Index> left_;         // of each state of K requests: the state after the ends
};

}  // namespace

double lock_step_busy_dies(std::uint32_t dies, std::uint32_t queue_depth) {
  X25_CHECK(dies > 0);
  X25_CHECK(queue_depth > 0);
  X25_CHECK(queue_depth <= lock_step_depth_max);
  return LockStep(dies, queue_depth).busy_dies();
}

}  // namespace x25sim::model
