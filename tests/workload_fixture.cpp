#include "tests/workload_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "sim/workload/fio_job_file.hpp"
#include "sim/workload/generator.hpp"

namespace x25sim::test {

using namespace workload;

Job job_with(const std::string& options) {
  std::istringstream stream("[job]\n" + options + "\n");
  return parse_fio_jobs(stream, "a.fio", Bytes{std::uint64_t{1} << 40}).jobs.at(0);
}

std::vector<Request> requests_of(const Job& job, std::uint64_t seed, std::size_t limit) {
  std::vector<Request> requests;
  RequestGenerator generator(job, seed);
  while (requests.size() < limit) {
    const auto request = generator.next();
    if (!request) {
      CHECK_FALSE(generator.next().has_value());  // the end is final
      break;
    }
    requests.push_back(*request);
  }
  return requests;
}

std::vector<Request> requests_of(const std::string& options, std::uint64_t seed,
                                 std::size_t limit) {
  return requests_of(job_with(options), seed, limit);
}

std::vector<std::uint64_t> offsets_of(const std::vector<Request>& requests) {
  std::vector<std::uint64_t> offsets;
  for (const Request& request : requests) offsets.push_back(request.offset.count);
  return offsets;
}

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::uint64_t> blocks_from(std::uint64_t begin, std::uint64_t block,
                                       std::uint64_t count) {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < count; ++i) offsets.push_back(begin + i * block);
  return offsets;
}

double chi_square_excess(const std::vector<std::uint64_t>& counts,
                         const std::vector<double>& weights) {
  REQUIRE(counts.size() == weights.size());
  double total = 0;
  double weight = 0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count);
  for (const double one : weights) weight += one;
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * weights[i] / weight;
    REQUIRE(expected > 5);
    const double difference = static_cast<double>(counts[i]) - expected;
    sum += difference * difference / expected;
  }
  const double freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

double chi_square_excess(const std::vector<std::uint64_t>& counts) {
  return chi_square_excess(counts, std::vector<double>(counts.size(), 1));
}

std::vector<std::vector<Request>> requests_of_fio(const std::vector<std::string>& jobs) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("x25sim-fio-run-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream file(folder / "jobs.fio");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    file << "[job" << i << "]\nioengine=null\nthread\nwrite_iolog=" << (folder / "log").string()
         << i << '\n'
         << jobs[i] << '\n';
  }
  file.close();
  const std::string command = "fio " + (folder / "jobs.fio").string() + " >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  std::vector<std::vector<Request>> all;
  for (std::size_t i = 0; status == 0 && i < jobs.size(); ++i) {
    std::ifstream log(folder / ("log" + std::to_string(i)));
    std::string line;
    std::getline(log, line);  // the version
    std::vector<Request> requests;
    while (std::getline(log, line)) {
      std::istringstream stream(line);
      std::string time, target, action;
      std::uint64_t offset = 0, length = 0;
      if (!(stream >> time >> target >> action >> offset >> length)) continue;  // add, open, close
      if (action == "sync" || action == "datasync") {
        requests.push_back({Operation::flush, {}, {}});
        continue;
      }
      const Operation operation = action == "read"    ? Operation::read
                                  : action == "write" ? Operation::write
                                                      : Operation::trim;
      requests.push_back({operation, Bytes{offset}, Bytes{length}});
    }
    all.push_back(requests);
  }
  std::filesystem::remove_all(folder);
  return all;
}

}  // namespace x25sim::test
