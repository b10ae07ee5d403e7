// Recorded block traces, read as a stream in constant memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "nand/errors.hpp"
#include "nand/units.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::workload {

struct TraceRecord {
  std::uint64_t time_ns =
      0;            // as the trace counts: some formats count from 1601 and need all 64 bits
  Request request;  // length 0 is possible where the format allows it
  std::uint64_t device = 0;
  int line = 0;  // line of the trace, from 1
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;
  // The next record; none at the end. The end of its request is below 2^64. Throws InputError with
  // file and line for a damaged one.
  virtual std::optional<TraceRecord> next() = 0;
};

enum class TraceFormat : std::uint8_t { mqsim, msr };

// Throws InputError that lists the known names.
TraceFormat trace_format(const std::string& name);

// Opens a trace. Throws InputError with the path if it can't be read.
std::unique_ptr<TraceReader> open_trace(TraceFormat format, const std::string& path);

// What to do with a record that does not lie within the device.
enum class OutOfRange : std::uint8_t { error, wrap, clip, skip };

// Throws InputError that lists the known names.
OutOfRange out_of_range_policy(const std::string& name);

// Counts over a trace as it is in the file, before any out-of-range rule, and what became of its
// records.
struct TraceCounts {
  std::uint64_t records = 0, reads = 0, writes = 0, trims = 0, flushes = 0, other = 0;
  Bytes bytes_read, bytes_written, bytes_trimmed;
  std::uint64_t first_ns = 0, last_ns = 0;  // of the first and the last record in the file
  std::uint64_t backward_steps = 0;         // records whose time is before their predecessor's
  Bytes min_byte, max_end_byte;
  std::uint64_t unique_4k_pages_written = 0;
  std::uint64_t malformed = 0;
  std::uint64_t issued = 0, merged = 0, refused = 0, skipped = 0;
  std::uint64_t clipped = 0, wrapped = 0, scaled = 0;
};

}  // namespace x25sim::workload
