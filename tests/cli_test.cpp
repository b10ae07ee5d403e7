// The program as its user meets it: help, names, output formats, interruption, and equal results
// for equal seeds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "sim/config/drive_file.hpp"
#include "sim/config/experiment_file.hpp"
#include "tests/cli_fixture.hpp"

using namespace x25sim::test;

namespace {

using x25sim::config::drive_names;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Words words_of(const std::string& text) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The names of all commands, as the program's own help lists them.
Words command_names() {
  Words names;
  for (const std::string& line : lines_of(run_program({"--help"}).out)) {
    if (line.starts_with("  ")) names.push_back(words_of(line).front());
  }
  return names;
}

// The command line that a command's help gives as its example, without the program's name.
Words example_of(const std::string& help) {
  const std::vector<std::string> lines = lines_of(help);
  const auto heading = std::find(lines.begin(), lines.end(), "example:");
  REQUIRE(lines.end() - heading > 1);
  Words words = words_of(*(heading + 1));
  REQUIRE(words.front() == "x25sim");
  words.erase(words.begin());
  return words;
}

struct Span {
  std::int64_t start = 0;  // ns
  std::int64_t end = 0;
  std::string name;
  std::uint64_t detail = 0;
};

// The spans of a timeline by track, each in order of their start.
std::map<std::string, std::vector<Span>> spans_of(const std::string& path) {
  const auto nanoseconds = [](const Json& value) {
    return static_cast<std::int64_t>(std::llround(value.get<double>() * 1000));
  };
  const Json events = Json::parse(read_file(path)).at("traceEvents");
  std::map<std::int64_t, std::string> tracks;
  for (const Json& event : events) {
    if (event.at("name") == "thread_name") {
      tracks[event.at("tid")] = event.at("args").at("name").get<std::string>();
    }
  }
  std::map<std::string, std::vector<Span>> spans;
  for (const Json& event : events) {
    if (event.at("ph") != "X") continue;
    const std::int64_t start = nanoseconds(event.at("ts"));
    spans[tracks.at(event.at("tid"))].push_back({start, start + nanoseconds(event.at("dur")),
                                                 event.at("name").get<std::string>(),
                                                 event.at("args").at("detail")});
  }
  for (auto& [track, list] : spans) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Span& a, const Span& b) { return a.start < b.start; });
  }
  return spans;
}

constexpr const char* mixed_job = "rw=randrw\nbs=4k\nioengine=libaio\niodepth=4\nio_size=2m\n";

// An experiment of one's own with one question to one run.
std::string experiment_text(const std::string& figures) {
  return R"(experiment: own
question: How fast is a small drive?
cases:
  - name: random write
    prepare: [filled]
    metric: MB/s
    job: |
      [write]
      rw=randwrite
      bs=4k
      iodepth=4
      io_size=4m
    runs:
      - drive: x25-v-40
        set: [nand.blocks_per_die=32, nand.pages_per_block=16, drive.sectors=32000]
        figures: [)" +
         figures + "]\n";
}

}  // namespace

TEST_CASE("without a command the program shows its usage and refuses") {
  const ProgramResult result = run_program({});
  CHECK(result.status == 2);
  CHECK(contains(result.out + result.err, "usage: x25sim COMMAND"));
  for (const char* const word : {"--help", "-h", "help"}) {
    const ProgramResult help = run_program({word});
    CHECK(help.status == 0);
    CHECK(help.out == result.out);
  }
  const Words names = command_names();
  for (const char* const name : {"run", "replay", "experiment", "drives", "show"}) {
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
}

TEST_CASE("--version names the program and its version") {
  const ProgramResult result = run_program({"--version"});
  CHECK(result.status == 0);
  CHECK(result.out.starts_with("x25sim "));
  CHECK(words_of(result.out).size() == 2);
}

TEST_CASE("the help of every command has an example that works") {
  for (const std::string& command : command_names()) {
    CAPTURE(command);
    const ProgramResult help = run_program({command, "--help"});
    REQUIRE(help.status == 0);
    CHECK(help.err.empty());
    CHECK(help.out.starts_with("usage: x25sim " + command));
    const Words example = example_of(help.out);
    CHECK(example.front() == command);
    if (command == "experiment") {
      // Takes most of a minute; that it can be read and names runs is what matters here.
      CHECK_FALSE(x25sim::config::load_experiment(example.at(1)).cases.empty());
      continue;
    }
    const ProgramResult result = run_program(example, {.folder = X25SIM_SOURCE_DIR, .output = {}});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_FALSE(result.out.empty());
  }
}

TEST_CASE("unknown commands and options are refused with what may have been meant") {
  const auto error_of = [](const Words& words) {
    const ProgramResult result = run_program(words);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(error_of({"rnu"}).starts_with("x25sim: unknown command 'rnu', did you mean 'run'?"));
  CHECK(contains(error_of({"drvies"}), "did you mean 'drives'?"));
  CHECK(error_of({"--verison"}).starts_with("x25sim: unknown command '--verison'"));
  CHECK(error_of({"run", "--drvie", "x25-v-40"}) ==
        "x25sim: unknown option '--drvie', did you mean '--drive'?\n");
  CHECK(error_of({"replay", "--out-of-rnage", "wrap"}) ==
        "x25sim: unknown option '--out-of-rnage', did you mean '--out-of-range'?\n");
  // An abbreviation would change its meaning when another option is added.
  CHECK(contains(error_of({"run", "--driv", "x25-v-40"}), "unknown option '--driv'"));
  CHECK(contains(error_of({"show"}), "usage: x25sim show DRIVE"));
  CHECK(contains(error_of({"show", "x25-v-40", "x25-e-32"}), "unexpected argument 'x25-e-32'"));
  CHECK(contains(error_of({"run", "-d", "x25-v-40", "--seed"}), "--seed"));
}

TEST_CASE("names resolve from wherever the program is started") {
  const TemporaryFolder folder;
  const ProgramPlace elsewhere{.folder = folder.path(), .output = {}};
  const ProgramResult drives = run_program({"drives"}, elsewhere);
  CHECK(drives.status == 0);
  for (const std::string& name : drive_names()) {
    CAPTURE(name);
    CHECK(contains(drives.out, name));
    const ProgramResult show = run_program({"show", name}, elsewhere);
    CHECK(show.status == 0);
    CHECK(contains(show.out, "configs/drives/" + name + ".yaml"));
  }
  folder.write("relative.fio", "[job]\nrw=read\nbs=4k\nio_size=64k\n");
  const ProgramResult run =
      run_program(Words{"run"} + small_drive() + Words{"relative.fio"}, elsewhere);
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(
      contains(run_program({"experiment", "why-hafl"}, elsewhere).err, "did you mean 'why-half'"));
}

TEST_CASE("equal seeds give equal bytes but for the wall clock, other seeds other offsets") {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& seed, const std::string& timeline) {
    return run_json(run_arguments(folder, mixed_job) + Words{"--prepare", "used", "--seed", seed,
                                                             "--timeline", folder.file(timeline)});
  };
  const std::string first = without_wall_clock(run("7", "a.json"));
  CHECK(first == without_wall_clock(run("7", "b.json")));
  CHECK(read_file(folder.file("a.json")) == read_file(folder.file("b.json")));
  CHECK(first != without_wall_clock(run("8", "c.json")));

  const auto offsets = [&](const std::string& timeline) {
    std::vector<std::pair<std::int64_t, std::uint64_t>> result;
    for (const auto& [track, spans] : spans_of(folder.file(timeline))) {
      if (!track.starts_with("host")) continue;
      for (const Span& span : spans) result.emplace_back(span.start, span.detail);
    }
    std::sort(result.begin(), result.end());
    return result;
  };
  CHECK(offsets("a.json").size() == 512);
  CHECK(offsets("a.json") != offsets("c.json"));
}

TEST_CASE("a replay gives equal bytes, and so does an experiment") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("a.trace", "0 0 0 64 0\n90000 0 8 8 1\n95000 0 800 8 0\n");
  const Words replay =
      Words{"replay"} + small_drive() + Words{"--prepare", "used", "--format", "mqsim", trace};
  CHECK(without_wall_clock(run_json(replay)) == without_wall_clock(run_json(replay)));

  const std::string file = folder.write("own.yaml", experiment_text(""));
  const auto experiment = [&](const std::string& seed) {
    return run_json({"experiment", file, "--seed", seed}).dump();
  };
  const std::string first = experiment("3");
  CHECK(first == experiment("3"));
  CHECK(first != experiment("4"));
}

TEST_CASE("an experiment prints its rows and verdict, and its exit status follows the verdict") {
  const TemporaryFolder folder;
  const Json passed = run_json({"experiment", folder.write("own.yaml", experiment_text(""))});
  CHECK(passed["experiment"] == "own");
  CHECK(passed["verdict"] == "pass");
  CHECK(passed["fitted_parameters"].is_array());
  for (const Json& parameter : passed["fitted_parameters"]) {
    for (const char* const key : {"name", "value", "row"}) CHECK(parameter.contains(key));
  }

  // P28 is the sequential write of a drive of ten channels: this one can't reach it.
  const ProgramResult failed =
      run_program({"experiment", folder.write("missed.yaml", experiment_text("P28")),
                   "--output-format", "json"});
  CHECK(failed.status == 1);
  const Json report = Json::parse(failed.out);
  CHECK(report["verdict"] == "fail");
  REQUIRE(report["rows"].size() == 1);
  for (const char* const key : {"id", "drive", "metric", "simulated", "published", "low", "high",
                                "unit", "error", "verdict", "bound_by", "role"}) {
    CAPTURE(key);
    CHECK(report["rows"][0].contains(key));
  }
  CHECK(report["rows"][0]["id"] == "P28");
  CHECK(report["rows"][0]["verdict"] == "fail");
}

TEST_CASE("each output format is what it says") {
  const TemporaryFolder folder;
  const Words arguments = run_arguments(folder, mixed_job);
  const auto output = [&](const std::string& format) {
    const ProgramResult result = run_program(arguments + Words{"--output-format", format});
    CHECK(result.status == 0);
    return result.out;
  };
  CHECK(run_program(arguments).out.starts_with("job: (g=0): rw=randrw"));
  CHECK(output("normal").starts_with("job: (g=0): rw=randrw"));
  CHECK(output("terse").starts_with("3;"));
  CHECK_FALSE(Json::parse(output("json"))["jobs"][0]["read"]["clat_ns"].contains("bins"));
  CHECK(Json::parse(output("json+"))["jobs"][0]["read"]["clat_ns"].contains("bins"));
}

TEST_CASE("--output writes the result to a file alone") {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program(run_arguments(folder, mixed_job) +
                  Words{"--output-format", "json", "--output", folder.file("result.json")});
  CHECK(result.status == 0);
  CHECK(result.out.empty());
  CHECK(Json::parse(read_file(folder.file("result.json"))).contains("x25sim"));
}

TEST_CASE("piped there is no progress line, and --quiet leaves out the notices") {
  const TemporaryFolder folder;
  const Words arguments = run_arguments(folder, mixed_job);
  const ProgramResult result = run_program(arguments);
  CHECK(contains(result.err, "ignored: ioengine"));
  CHECK_FALSE(contains(result.err, "\r"));
  CHECK(run_program(arguments + Words{"--quiet"}).err.empty());
}

TEST_CASE("an interrupted run prints what it has measured, and its status is 130") {
  const TemporaryFolder folder;
  const std::string timeline = folder.file("timeline.json");
  Program program(
      run_arguments(folder,
                    "rw=randwrite\nbs=4k\niodepth=4\nsize=4m\ntime_based\nruntime=8000000\n") +
      Words{"--output-format", "json", "--timeline", timeline});
  // The first part of the timeline is written when the run is well under way.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::error_code error;
  while (std::filesystem::file_size(timeline, error) == 0 || error) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  program.send_signal(SIGINT);
  const ProgramResult result = program.wait();
  CHECK(result.status == 130);
  const Json report = Json::parse(result.out);
  CHECK(report["x25sim"]["interrupted"] == true);
  CHECK(report["jobs"][0]["write"]["total_ios"] > 0);
  CHECK(drive_of(report)["host_write_bytes"] == report["jobs"][0]["write"]["io_bytes"]);
  CHECK_FALSE(Json::parse(read_file(timeline))["traceEvents"].empty());
}

TEST_CASE("a timeline's spans lie within the run and do not overlap on their track") {
  const TemporaryFolder folder;
  const std::string timeline = folder.file("timeline.json");
  const Json report = run_json(run_arguments(folder, mixed_job) +
                               Words{"--prepare", "used", "--timeline", timeline});
  const auto end =
      static_cast<std::int64_t>(std::llround(report["x25sim"]["simulated_s"].get<double>() * 1e9));
  const auto tracks = spans_of(timeline);
  std::uint64_t programs = 0;
  std::uint64_t erases = 0;
  for (const auto& [track, spans] : tracks) {
    CAPTURE(track);
    std::int64_t free_from = 0;
    bool apart = true;
    for (const Span& span : spans) {
      apart = apart && span.start >= free_from && span.end >= span.start;
      free_from = span.end;
      if (!track.starts_with("die")) continue;
      programs += span.name == "program" ? 1 : 0;
      erases += span.name == "erase" ? 1 : 0;
    }
    CHECK(apart);
    CHECK(free_from <= end);
  }
  // One track for each channel and die of the drive.
  for (int number = 0; number < 5; ++number) {
    CHECK(tracks.count("channel " + std::to_string(number)) == 1);
  }
  for (int number = 0; number < 10; ++number) {
    CHECK(tracks.count("die " + std::to_string(number)) == 1);
  }
  CHECK(programs == sum(drive_of(report)["nand_program_pages"]));
  CHECK(erases == drive_of(report)["erases"].get<std::uint64_t>());
}
