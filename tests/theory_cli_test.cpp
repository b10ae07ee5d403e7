// `x25sim theory`, as its user meets it.
#include <algorithm>
#include <doctest/doctest.h>
#include <sstream>

#include "tests/cli_fixture.hpp"
#include "tests/near.hpp"

using namespace x25sim::test;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Words split(const std::string& text, char separator) {
  std::istringstream stream(text);
  Words parts;
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

// `words` are separated by blanks.
ProgramResult theory(const std::string& words) {
  return run_program(Words{"theory"} + split(words, ' '));
}

Json theory_json(const std::string& words) {
  const ProgramResult result = theory(words);
  INFO(words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(result.err.empty());
  return Json::parse(result.out);
}

double value(const Json& json, const char* name) { return json.at(name).get<double>(); }

std::string error_of(const std::string& words) {
  const ProgramResult result = theory(words);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  return result.err;
}

constexpr const char* subjects[] = {"wa", "span", "transient", "wear", "iops"};

}  // namespace

TEST_CASE("theory wa prints the write amplification of each policy") {
  const auto amplification = [](const std::string& words) {
    return value(theory_json("wa " + words), "write_amplification");
  };
  CHECK(near(amplification("--policy greedy --spare-factor 0.0687 --pages-per-block 128"), 7.0630,
             1e-4));
  CHECK(near(amplification("--policy fifo --spare-factor 0.0687 --pages-per-block 128"), 7.4527,
             1e-4));
  CHECK(near(amplification("--policy random --spare-factor 0.1 --pages-per-block 64"), 10, 1e-9));
  CHECK(near(amplification("--policy d-choices --d 10 --spare-factor 0.1 --pages-per-block 64"),
             5.0002, 1e-4));
  // A --d that no policy asks for does no harm.
  CHECK(near(amplification("--policy greedy --d 4 --spare-factor 0.1 --pages-per-block 64"), 4.8213,
             1e-4));
  CHECK(near(amplification("--spare-factor=0.1 --request-pages=8"), 3.9814, 1e-4));
}

TEST_CASE("theory wa knows hot pages and trims") {
  const Json fifo =
      theory_json("wa --policy fifo --spare-factor 0.1 --hot-fraction 0.2 --hot-writes 0.8");
  CHECK(near(value(fifo, "write_amplification"), 5.5378, 1e-4));
  CHECK(near(value(fifo, "write_amplification_uniform"), 5.1787, 1e-4));
  CHECK(near(value(fifo, "write_amplification_separate"), 3.5712, 1e-4));
  CHECK(near(value(fifo, "hot_space"), 0.2298, 1e-4));
  const Json choices = theory_json(
      "wa --policy d-choices --d 10 --pages-per-block 32 --spare-factor 0.1 --hot-fraction 0.2 "
      "--hot-writes 0.8");
  CHECK(near(value(choices, "write_amplification"), 5.0714, 1e-4));
  const Json random =
      theory_json("wa --policy random --spare-factor 0.1 --hot-fraction 0.2 --hot-writes 0.8");
  CHECK(near(value(random, "write_amplification"), 10, 1e-9));
  const Json trims = theory_json("wa --spare-factor 0.0687 --pages-per-block 128 --trim-share 0.2");
  CHECK(near(value(trims, "write_amplification"), 1.8466, 1e-4));
  CHECK(near(value(trims, "in_use_share"), 0.75, 1e-9));
  CHECK(near(value(trims, "spare_factor_effective"), 0.30153, 1e-5));
}

TEST_CASE("theory iops prints busy dies and rates, with and without channels") {
  const Json dies = theory_json("iops --dies 10 --queue-depth 8 --read-time 50us");
  CHECK(near(value(dies, "busy_dies"), 5.4461, 1e-4));
  CHECK(near(value(dies, "iops"), value(dies, "busy_dies") / 50e-6, 1e-6));
  CHECK(near(value(dies, "iops") * value(dies, "response_time_us"), 8e6, 1e-3));
  CHECK(near(value(dies, "busy_dies_exponential"), 4.7059, 1e-4));
  const Json exponential = theory_json("iops --dies 10 --queue-depth 8 --service exponential");
  CHECK(near(value(exponential, "busy_dies"), 4.7059, 1e-4));
  const Json deep = theory_json("iops --dies 10 --queue-depth 64 --drives 2");
  CHECK(value(deep, "busy_dies") == value(deep, "busy_dies_lower_bound"));
  CHECK(near(value(deep, "scaling"), 1.84, 0.006));
  const Json network = theory_json(
      "iops --dies 10 --queue-depth 8 --channels 5 --read-time 50us --transfer-time 100us "
      "--link-time 15us");
  CHECK(near(value(network, "iops"), 28663, 0.51));
  CHECK(near(value(network, "iops_upper_bound"), 48485, 0.51));
  CHECK(near(value(network, "iops_lower_bound"), 6061, 0.51));
  CHECK(near(value(network, "busy_dies"), value(network, "iops") * 50e-6, 1e-9));
  // Two drives have two links.
  const Json array = theory_json("iops --dies 10 --queue-depth 64 --link-time 15us --drives 2");
  CHECK(value(array, "iops") > 1 / 15e-6);
  CHECK(value(array, "scaling") > 1);
  CHECK(value(array, "scaling") <= 2);
}

TEST_CASE("theory span tells what a part of a drive and several drives bring") {
  const std::string drive = "span --raw 40GiB --addressable 40.02066432GB --data 34GB ";
  const Json two = theory_json(drive + "--drives 2");
  CHECK(near(value(two, "write_amplification"), 1.1102, 1e-4));
  CHECK(near(value(two, "write_amplification_full"), 7.1086, 1e-4));
  CHECK(near(value(two, "scaling"), 4.59, 0.006));
  CHECK(near(value(two, "write_amplification_stale"), 3.4993, 1e-4));
  CHECK(near(value(two, "scaling_stale"), 3.54, 0.006));
  const Json fifo = theory_json(drive + "--policy fifo");
  CHECK(near(value(fifo, "write_amplification_stale"), 7.5365, 1e-4));
  const Json choices = theory_json(drive + "--policy d-choices --d 10");
  CHECK(near(value(choices, "write_amplification"), 2.6153, 1e-4));
  CHECK_FALSE(choices.contains("write_amplification_stale"));
  // Data that one drive cannot hold have no scaling from one drive.
  const Json large = theory_json("span --raw 40GiB --addressable 40GB --data 60GB --drives 2");
  CHECK_FALSE(large.contains("scaling"));
}

TEST_CASE("theory transient and wear print times, spreads and lifetimes") {
  const Json transient = theory_json("transient --policy fifo --spare-factor 0.1 --drive-writes 3");
  CHECK(near(value(transient, "write_amplification"), 3.64, 0.006));
  CHECK(near(value(transient, "filled_write_amplification_onset"), 9.51, 0.006));
  CHECK(near(value(transient, "empty_gc_start"), 1.1111, 1e-4));
  const Json roomy = theory_json("transient --spare-factor 0.9");
  CHECK_FALSE(roomy.contains("empty_within_5_percent"));
  const Json spread = theory_json(
      "wear --policy d-choices --d 10 --spare-factor 0.1 --pages-per-block 64 --cycles 5000 "
      "--blocks 8192 --raw 40GiB");
  CHECK(near(value(spread, "erase_dispersion"), 0.09128, 1e-5));
  CHECK(near(value(spread, "erase_stddev"), 21, 0.5));
  CHECK(near(value(spread, "wear_factor"), value(spread, "erase_max") / 5000, 1e-9));
  const Json rated = theory_json(
      "wear --write-amplification 1.1 --wear-factor 1.1 --raw 80GB --cycles 552 "
      "--host-writes-per-day 20GB");
  CHECK(near(value(rated, "lifetime_years"), 5, 0.01));
  const Json alone =
      theory_json("wear --write-amplification 1 --static-share 0.5 --raw 1GB --cycles 100");
  CHECK(near(value(alone, "lifetime_bytes"), 50e9, 1));
  const Json levelled = theory_json(
      "wear --write-amplification 2 --static-share 0.5 --swap-threshold 20 --raw 1GB --cycles 100");
  CHECK(near(value(levelled, "write_amplification_levelled"), 2.05, 1e-9));
}

TEST_CASE("theory writes JSON, CSV or a table, and to a file") {
  const std::string question = "wa --policy fifo --spare-factor 0.1";
  const Json json = theory_json(question);
  CHECK(json == theory_json(question + " --output-format json"));
  CHECK(json.begin().key() == "write_amplification");
  CHECK(json.at("inputs").at("policy") == "fifo");
  CHECK(json.at("inputs").at("spare_factor") == 0.1);
  CHECK(contains(json.at("formulas").at("write_amplification").get<std::string>(), "Lambert"));
  CHECK(json.at("units").at("host_pages_per_victim") == "pages");

  const ProgramResult csv = theory(question + " --output-format csv");
  const Words lines = split(csv.out, '\n');
  REQUIRE(lines.size() == 2);
  const Words names = split(lines[0], ',');
  const Words numbers = split(lines[1], ',');
  REQUIRE(names.size() == numbers.size());
  const auto column = std::find(names.begin(), names.end(), "write_amplification");
  REQUIRE(column != names.end());
  CHECK(std::stod(numbers[static_cast<std::size_t>(column - names.begin())]) ==
        value(json, "write_amplification"));

  const ProgramResult text = theory(question + " --output-format normal");
  CHECK(contains(text.out, "write amplification"));
  CHECK(contains(text.out, "5.178"));
  CHECK(contains(text.out, "Lambert W"));

  const TemporaryFolder folder;
  const ProgramResult silent = theory(question + " --output " + folder.file("out.json"));
  CHECK(silent.status == 0);
  CHECK(silent.out.empty());
  CHECK(Json::parse(read_file(folder.file("out.json"))) == json);
  CHECK(theory(question + " --output " + folder.file("none/out.json")).status == 3);
}

TEST_CASE("the help of every subject of theory has an example that works") {
  const ProgramResult overview = theory("--help");
  CHECK(overview.status == 0);
  for (const char* const subject : subjects) {
    CAPTURE(subject);
    CHECK(contains(overview.out, std::string("\n  ") + subject + " "));
    const ProgramResult help = theory(std::string(subject) + " --help");
    CHECK(help.status == 0);
    CHECK(help.out.starts_with(std::string("usage: x25sim theory ") + subject));
    const std::size_t example = help.out.find("example:\n  x25sim theory ");
    REQUIRE(example != std::string::npos);
    std::string words = help.out.substr(example + 25);
    words.pop_back();
    CHECK_FALSE(theory_json(words).empty());
  }
}

TEST_CASE("every example of theory in the README works") {
  std::istringstream readme(read_file(X25SIM_SOURCE_DIR "/README.md"));
  const std::string command = "x25sim theory ";
  std::size_t examples = 0;
  for (std::string line; std::getline(readme, line);) {
    if (!line.starts_with(command)) continue;
    ++examples;
    CHECK_FALSE(theory_json(line.substr(command.size())).empty());
  }
  CHECK(examples >= 12);
}

TEST_CASE("theory refuses what is out of range with the option, what was expected and found") {
  CHECK(contains(error_of(""), "expected a subject (wa, span, transient, wear or iops)"));
  CHECK(contains(error_of("waer"), "did you mean 'wear'?"));
  CHECK(contains(error_of("wa"),
                 "--spare-factor: expected a number from 0.001 to 0.999, found "
                 "nothing"));
  struct Wrong {
    const char* words;
    const char* option;
    const char* found;
  };
  for (const Wrong& wrong : {
           Wrong{"wa --spare-factor 1.5", "--spare-factor", "1.5"},
           Wrong{"wa --spare-factor 0", "--spare-factor", "0"},
           Wrong{"wa --spare-factor nan", "--spare-factor", "nan"},
           Wrong{"wa --spare-factor 7%", "--spare-factor", "7%"},
           Wrong{"wa --spare-factor 0.1 --policy lru", "--policy", "lru"},
           Wrong{"wa --spare-factor 0.1 --pages-per-block 0", "--pages-per-block", "0"},
           Wrong{"wa --spare-factor 0.1 --pages-per-block 1.5", "--pages-per-block", "1.5"},
           Wrong{"wa --spare-factor 0.1 --policy d-choices --d 0", "--d", "0"},
           Wrong{"wa --spare-factor 0.1 --d x", "--d", "x"},
           Wrong{"wa --spare-factor 0.1 --request-pages 3", "--request-pages", "3"},
           Wrong{"wa --spare-factor 0.1 --trim-share 0.5", "--trim-share", "0.5"},
           Wrong{"wa --spare-factor 0.1 --hot-fraction 0.2", "--hot-writes", "nothing"},
           Wrong{"wa --spare-factor 0.1 --hot-writes 0.2", "--hot-fraction", "nothing"},
           Wrong{"wa --spare-factor 0.1 --hot-fraction 1 --hot-writes 0.8", "--hot-fraction", "1"},
           Wrong{"wa --spare-factor 0.1 --hot-fraction 0.2 --hot-writes 0.8 --trim-share 0.1",
                 "--trim-share", "0.1"},
           Wrong{"wa --spare-factor 0.1 --hot-fraction 0.2 --hot-writes 0.8 --pages-per-block 1024",
                 "--pages-per-block", "1024"},
           Wrong{"wa --spare-factor 0.005 --hot-fraction 0.2 --hot-writes 0.8", "--spare-factor",
                 "0.005"},
           Wrong{"wa --spare-factor 0.1 --output-format xml", "--output-format", "xml"},
           Wrong{"span --raw 40GB --addressable 40GB --data 1GB", "--addressable", "40GB"},
           Wrong{"span --raw 40GB --addressable 30GB --data 31GB", "--data", "31GB"},
           Wrong{"span --raw 40GB --addressable 30GB --data 1kB", "--data", "1kB"},
           Wrong{"span --raw 40 --addressable 30GB --data 1GB", "--raw", "40"},
           Wrong{"span --raw 0GB --addressable 30GB --data 1GB", "--raw", "0GB"},
           Wrong{"span --raw 40GB --addressable 30GB", "--data", "nothing"},
           Wrong{"transient --spare-factor 0.1 --drive-writes 1e9", "--drive-writes", "1e9"},
           Wrong{"wear --spare-factor 0.1 --raw 1GB", "--cycles", "nothing"},
           Wrong{"wear --spare-factor 0.1 --cycles 10 --wear-factor 2", "--raw", "nothing"},
           Wrong{"wear --write-amplification 2 --spare-factor 0.1", "--spare-factor", "0.1"},
           Wrong{"wear --spare-factor 0.1 --static-share 1", "--static-share", "1"},
           Wrong{"iops --dies 10", "--queue-depth", "nothing"},
           Wrong{"iops --dies 0 --queue-depth 1", "--dies", "0"},
           Wrong{"iops --dies 5000 --queue-depth 1", "--dies", "5000"},
           Wrong{"iops --dies 10 --queue-depth 1 --read-time 50", "--read-time", "50"},
           Wrong{"iops --dies 10 --queue-depth 1 --read-time 0us", "--read-time", "0us"},
           Wrong{"iops --dies 10 --queue-depth 1 --transfer-time 1us", "--channels", "nothing"},
           Wrong{"iops --dies 10 --queue-depth 1 --channels 5 --service deterministic", "--service",
                 "deterministic"},
       }) {
    CAPTURE(wrong.words);
    const std::string error = error_of(wrong.words);
    CHECK(error.starts_with(std::string("x25sim: ") + wrong.option + ": expected "));
    const bool nothing = std::string(wrong.found) == "nothing";
    const std::string quote = nothing ? "" : "\"";
    CHECK(contains(error, "found " + quote + wrong.found + quote));
  }
}

TEST_CASE("theory refuses unknown options and stray words") {
  CHECK(contains(error_of("wa --spare-facto 0.1"), "did you mean '--spare-factor'?"));
  CHECK(contains(error_of("wa 0.1"), "unexpected argument '0.1'"));
  CHECK(contains(error_of("wa --spare-factor"), "--spare-factor"));
  CHECK(contains(error_of("wa --spare-factor 0.1 --spare-factor 0.2"), "--spare-factor"));
}
