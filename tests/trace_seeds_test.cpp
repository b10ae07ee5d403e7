// The seeds of tests/fuzz.sh: samples of every trace format, which are sound.
#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <string>

#include "sim/trace/formats.hpp"
#include "tests/program.hpp"

using namespace x25sim;
using namespace x25sim::trace;

namespace {

const std::filesystem::path seeds_folder =
    std::filesystem::path(X25SIM_SOURCE_DIR) / "tests/fuzz/seeds";

// Reads to the end, which throws InputError for a damaged line; the number of records.
int records_of(const NamedFormat& named, std::string content) {
  ReaderOptions options;
  options.arguments = named.arguments;
  if (named.arguments == "*") {
    const std::size_t end = content.find('\n');
    options.arguments = content.substr(0, end);
    content.erase(0, end + 1);
  }
  const auto reader = named.format->open(ByteSource::in_memory("seed", content), options);
  int records = 0;
  while (reader->next()) ++records;
  return records;
}

}  // namespace

TEST_CASE("every trace format has seeds for the fuzzer, which are read to their ends") {
  std::set<std::string_view> with_seeds;
  for (const auto& folder : std::filesystem::directory_iterator(seeds_folder)) {
    if (folder.path().filename() == "job") continue;
    const NamedFormat named = named_format(test::read_file(folder.path() / "format"));
    for (const auto& seed : std::filesystem::directory_iterator(folder)) {
      if (seed.path().filename() == "format") continue;
      CAPTURE(seed.path().string());
      CHECK(records_of(named, test::read_file(seed.path())) > 0);
      with_seeds.insert(named.format->name);
    }
  }
  for (const Format& format : formats()) {
    CAPTURE(format.name);
    CHECK(with_seeds.count(format.name) == 1);
  }
}
