// How garbage collection chooses the block to clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ftl/closed_blocks.hpp"
#include "ftl/config.hpp"
#include "nand/random.hpp"

namespace x25sim::ftl {

// What a policy sees: the closed blocks of one pool. Only the FTL changes them.
class VictimView {
 public:
  VictimView(const BlockState* blocks, const ClosedBlocks& closed, std::uint32_t pages_per_block,
             std::uint64_t now)
      : blocks_(blocks), closed_(closed), pages_per_block_(pages_per_block), now_(now) {}

  std::uint32_t pages_per_block() const { return pages_per_block_; }

  // The closed blocks in no particular order.
  std::size_t size() const { return closed_.size(); }
  SuperblockId at(std::size_t i) const { return closed_.at(i); }

  // The block with the fewest valid pages. Requires: PolicyEntry::by_valid_pages.
  SuperblockId fewest_valid() const { return closed_.fewest_valid(); }

  // The block that was closed first, and the one closed after `block`; no_superblock at the end.
  // Requires: not PolicyEntry::by_valid_pages.
  SuperblockId oldest() const { return id(closed_.first(0)); }
  SuperblockId closed_after(SuperblockId block) const { return id(blocks_[index(block)].next); }

  std::uint32_t valid_pages(SuperblockId block) const { return blocks_[index(block)].valid_pages; }
  std::uint32_t erase_count(SuperblockId block) const { return blocks_[index(block)].erase_count; }
  // Pages that the host has written to the drive since the block was closed.
  double age(SuperblockId block) const {
    return static_cast<double>(now_ - blocks_[index(block)].closed_at);
  }

 private:
  static SuperblockId id(std::uint32_t number) {
    return number == ClosedBlocks::end ? no_superblock : SuperblockId{number};
  }

  const BlockState* blocks_;
  const ClosedBlocks& closed_;
  std::uint32_t pages_per_block_;
  std::uint64_t now_;
};

class VictimPolicy {
 public:
  virtual ~VictimPolicy() = default;
  // The block to clean; `random` is the pool's stream. Requires: the view has at least one.
  virtual SuperblockId choose(const VictimView& view, Random& random) const = 0;
};

// One row of the table of policies.
struct PolicyEntry {
  GcPolicy policy;
  std::string_view name;
  std::string_view description;
  bool by_valid_pages;  // needs VictimView::fewest_valid(); others have the order of closing
  std::unique_ptr<const VictimPolicy> (*make)(const Config& config);
};

// All policies. A new one is a file in ftl/policies/, a line in policies.hpp and a row here.
std::span<const PolicyEntry> victim_policies();
const PolicyEntry& victim_policy(GcPolicy policy);

}  // namespace x25sim::ftl
