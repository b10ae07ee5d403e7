// How often the superblocks of a pool have been erased, and the least of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nand/state_archive.hpp"

namespace x25sim::ftl {

// Takes constant time for each erase: counts only grow, so the least one does too, except where a
// block is replaced by a new one.
class EraseCounts {
 public:
  void add(std::uint32_t count) {
    if (count >= blocks_.size()) blocks_.resize(std::size_t{count} + 1);
    ++blocks_[count];
    if (count < least_) least_ = count;
  }
  void remove(std::uint32_t count) {
    --blocks_[count];
    while (least_ < blocks_.size() && blocks_[least_] == 0) ++least_;
  }
  void erase(std::uint32_t count) {
    add(count + 1);
    remove(count);
  }
  // Requires: there is a block.
  std::uint32_t least() const { return least_; }

  void exchange(StateArchive& archive) {
    archive.vector("cycles", blocks_, 0xffffffff);
    archive.value("least", least_);
  }

 private:
  std::vector<std::uint32_t> blocks_;  // by erase count
  std::uint32_t least_ = 0xffffffff;
};

}  // namespace x25sim::ftl
