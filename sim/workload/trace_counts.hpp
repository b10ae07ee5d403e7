// Counts over a trace: how much of what, when and where.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "nand/units.hpp"
#include "sim/workload/trace.hpp"

namespace x25sim::workload {

// A set of 4 KiB pages. Memory grows with the parts of the address space that were touched (64
// bytes for 2 MiB) and with the number of additions, never with the length of one: a trace may
// claim to write exabytes.
class PageSet {
 public:
  // Adds the pages that [offset, offset + length) touches. Requires: the end is below 2^64.
  void add(Bytes offset, Bytes length);

  // The number of pages. Takes time in proportion to the set.
  std::uint64_t size() const;

 private:
  static constexpr std::uint64_t chunk_pages = 512;
  using Chunk = std::array<std::uint64_t, chunk_pages / 64>;

  void add_within(std::uint64_t chunk, std::uint64_t begin, std::uint64_t end);
  void add_full(std::uint64_t begin, std::uint64_t end);
  bool is_full(std::uint64_t chunk) const;

  std::unordered_map<std::uint64_t, Chunk> chunks_;  // bit per page, where only a part was added
  // Chunks that were added as a whole: disjoint runs, begin to end. They may be in chunks_ too.
  std::map<std::uint64_t, std::uint64_t> full_;
};

// Counts records as they are read.
class TraceCounter {
 public:
  // Counts the next record of the trace.
  void add(const TraceRecord& record);

  // What was counted so far. The fields that say what became of the records are 0.
  TraceCounts counts() const;

 private:
  TraceCounts counts_;
  bool has_address_ = false;  // a record with a length was seen
  PageSet pages_written_;
};

}  // namespace x25sim::workload
