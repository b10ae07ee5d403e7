// Counts over a trace: how much of what, when and where.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "nand/units.hpp"
#include "sim/trace/record.hpp"

namespace x25sim::trace {

// A set of 4 KiB pages. Memory grows with the parts of the address space that were touched (64
// bytes for 2 MiB) and with the number of additions, never with the length of one: a trace may
// claim to write exabytes.
class PageSet {
 public:
  // Adds the pages that [offset, offset + length) touches. Requires: the end is below 2^64.
  void add(Bytes offset, Bytes length);

  // Adds the pages of `other`.
  void add(const PageSet& other);

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

// Counts over a trace as it is in the file, before any rule, and what became of its records.
struct Counts {
  std::uint64_t records = 0, reads = 0, writes = 0, trims = 0, flushes = 0, other = 0;
  Bytes bytes_read, bytes_written, bytes_trimmed;
  std::uint64_t first_ns = 0, last_ns = 0;  // of the first and the last record in the file
  std::uint64_t backward_steps = 0;         // records whose time is before their predecessor's
  // Over all records, those without length included; a record without an address counts as at 0.
  Bytes min_byte, max_end_byte;
  std::uint64_t unique_4k_pages_written = 0;
  std::uint64_t malformed = 0;  // damaged lines, which are not records
  // Each record is one of these.
  std::uint64_t issued = 0, merged = 0, refused = 0, skipped = 0;
  // Of those issued or merged: what was changed about them.
  std::uint64_t clipped = 0, wrapped = 0, scaled = 0;
  std::uint64_t expanded = 0;   // to whole sectors
  std::uint64_t clamped = 0;    // of all records: those that got their predecessor's time
  std::uint64_t latest_ns = 0;  // of all records
};

// Counts records as they are read, but for the pages that they write.
class RecordCounter {
 public:
  // Counts the next record of the trace.
  void add(const Record& record);
  // The trace begins again: its first record is no backward step.
  void begin_pass() { in_pass_ = false; }

  // What was counted so far. The fields that say what became of the records are 0, and so is
  // unique_4k_pages_written.
  const Counts& counts() const { return counts_; }

 private:
  Counts counts_;
  bool in_pass_ = false;  // a record of the present pass was counted
};

// Counts the pages as well.
class Counter {
 public:
  void add(const Record& record) {
    records_.add(record);
    if (record.kind == Kind::write) pages_written_.add(record.offset, record.length);
  }
  void begin_pass() { records_.begin_pass(); }

  std::uint64_t records() const { return records_.counts().records; }
  // What was counted so far. Takes time in proportion to the pages written.
  Counts counts() const;

 private:
  RecordCounter records_;
  PageSet pages_written_;
};

}  // namespace x25sim::trace
