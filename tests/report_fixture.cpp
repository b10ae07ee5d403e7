#include "tests/report_fixture.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <doctest/doctest.h>
#include <memory>
#include <sstream>

namespace x25sim::report {

using namespace std::chrono_literals;

namespace {

std::optional<std::string> output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe{popen(command.c_str(), "r"), pclose};
  if (!pipe) return std::nullopt;
  std::string output;
  std::array<char, 4096> part{};
  for (std::size_t size = 1; size > 0;) {
    size = std::fread(part.data(), 1, part.size(), pipe.get());
    output.append(part.data(), size);
  }
  if (output.empty()) return std::nullopt;
  return output;
}

}  // namespace

void add_requests(backend::JobResult& result, std::size_t direction, int count) {
  measure::DirectionStatistics& statistics = result.statistics.direction[direction];
  for (int i = 0; i < count; ++i) {
    const Duration completion = 100us + i * 1us;
    ++statistics.requests;
    statistics.bytes += Bytes{4096};
    statistics.submission.add(500ns);
    statistics.completion.add(completion);
    statistics.total.add(completion + 500ns);
    statistics.series.add(result.statistics.runtime * i / count, Bytes{4096});
    ++result.statistics.depth[measure::depth_level(8)];
    ++result.statistics.submit[measure::batch_level(1)];
    ++result.statistics.complete[measure::batch_level(1)];
  }
}

backend::JobResult mixed_job(const std::string& name, Duration runtime) {
  backend::JobResult result;
  result.job.name = name;
  result.job.options = {{"rw", "randrw"}, {"iodepth", "8"}};
  result.job.direction = workload::Direction::mixed;
  result.job.random = true;
  result.job.iodepth = 8;
  result.statistics.runtime = runtime;
  return result;
}

drive::DriveReport written_drive() {
  drive::DriveReport report;
  report.name = "test-drive";
  report.measured = 2s;
  report.counters.host_write = Bytes{4096} * 1000;
  report.counters.host_read = Bytes{4096} * 1000;
  report.counters.commands = 2000;
  report.counters.ftl.programs = {900, 300, 0, 25, 100};
  report.counters.ftl.reads = {1000, 300, 0, 0, 100};
  report.counters.ftl.erases = 10;
  report.counters.ftl.gc_runs = 10;
  report.busy = {.program_slots = 0.95,
                 .channels = 0.5,
                 .link = 0.25,
                 .firmware_front = 0.1,
                 .firmware_back = 0.2};
  report.bound = drive::bound_by(report.busy);
  report.wear = {.min = 1, .max = 9, .mean = 4.5, .stddev = 1.25};
  report.space = {
      .raw_pages = 1100, .gc_pages = 1000, .user_pages = 900, .valid_pages = 450, .free_blocks = 7};
  return report;
}

backend::RunResult mixed_result() {
  backend::RunResult result;
  result.jobs.push_back(mixed_job("mixed", 2s));
  add_requests(result.jobs[0], read_direction, 1000);
  add_requests(result.jobs[0], write_direction, 1000);
  result.drives.push_back(written_drive());
  result.prepared.push_back(written_drive());
  result.preparation_steps.push_back({written_drive()});
  result.preparation_steps[0][0].name = "filled";
  result.simulated = 2s;
  result.wall_s = 0.5;
  result.timed_wall_s = 0.25;
  result.flash_operations = 2735;
  return result;
}

ReportContext context_of(const backend::RunResult& result) {
  ReportContext context;
  context.version = "1.2.3";
  context.seed = 42;
  context.drives.assign(
      result.drives.size(),
      {Bytes{4096},
       {{"drive.sectors", "7200"}, {"nand.read_time", "50 us"}, {"nand.program_time", "900 us"}}});
  context.wall_clock = std::chrono::system_clock::time_point{1'234'567'890'123ms};
  return context;
}

std::optional<std::string> fio_output(const std::string& format) {
  const auto output = output_of(
      "fio --name=mixed --ioengine=null --size=16m --rw=randrw --bs=4k --iodepth=8 "
      "--output-format=" +
      format + " 2>/dev/null");
  if (!output) MESSAGE("skipped: fio is not installed");
  return output;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_no_undefined_number(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char character) { return std::isalnum(character) == 0 && character != '_'; },
      ' ');
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    CHECK(word != "nan");
    CHECK(word != "NaN");
    CHECK(word != "inf");
    CHECK(word != "Infinity");
  }
}

}  // namespace x25sim::report
