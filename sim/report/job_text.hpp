// The part of the text report that is about jobs.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/report/job_entries.hpp"

namespace x25sim::report {

// "a: (g=0): rw=randread, bs=(R) ..., iodepth=32": what the job was asked to do.
std::string job_announcement(const workload::Job& job);

// The same for a recorded trace: at its recorded times, or with so many requests in flight.
std::string trace_announcement(const workload::Job& job);

// fio's block of one job.
std::string job_block(const JobEntry& entry);

// fio's "Run status group" with its number and a line for each direction in use.
std::string group_block(std::uint32_t number, const std::array<GroupSummary, 4>& group);

}  // namespace x25sim::report
