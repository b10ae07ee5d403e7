// One record of a recorded block trace.
#pragma once

#include <cstdint>
#include <string_view>

#include "nand/units.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::trace {

// `other` is what is neither: a request without data or direction, or one whose kind the trace does
// not tell.
enum class Kind : std::uint8_t { read, write, trim, flush, other };

constexpr std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::read: return "read";
    case Kind::write: return "write";
    case Kind::trim: return "trim";
    case Kind::flush: return "flush";
    case Kind::other: return "other request";
  }
  return "";
}

struct Record {
  // As the trace counts: some formats count from the year 1601 and need all 64 bits.
  std::uint64_t time_ns = 0;
  Kind kind = Kind::other;
  bool flush_first = false;  // of writes: what was written before becomes durable first
  bool durable = false;      // of writes: complete when on the medium (forced unit access)
  Bytes offset;              // on its device; 0 where the record has no address
  Bytes length;              // 0 is possible for every kind; the end is below 2^64
  std::uint32_t device = 0;  // index into the reader's DeviceNames
  std::int64_t line = 0;     // line of a text, number of a binary record, from 1
  std::uint32_t file = 0;    // of several files of a trace, which

  // How long the traced machine took for it; unknown_response where the trace does not tell.
  static constexpr std::uint64_t unknown_response = ~std::uint64_t{0};
  std::uint64_t response_ns = unknown_response;

  bool operator==(const Record&) const = default;
};

constexpr Kind kind_of(workload::Operation operation) {
  switch (operation) {
    case workload::Operation::read: return Kind::read;
    case workload::Operation::write: return Kind::write;
    case workload::Operation::trim: return Kind::trim;
    case workload::Operation::flush: return Kind::flush;
  }
  return Kind::other;
}

// The request that was recorded. Requires: kind is not `other`.
constexpr workload::Request request_of(const Record& record) {
  const auto operation = [&record] {
    switch (record.kind) {
      case Kind::read: return workload::Operation::read;
      case Kind::write: return workload::Operation::write;
      case Kind::trim: return workload::Operation::trim;
      case Kind::flush:
      case Kind::other: break;
    }
    return workload::Operation::flush;
  }();
  return {operation, record.offset, record.length};
}

// Whether a record is about bytes of its device: a read, write or trim with a length.
constexpr bool has_data(const Record& record) {
  return record.length.count > 0 && record.kind != Kind::flush && record.kind != Kind::other;
}

// Whether a record begins and ends with sectors of 512 bytes.
constexpr bool in_whole_sectors(const Record& record) {
  return (record.offset % sector_size).count == 0 && (record.length % sector_size).count == 0;
}

}  // namespace x25sim::trace
