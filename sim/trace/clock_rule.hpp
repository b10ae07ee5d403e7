// What a replay does with a record whose time is before that of a record that stands before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/trace/record.hpp"
#include "sim/trace/trace_files.hpp"

namespace x25sim::trace {

struct BackwardTimes {
  enum class Policy : std::uint8_t {
    clamp,   // it is issued together with its predecessor
    sort,    // records are put in order within a window; what is still late is clamped
    refuse,  // it is an error
  };
  static constexpr std::size_t default_window = 4096;
  static constexpr std::size_t window_max = 1u << 20;

  Policy policy = Policy::clamp;
  std::size_t window = 0;  // of `sort`: how many records are held back to be sorted
};

// Reads "clamp", "sort", "sort:N" or "refuse". Throws InputError.
BackwardTimes backward_times(const std::string& text);

// Takes records in the order of the file and gives them back with times that do not go backwards.
// Of records with equal times the one that stands first in the file comes first. Memory: the
// window.
class ClockRule {
 public:
  ClockRule(const BackwardTimes& rule, const FileNames& names) : rule_(rule), names_(names) {}

  // The next record of the file. Throws InputError with its line if it is refused.
  void add(const Record& record);
  // The file has ended: what is held back comes out.
  void end() { ended_ = true; }
  // The next record; none if more must be added first, or if there are no more.
  std::optional<Record> take();

  // The trace begins again, at its own times. Requires: all records were taken.
  void restart();

  // Records that got their predecessor's time.
  std::uint64_t clamped() const { return clamped_; }

 private:
  struct Held {
    Record record;
    std::uint64_t order = 0;
  };
  // For a heap whose front is the earliest.
  static bool later(const Held& a, const Held& b) {
    return a.record.time_ns != b.record.time_ns ? a.record.time_ns > b.record.time_ns
                                                : a.order > b.order;
  }

  BackwardTimes rule_;
  FileNames names_;
  std::vector<Held> heap_;
  std::uint64_t added_ = 0;
  std::uint64_t newest_ns_ = 0;  // of the record added last
  std::uint64_t last_ns_ = 0;    // of the record taken last
  std::uint64_t clamped_ = 0;
  bool ended_ = false;
};

}  // namespace x25sim::trace
