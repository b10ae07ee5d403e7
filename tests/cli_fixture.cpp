#include "tests/cli_fixture.hpp"

#include <doctest/doctest.h>

#include "sim/report/fio_json.hpp"

namespace x25sim::test {

Words small_drive() {
  return {"-d",    "x25-v-40",
          "--set", "nand.blocks_per_die=32",
          "--set", "nand.pages_per_block=16",
          "--set", "drive.sectors=" + std::to_string(small_bytes / 512)};
}

Words operator+(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Words run_arguments(const TemporaryFolder& folder, const std::string& options) {
  return Words{"run"} + small_drive() + Words{folder.write("job.fio", "[job]\n" + options)};
}

Json run_json(const Words& arguments) {
  const ProgramResult result = run_program(arguments + Words{"--output-format", "json"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  return Json::parse(result.out);
}

Json run_job(const std::string& options, const Words& further_arguments) {
  const TemporaryFolder folder;
  return run_json(run_arguments(folder, options) + further_arguments);
}

const Json& drive_of(const Json& report) {
  REQUIRE(report.at("x25sim").at("drives").size() == 1);
  return report.at("x25sim").at("drives").at(0);
}

std::string without_wall_clock(Json report) {
  for (const std::string_view field : report::wall_clock_fields) {
    const Json::json_pointer pointer{std::string{field}};
    CHECK(report.contains(pointer));
    report[pointer] = nullptr;
  }
  return report.dump(2);
}

std::uint64_t sum(const Json& numbers) {
  std::uint64_t total = 0;
  for (const Json& number : numbers) total += number.get<std::uint64_t>();
  return total;
}

}  // namespace x25sim::test
