// What the tests of the command line share: a drive so small that everything happens soon, and the
// program's JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/program.hpp"

namespace x25sim::test {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

// The X25-V with blocks and dies shrunk: 10 dies of 32 blocks of 16 pages, 4,000 of the 5,120 pages
// for the user.
inline constexpr std::uint64_t small_pages = 4000;
inline constexpr std::uint64_t small_bytes = small_pages * 4096;
Words small_drive();

Words operator+(Words first, const Words& second);

// The small drive's `run` of the job file that consists of `options`, as arguments that end with
// its path.
Words run_arguments(const TemporaryFolder& folder, const std::string& options);

// Runs the program with JSON output and requires that it succeeds.
Json run_json(const Words& arguments);

// The same for a job file of one job.
Json run_job(const std::string& options, const Words& further_arguments = {});

// The one drive of a report.
const Json& drive_of(const Json& report);

// The report with null for the fields that may differ between equal runs.
std::string without_wall_clock(Json report);

std::uint64_t sum(const Json& numbers);

}  // namespace x25sim::test
