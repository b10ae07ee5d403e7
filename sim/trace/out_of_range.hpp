// What a replay does with requests of a trace that do not lie within the device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "nand/errors.hpp"
#include "nand/units.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/record.hpp"
#include "sim/trace/trace_files.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::trace {

// The requests to issue for one record: none, one, or two.
class IssueList {
 public:
  void add(const workload::Request& request) { requests_[size_++] = request; }
  // Makes the last request longer. Requires: there is one.
  void extend_last(Bytes length) { requests_[size_ - 1].length += length; }

  std::size_t size() const { return size_; }
  const workload::Request& operator[](std::size_t i) const { return requests_[i]; }
  const workload::Request* begin() const { return requests_.data(); }
  const workload::Request* end() const { return requests_.data() + size_; }

 private:
  std::array<workload::Request, 2> requests_{};
  std::size_t size_ = 0;
};

struct Issue {
  IssueList requests;
  bool scaled = false;
};

// What to do with a record that does not lie within the device.
enum class OutOfRange : std::uint8_t { error, wrap, clip, skip, scale };

// Throws InputError that lists the known names.
OutOfRange out_of_range_policy(const std::string& name);

// A record lies beyond the device, and that is an error.
class OutOfRangeError : public InputError {
 public:
  using InputError::InputError;
};

class OutOfRangeRule {
 public:
  // Requires: device_size is a multiple of 512 bytes and not 0. `names` is for errors.
  OutOfRangeRule(OutOfRange policy, Bytes device_size, FileNames names);

  // With `scale`: the end of the trace's address space; if it is beyond the device, offsets are
  // multiplied by the device's size over it.
  void set_extent(Bytes extent) { extent_ = extent; }

  // The requests to issue for `record`, all within the device: the record's own if it lies within;
  // otherwise, by policy,
  // - wrap: at its offset modulo the device's size, its part beyond the end at the device's begin;
  // - clip: what lies within, if anything does;
  // - skip: none;
  // - scale: at its scaled offset (every record is scaled if one lies beyond), whose place within
  //   4 KiB stays what it was, or as far behind it as the device allows;
  // - error: OutOfRangeError with line, range and size of the device.
  // Requires: a flush, or a request with data in whole sectors. Throws InputError for one that is
  // longer than the device and would wrap onto itself, or be scaled.
  Issue apply(const Record& record);

  bool is_within(const Record& record) const {
    return record.offset < device_size_ && record.length <= device_size_ - record.offset;
  }

  // Adds to clipped, wrapped and scaled what apply() did so far.
  void add_to(Counts& counts) const;

 private:
  Issue beyond(const Record& record);
  IssueList wrap(const Record& record);
  IssueList clip(const Record& record);
  IssueList scale(const Record& record);
  void require_fitting(const Record& record, const char* purpose) const;

  OutOfRange policy_;
  Bytes device_size_;
  FileNames names_;
  Bytes extent_;
  std::uint64_t clipped_ = 0;
  std::uint64_t wrapped_ = 0;
  std::uint64_t scaled_ = 0;
};

}  // namespace x25sim::trace
