// Requests of jobs for tests, our own and those of fio itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload/job.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::test {

// The job of the options "rw=..., bs=..." on a device of 1 TiB.
workload::Job job_with(const std::string& options);

// All requests of the job, or the first `limit`.
std::vector<workload::Request> requests_of(const workload::Job& job, std::uint64_t seed = 1,
                                           std::size_t limit = 1'000'000);
std::vector<workload::Request> requests_of(const std::string& options, std::uint64_t seed = 1,
                                           std::size_t limit = 1'000'000);

std::vector<std::uint64_t> offsets_of(const std::vector<workload::Request>& requests);

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> values);

// The offsets of the `count` blocks of `block` bytes from `begin` on.
std::vector<std::uint64_t> blocks_from(std::uint64_t begin, std::uint64_t block,
                                       std::uint64_t count);

// How many standard deviations chi-square is above its expectation, for counts that should be in
// the ratio of `weights`. Requires that none of the counts is expected to be small.
double chi_square_excess(const std::vector<std::uint64_t>& counts,
                         const std::vector<double>& weights);

// The same for counts that should be equal.
double chi_square_excess(const std::vector<std::uint64_t>& counts);

// The requests that fio itself makes for each of `jobs`, by its own log; none without fio.
std::vector<std::vector<workload::Request>> requests_of_fio(const std::vector<std::string>& jobs);

}  // namespace x25sim::test
