#include "sim/kernel/kernel.hpp"

#include <doctest/doctest.h>
#include <optional>
#include <vector>

#include "nand/random.hpp"
#include "sim/kernel/event_tree.hpp"

using namespace x25sim;

namespace {

Time at(std::int64_t ns) { return Time{Duration{ns}}; }

}  // namespace

TEST_CASE("the tree gives the earliest event, and at equal times the lowest leaf") {
  constexpr std::uint32_t leaves = 37;
  kernel::EventTree tree(leaves);
  std::vector<std::optional<std::int64_t>> plain(leaves);
  Random random(1);
  for (int step = 0; step < 100'000; ++step) {
    const auto leaf = static_cast<std::uint32_t>(random.below(leaves));
    if (random.below(3) == 0) {
      plain[leaf].reset();
      tree.clear(leaf);
    } else {
      plain[leaf] = static_cast<std::int64_t>(random.below(20));  // many ties
      tree.set(leaf, at(*plain[leaf]));
    }
    std::optional<std::uint32_t> first;
    for (std::uint32_t i = 0; i < leaves; ++i) {
      if (plain[i] && (!first || *plain[i] < *plain[*first])) first = i;
    }
    REQUIRE(tree.empty() == !first);
    if (first) {
      REQUIRE(tree.earliest_leaf() == *first);
      REQUIRE(tree.earliest_time() == at(*plain[*first]));
    }
    REQUIRE(tree.is_set(leaf) == plain[leaf].has_value());
  }
}

TEST_CASE("times keep every nanosecond up to the tree's limit of 104 days") {
  kernel::EventTree tree(kernel::EventTree::max_leaves);
  const std::int64_t last = (std::int64_t{1} << 53) - 2;
  tree.set(kernel::EventTree::max_leaves - 1, at(last));
  CHECK(tree.earliest_time() == at(last));
  CHECK(tree.earliest_leaf() == kernel::EventTree::max_leaves - 1);
  tree.set(0, at(last));
  CHECK(tree.earliest_leaf() == 0);
}

TEST_CASE("the kernel tells each owner its own resources, in order of time") {
  struct Recorder : kernel::Actor {
    Recorder(kernel::Kernel& k, char n, std::vector<std::pair<char, std::uint32_t>>& l)
        : kernel(k), name(n), log(l), first(k.add_resources(*this, 2)) {}
    void on_event(std::uint32_t number) override { log.emplace_back(name, number); }
    kernel::Kernel& kernel;
    char name;
    std::vector<std::pair<char, std::uint32_t>>& log;
    std::uint32_t first;
  };
  kernel::Kernel kernel;
  std::vector<std::pair<char, std::uint32_t>> log;
  Recorder a(kernel, 'a', log);
  Recorder b(kernel, 'b', log);
  kernel.schedule(b.first + 1, at(5));
  kernel.schedule(a.first + 1, at(5));
  kernel.schedule(b.first, at(3));
  kernel.schedule(a.first, at(9));
  kernel.cancel(a.first);
  while (kernel.step()) {
  }
  CHECK(log == std::vector<std::pair<char, std::uint32_t>>{{'b', 0}, {'a', 1}, {'b', 1}});
  CHECK(kernel.now() == at(5));
}
