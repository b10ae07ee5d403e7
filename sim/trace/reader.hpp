// What reads a recorded trace: a stream of records in constant memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/trace/device_names.hpp"
#include "sim/trace/notes.hpp"
#include "sim/trace/record.hpp"

namespace x25sim::trace {

// Which of the events that a trace has for one request is taken for it (blktrace's letters).
enum class Action : std::uint8_t {
  queued,     // Q
  inserted,   // I
  issued,     // D
  completed,  // C
};

// The one that every format with several takes where none is asked for: what the drive was given.
inline constexpr Action default_action = Action::issued;

// How a trace is to be understood, where its format leaves that open.
struct ReaderOptions {
  std::optional<std::uint64_t> time_unit_ns;  // in place of the format's own unit of time
  std::optional<Action> action;               // in place of default_action
  std::string arguments;                      // what --format has behind a colon: columns, patterns
  bool strict = false;  // refuse what the format's own tools pass over: to tell formats apart
  bool skip_malformed = false;  // count damaged lines and go on, in place of an error
};

class Reader {
 public:
  virtual ~Reader() = default;
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The next record; none at the end. Throws InputError with file and line for a damaged one, and
  // SystemError if a file can't be read on.
  virtual std::optional<Record> next() = 0;

  // The devices of the records that have been read.
  virtual const DeviceNames& devices() const = 0;
  // What was odd about what has been read.
  virtual Notes notes() const = 0;
  // Damaged lines that were passed over.
  virtual std::uint64_t malformed() const = 0;
};

}  // namespace x25sim::trace
