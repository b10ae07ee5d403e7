// Which blocks of a region have been visited, for requests of several blocks each: a bit for each
// block, and above it levels whose bits say which words below are full, so that the next free block
// is found in a few steps. fio keeps such a map for all random jobs (lib/axmap.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace x25sim::workload {

class BlockMap {
 public:
  // All blocks are free. Requires: blocks > 0. Takes 0.13 bytes a block.
  explicit BlockMap(std::uint64_t blocks);

  // The first free block from `block` on, or else the first of all; none if all are visited.
  std::optional<std::uint64_t> next_free(std::uint64_t block) const;

  // Marks `block`, which is free, and up to count - 1 blocks behind it as visited: fewer, where one
  // of them has been or the region ends. The number of blocks that were marked.
  std::uint64_t visit(std::uint64_t block, std::uint64_t count);

  // Makes all blocks free again.
  void clear();

 private:
  using Level = std::vector<std::uint64_t>;

  std::optional<std::uint64_t> free_from(std::uint64_t block) const;
  void mark(std::uint64_t block);

  std::uint64_t blocks_;
  std::vector<Level> levels_;  // of blocks first; each with a bit for a word of the one before
};

}  // namespace x25sim::workload
