#include "tests/fio_comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program.hpp"

namespace x25sim::test {

namespace {

using Json = nlohmann::json;

namespace fs = std::filesystem;

// The X25-V's, so that percentages come to the same bytes.
constexpr std::uintmax_t device_bytes = 40'020'664'320;

constexpr double z_of_level = 3.719;  // one-sided, level 1e-4

struct Request {
  std::string kind;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// What a program made of a job file.
struct Outcome {
  std::vector<Request> requests;  // as logged, in order, flushes included
  Json report;

  const Json& job(std::size_t i) const { return report.at("jobs").at(i); }
};

// The lines of an iolog of version 3 that are requests. fio's own log of several jobs has several
// headers, and lines of all jobs.
std::vector<Request> read_log(const fs::path& path) {
  std::vector<Request> requests;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uint64_t time = 0;
    std::string name;
    Request request;
    if (!(words >> time >> name >> request.kind >> request.offset >> request.length)) continue;
    requests.push_back(request);
  }
  return requests;
}

// The lines of a latency log with offsets: time, latency, direction, length, offset, priority.
std::vector<Request> read_latency_log(const fs::path& path) {
  constexpr std::array kinds{"read", "write", "trim"};
  std::vector<Request> requests;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    std::uint64_t time = 0;
    std::uint64_t latency = 0;
    std::size_t direction = 0;
    Request request;
    REQUIRE((words >> time >> latency >> direction >> request.length >> request.offset));
    request.kind = kinds.at(direction);
    requests.push_back(request);
  }
  return requests;
}

// Runs one of the programs in a folder of its own.
Outcome outcome_of(const std::string& program, const std::vector<std::string>& arguments,
                   const std::string& job_file) {
  const TemporaryFolder folder;
  for (const char* const beside : {"common.include", "replayed.iolog"}) {
    fs::copy_file(fio_job_folder() / beside, folder.path() / beside);
  }
  fs::copy_file(fio_job_folder() / job_file, folder.path() / job_file);
  std::ofstream(folder.path() / "device").close();
  fs::resize_file(folder.path() / "device", device_bytes);  // takes no space on the disk
  std::vector<std::string> words = arguments;
  words.insert(words.end(), {"--output-format=json", "--output=report.json", job_file});
  const ProgramResult result =
      Program(words, {.folder = folder.path(), .output = {}, .program = program}).wait();
  CAPTURE(program);
  CAPTURE(result.err);
  REQUIRE(result.status == 0);
  Outcome outcome;
  outcome.report = Json::parse(read_file(folder.path() / "report.json"));
  std::set<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (entry.path().filename().string().starts_with("log")) logs.insert(entry.path());
  }
  for (const fs::path& log : logs) {
    const bool of_latencies = log.extension() == ".log";
    if (of_latencies && log.string().find("_clat.") == std::string::npos) continue;
    const auto requests = of_latencies ? read_latency_log(log) : read_log(log);
    outcome.requests.insert(outcome.requests.end(), requests.begin(), requests.end());
  }
  return outcome;
}

Outcome fio(const std::string& job_file) { return outcome_of("fio", {}, job_file); }
Outcome x25sim_run(const std::string& job_file) {
  return outcome_of("", {"run", "-d", "x25-v-40"}, job_file);
}

// How much larger than chance allows the difference of two counts of one kind out of `of_a` and
// `of_b` is, in standard deviations.
double deviation(double a, double of_a, double b, double of_b) {
  if (of_a == 0 || of_b == 0) return a == b ? 0 : 1e9;
  const double share = (a + b) / (of_a + of_b);
  const double variance = share * (1 - share) * (1 / of_a + 1 / of_b);
  const double difference = std::abs(a / of_a - b / of_b);
  if (variance <= 0) return difference == 0 ? 0 : 1e9;
  return difference / std::sqrt(variance);
}

using Categories = std::map<std::uint64_t, std::array<double, 2>>;

// Whether two samples over the same categories differ by more than chance does at the level above.
// Categories with few members are put together. Wilson's and Hilferty's normal approximation.
bool differ(const Categories& categories) {
  std::array<double, 2> total{};
  for (const auto& [key, counts] : categories) {
    for (std::size_t i = 0; i < 2; ++i) total[i] += counts[i];
  }
  if (total[0] == 0 || total[1] == 0) return total[0] != total[1];
  const double scale = std::sqrt(total[1] / total[0]);
  double statistic = 0;
  int classes = 0;
  std::array<double, 2> pool{};
  const auto close_class = [&] {
    const double difference = pool[0] * scale - pool[1] / scale;
    statistic += difference * difference / (pool[0] + pool[1]);
    ++classes;
    pool = {};
  };
  for (const auto& [key, counts] : categories) {
    for (std::size_t i = 0; i < 2; ++i) pool[i] += counts[i];
    if (pool[0] + pool[1] >= 20) close_class();
  }
  if (pool[0] + pool[1] > 0) close_class();
  if (classes < 2) return false;
  const double freedom = classes - 1;
  const double part = 2 / (9 * freedom);
  const double z = (std::cbrt(statistic / freedom) - (1 - part)) / std::sqrt(part);
  return z > z_of_level;
}

// What is compared, of the requests of one kind.
struct Shape {
  std::uint64_t count = 0;
  std::uint64_t sequential = 0;  // begin where the last request of any kind ended
  std::uint64_t repeated = 0;    // have the offset that the last request of any kind had
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  std::set<std::uint64_t> offsets;
};

std::map<std::string, Shape> shapes(const std::vector<Request>& requests) {
  std::map<std::string, Shape> shapes;
  const Request* last = nullptr;
  for (const Request& request : requests) {
    Shape& shape = shapes[request.kind];
    ++shape.count;
    if (last != nullptr && last->offset + last->length == request.offset) ++shape.sequential;
    if (last != nullptr && last->offset == request.offset) ++shape.repeated;
    shape.begin = std::min(shape.begin, request.offset);
    shape.end = std::max(shape.end, request.offset + request.length);
    shape.offsets.insert(request.offset);
    last = &request;
  }
  return shapes;
}

// A property of the requests of both programs as categories, for differ().
template <typename Key>
Categories categories(const std::vector<Request>& a, const std::vector<Request>& b,
                      const std::string& kind, const Key& key) {
  Categories result;
  std::size_t side = 0;
  for (const auto* requests : {&a, &b}) {
    for (const Request& request : *requests) {
      if (request.kind == kind) ++result[key(request)][side];
    }
    ++side;
  }
  return result;
}

constexpr std::uint64_t places = 64;  // parts of the region in which requests are counted

// Without the requests that go on where the last one of their kind ended, or repeat it: those are
// not independent.
std::vector<Request> starts(const std::vector<Request>& requests) {
  std::vector<Request> kept;
  std::map<std::string, Request> last;
  for (const Request& request : requests) {
    const auto before = last.find(request.kind);
    const bool depends =
        before != last.end() && (before->second.offset + before->second.length == request.offset ||
                                 before->second.offset == request.offset);
    if (!depends) kept.push_back(request);
    last[request.kind] = request;
  }
  return kept;
}

// In which part of the region the requests of both begin.
Categories parts(const std::vector<Request>& a, const std::vector<Request>& b,
                 const std::string& kind, std::uint64_t begin, std::uint64_t part) {
  return categories(a, b, kind,
                    [&](const Request& request) { return (request.offset - begin) / part; });
}

// How often each offset is hit, the most frequent ones first.
std::vector<double> frequencies(const std::vector<Request>& requests, const std::string& kind) {
  std::map<std::uint64_t, double> counts;
  for (const Request& request : requests) {
    if (request.kind == kind) ++counts[request.offset];
  }
  std::vector<double> sorted;
  for (const auto& [offset, count] : counts) sorted.push_back(count);
  std::sort(sorted.rbegin(), sorted.rend());
  return sorted;
}

bool differ_by_rank(const Outcome& a, const Outcome& b, const std::string& kind) {
  Categories ranks;
  std::size_t side = 0;
  for (const auto* outcome : {&a, &b}) {
    const auto counts = frequencies(outcome->requests, kind);
    for (std::size_t rank = 0; rank < counts.size(); ++rank) ranks[rank][side] = counts[rank];
    ++side;
  }
  return differ(ranks);
}

void compare_totals(const Outcome& a, const Outcome& b, const Expectation& expect) {
  REQUIRE(a.report.at("jobs").size() == b.report.at("jobs").size());
  for (std::size_t i = 0; i < a.report.at("jobs").size(); ++i) {
    CAPTURE(i);
    double all_a = 0;
    double all_b = 0;
    for (const char* const kind : {"read", "write", "trim"}) {
      all_a += a.job(i).at(kind).at("total_ios").get<double>();
      all_b += b.job(i).at(kind).at("total_ios").get<double>();
    }
    for (const char* const kind : {"read", "write", "trim"}) {
      CAPTURE(kind);
      const Json& of_a = a.job(i).at(kind);
      const Json& of_b = b.job(i).at(kind);
      const auto count_a = of_a.at("total_ios").get<double>();
      const auto count_b = of_b.at("total_ios").get<double>();
      if (expect.exact) {
        CHECK(of_a.at("total_ios") == of_b.at("total_ios"));
        CHECK(of_a.at("io_bytes") == of_b.at("io_bytes"));
      } else {
        CHECK(deviation(count_a, all_a, count_b, all_b) < z_of_level);
      }
      if (expect.rate_within > 0) {
        const auto rate_a = of_a.at("iops").get<double>();
        const auto rate_b = of_b.at("iops").get<double>();
        CHECK(rate_b >= rate_a * (1 - expect.rate_within));
        CHECK(rate_b <= rate_a * (1 + expect.rate_within));
      }
    }
    CHECK(a.job(i).at("groupid") == b.job(i).at("groupid"));
  }
}

void compare_requests(const Outcome& a, const Outcome& b, const Expectation& expect) {
  auto shapes_a = shapes(a.requests);
  auto shapes_b = shapes(b.requests);
  std::set<std::string> kinds;
  for (const auto& [kind, shape] : shapes_a) kinds.insert(kind);
  for (const auto& [kind, shape] : shapes_b) kinds.insert(kind);
  const auto all_a = static_cast<double>(a.requests.size());
  const auto all_b = static_cast<double>(b.requests.size());
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    const Shape& of_a = shapes_a[kind];
    const Shape& of_b = shapes_b[kind];
    CHECK(of_a.count > 0);
    CHECK(of_b.count > 0);
    if (of_a.count == 0 || of_b.count == 0) continue;
    if (expect.exact) CHECK(of_a.count == of_b.count);
    const auto count_a = static_cast<double>(of_a.count);
    const auto count_b = static_cast<double>(of_b.count);
    const auto share = [&](std::uint64_t of_a_too, std::uint64_t of_b_too) {
      return deviation(static_cast<double>(of_a_too), count_a, static_cast<double>(of_b_too),
                       count_b);
    };
    CHECK(deviation(count_a, all_a, count_b, all_b) < z_of_level);
    if (kind == "sync" || kind == "datasync") continue;
    // fio's random map takes the next block where one was visited before, and so has more
    // neighbours behind each other than chance has: one or two in a hundred.
    const double neighbours = std::abs(static_cast<double>(of_a.sequential) / count_a -
                                       static_cast<double>(of_b.sequential) / count_b);
    CHECK((neighbours < 0.02 || share(of_a.sequential, of_b.sequential) < z_of_level));
    CHECK(share(of_a.repeated, of_b.repeated) < z_of_level);
    CHECK(share(of_a.offsets.size(), of_b.offsets.size()) < z_of_level);
    CHECK_FALSE(differ(categories(a.requests, b.requests, kind,
                                  [](const Request& request) { return request.length; })));
    if (expect.place == Place::same_by_rank) CHECK_FALSE(differ_by_rank(a, b, kind));
    // What the region ends with is reached by both, or missed by less than a sixty-fourth of it.
    const std::uint64_t begin = std::min(of_a.begin, of_b.begin);
    const std::uint64_t end = std::max(of_a.end, of_b.end);
    const std::uint64_t part = (end - begin + places - 1) / places;
    CHECK(std::max(of_a.begin, of_b.begin) - begin <= part);
    if (!expect.chance_ends) CHECK(end - std::min(of_a.end, of_b.end) <= part);
    if (expect.place == Place::same && !expect.chance_ends) {
      CHECK_FALSE(differ(parts(starts(a.requests), starts(b.requests), kind, begin, part)));
    }
    // Offsets are multiples of the same power of two.
    const auto lowest_bit = [](const Request& request) {
      return request.offset & (~request.offset + 1);
    };
    const auto granularity = [&](const std::vector<Request>& requests) {
      std::uint64_t lowest = std::uint64_t{1} << 30;
      for (const Request& request : requests) {
        if (request.kind == kind && request.offset != 0) {
          lowest = std::min(lowest, lowest_bit(request));
        }
      }
      return lowest;
    };
    CHECK(granularity(a.requests) == granularity(b.requests));
  }
}

}  // namespace

std::filesystem::path fio_job_folder() {
  return fs::path(X25SIM_SOURCE_DIR) / "tests" / "fio_jobs";
}

void compare(const std::string& job_file, const Expectation& expect) {
  CAPTURE(job_file);
  const Outcome of_fio = fio(job_file);
  const Outcome ours = x25sim_run(job_file);
  compare_totals(of_fio, ours, expect);
  compare_requests(of_fio, ours, expect);
}

}  // namespace x25sim::test
