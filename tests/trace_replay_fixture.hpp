// What the tests of replays share: records made by hand, and what becomes of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nand/errors.hpp"
#include "sim/backend/source.hpp"
#include "tests/tiny_drive.hpp"

namespace x25sim::test {

inline trace::Record made_record(std::uint64_t time_ns, trace::Kind kind, std::uint64_t offset,
                                 std::uint64_t length, std::uint32_t device = 0) {
  trace::Record record;
  record.time_ns = time_ns;
  record.kind = kind;
  record.offset = Bytes{offset};
  record.length = Bytes{length};
  record.device = device;
  return record;
}

// Numbers the records' lines from 1.
inline std::vector<trace::Record> numbered(std::vector<trace::Record> records) {
  std::int64_t line = 0;
  for (trace::Record& record : records) record.line = ++line;
  return records;
}

struct ReplayedTrace {
  std::vector<backend::TimedRequest> requests;
  trace::ReplaySummary summary;
};

// All requests that a replay of `records` issues on a drive of `device_size`.
inline ReplayedTrace replayed(const std::vector<trace::Record>& records,
                              const trace::ReplayRules& rules,
                              std::uint64_t device_size = 1 << 20) {
  backend::TraceSource source(made_up(numbered(records)), rules, Bytes{device_size});
  ReplayedTrace result;
  while (const auto request = source.next()) result.requests.push_back(*request);
  result.summary = source.summary();
  return result;
}

// The message that such a replay ends in.
inline std::string replay_error(const std::vector<trace::Record>& records,
                                const trace::ReplayRules& rules,
                                std::uint64_t device_size = 1 << 20) {
  try {
    replayed(records, rules, device_size);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace x25sim::test
