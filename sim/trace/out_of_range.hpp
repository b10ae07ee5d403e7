// What a replay does with requests of a trace that do not lie within the device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "nand/units.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/record.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::trace {

// The requests to issue for one record: none, one, or two.
class IssueList {
 public:
  void add(const workload::Request& request) { requests_[size_++] = request; }

  std::size_t size() const { return size_; }
  const workload::Request& operator[](std::size_t i) const { return requests_[i]; }
  const workload::Request* begin() const { return requests_.data(); }
  const workload::Request* end() const { return requests_.data() + size_; }

 private:
  std::array<workload::Request, 2> requests_{};
  std::size_t size_ = 0;
};

// What to do with a record that does not lie within the device.
enum class OutOfRange : std::uint8_t { error, wrap, clip, skip };

// Throws InputError that lists the known names.
OutOfRange out_of_range_policy(const std::string& name);

class OutOfRangeRule {
 public:
  // Requires: device_size is a multiple of 512 bytes and not 0. `trace_name` is for errors.
  OutOfRangeRule(OutOfRange policy, Bytes device_size, std::string trace_name);

  // The requests to issue for `record`, all within the device: the record's own if it lies within;
  // otherwise, by policy,
  // - wrap: at its offset modulo the device's size, its part beyond the end at the device's begin;
  // - clip: what lies within, if anything does;
  // - skip: none;
  // - error: InputError with line, range and size of the device.
  // A record without length issues nothing, unless it is a flush. Throws InputError, too, for a
  // request that is not in whole sectors of 512 bytes, and for one that is longer than the device
  // and would wrap onto itself.
  IssueList apply(const Record& record);

  // Adds to issued (records for which something was issued), skipped (records for which nothing
  // was), clipped and wrapped what apply() did so far.
  void add_to(Counts& counts) const;

  const std::string& trace_name() const { return trace_name_; }

 private:
  IssueList wrap(const Record& record);
  IssueList clip(const Record& record);
  IssueList skip();
  [[noreturn]] void fail(const Record& record, const std::string& message) const;

  OutOfRange policy_;
  Bytes device_size_;
  std::string trace_name_;
  std::uint64_t issued_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t clipped_ = 0;
  std::uint64_t wrapped_ = 0;
};

}  // namespace x25sim::trace
