// The same job file in fio and in x25sim, and whether the requests of both agree.
//
// Where chance decides, both samples must pass for draws from one distribution: two-sample
// chi-square tests at the level 1e-4 (some three hundred of them are made), with the seeds that
// both programs have without being told.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace x25sim::test {

enum class Place : std::uint8_t {
  same,         // the same distribution over the region
  same_by_rank  // the same frequencies, at other blocks
};

struct Expectation {
  bool exact = false;  // chance decides neither the number of requests nor their sizes
  Place place = Place::same;
  bool chance_ends = false;  // chance decides how far into the region the requests get
  double rate_within = 0;    // relative difference of the rates; 0: they are not compared
};

// Where the job files stand.
std::filesystem::path fio_job_folder();

// Runs `job_file` of that folder in both programs and checks that what they log and report agrees
// in number, bytes, sizes, mix, place and order, and in rates if so `expect`ed.
void compare(const std::string& job_file, const Expectation& expect = {});

}  // namespace x25sim::test
