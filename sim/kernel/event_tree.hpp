// The next event of every resource, and the earliest of them all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nand/check.hpp"
#include "nand/units.hpp"

namespace x25sim::kernel {

// A tournament tree with one leaf per resource: a leaf holds the time of its resource's next event.
//
// Tie rule: of events at the same time the one with the lowest leaf number comes first.
//
// A node is time and leaf packed into 64 bits, so the winner of a match is the smaller number. That
// leaves 53 bits for nanoseconds (104 days of simulated time) and 11 for leaves (2,048).
class EventTree {
 public:
  static constexpr int leaf_bits = 11;
  static constexpr std::uint32_t max_leaves = 1u << leaf_bits;

  explicit EventTree(std::uint32_t leaves)
      : first_leaf_(std::bit_ceil(std::max(leaves, 2u))),
        nodes_(std::size_t{2} * first_leaf_, never) {
    X25_CHECK(leaves <= max_leaves);
  }

  bool empty() const { return nodes_[1] == never; }
  std::uint32_t earliest_leaf() const {
    return static_cast<std::uint32_t>(nodes_[1]) & (max_leaves - 1);
  }
  Time earliest_time() const { return time_of(nodes_[1]); }

  bool is_set(std::uint32_t leaf) const { return nodes_[first_leaf_ + leaf] != never; }
  Time time(std::uint32_t leaf) const { return time_of(nodes_[first_leaf_ + leaf]); }

  void set(std::uint32_t leaf, Time time) {
    const auto ns = static_cast<std::uint64_t>(nanoseconds(time));
    X25_CHECK(ns < (never >> leaf_bits), "simulated time exceeds 104 days");
    replay(leaf, ns << leaf_bits | leaf);
  }
  void clear(std::uint32_t leaf) { replay(leaf, never); }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  static Time time_of(std::uint64_t node) {
    return Time{Duration{static_cast<std::int64_t>(node >> leaf_bits)}};
  }

  void replay(std::uint32_t leaf, std::uint64_t key) {
    std::uint32_t node = first_leaf_ + leaf;
    nodes_[node] = key;
    while (node > 1) {
      const std::uint64_t winner = std::min(nodes_[node], nodes_[node ^ 1]);
      node >>= 1;
      if (nodes_[node] == winner) return;
      nodes_[node] = winner;
    }
  }

  std::uint32_t first_leaf_;
  std::vector<std::uint64_t> nodes_;  // 1: the root; first_leaf_ + n: leaf n
};

}  // namespace x25sim::kernel
