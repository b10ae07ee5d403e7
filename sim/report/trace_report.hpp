// What is in a recorded trace, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/trace/device_names.hpp"
#include "sim/trace/notes.hpp"
#include "sim/trace/replay_rules.hpp"
#include "sim/trace/statistics.hpp"

namespace x25sim::report {

// Lines that a replay and a look into a trace share: counts, and what the reader found odd.
std::string trace_count_lines(const trace::Counts& counts);
std::string trace_note_lines(const trace::Notes& notes);

// What a replay has done with its trace.
std::string trace_replay_block(const trace::ReplaySummary& summary, bool interrupted);

// What the user should know of a replay, as sentences. `at_recorded_times`: the times mattered.
std::vector<std::string> trace_notices(const trace::ReplaySummary& summary, bool at_recorded_times);

// What `trace info` has found.
struct TraceInfo {
  std::string name;    // of its files
  std::string format;  // that it was read in
  std::string action;  // which event of a request was taken; empty: the format has one
  const trace::Statistics& statistics;
  const trace::DeviceNames& devices;
  trace::Notes notes;  // of the reader
  std::uint64_t malformed = 0;
};

std::string trace_info_text(const TraceInfo& info);
// `version`: of the program.
std::string trace_info_json(const TraceInfo& info, const std::string& version);

}  // namespace x25sim::report
