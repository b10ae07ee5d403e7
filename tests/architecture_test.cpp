// The rules of ARCHITECTURE.md and of the source's style, held against every source file.
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/program.hpp"

namespace {

namespace fs = std::filesystem;

// The rooms, each of which may include itself and those before it.
constexpr std::array<std::string_view, 12> rooms{
    "nand",      "ftl",         "sim/kernel", "sim/measure", "sim/workload", "sim/trace",
    "sim/drive", "sim/backend", "sim/model",  "sim/config",  "sim/report",   "sim/app"};

// Third-party libraries and the only room that may see each; all of it stays behind .cpp files.
struct Library {
  std::string_view prefix;
  std::string_view room;  // empty: any
};
constexpr std::array<Library, 10> libraries{{{"Eigen/", "sim/model"},
                                             {"zlib.h", "sim/trace"},
                                             {"lzma.h", "sim/trace"},
                                             {"zstd.h", "sim/trace"},
                                             {"unsupported/Eigen/", "sim/model"},
                                             {"yaml-cpp/", "sim/config"},
                                             {"boost/", "sim/app"},
                                             {"nlohmann/", "sim/report"},
                                             {"xxhash.h", "sim/backend"},
                                             {"fmt/", ""}}};

constexpr std::array<std::string_view, 3> system_folders{"sys/", "linux/", "netinet/"};

constexpr std::size_t lines_max = 500;
constexpr std::size_t columns_max = 100;

struct SourceFile {
  std::string path;  // from the project's folder on
  std::string text;
};

std::optional<std::size_t> room_of(std::string_view path) {
  for (std::size_t room = 0; room < rooms.size(); ++room) {
    const std::string_view name = rooms[room];
    if (path.starts_with(name) && path.substr(name.size()).starts_with('/')) return room;
  }
  return {};
}

// The tests' own drive and FTL, which share no code with what they are compared with.
bool is_plain_test(std::string_view path) {
  return path.starts_with("tests/plain_") || path.starts_with("tests/reference_");
}

// Columns of a line: bytes that do not continue a character of UTF-8.
std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

// Collects what breaks a rule, as "path:line: what".
class Checker {
 public:
  const std::vector<std::string>& violations() const { return violations_; }

  void check(const SourceFile& file) {
    std::istringstream stream(file.text);
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
      place_ = file.path + ":" + std::to_string(++number) + ": ";
      check_line(line);
      check_include(file.path, line);
    }
    check_test_names(file);
    place_ = file.path + ":1: ";
    if (number > lines_max) report("more than 500 lines");
    if (!file.text.empty() && !file.text.ends_with('\n')) report("no end of the last line");
    if (file.path.ends_with(".hpp") && file.text.find("#pragma once\n") == std::string::npos) {
      report("no #pragma once");
    }
  }

 private:
  void report(const std::string& what) { violations_.push_back(place_ + what); }

  void check_line(const std::string& line) {
    if (columns(line) > columns_max) report("more than 100 columns");
    if (line.find('\t') != std::string::npos) report("a tab");
    if (line.find('\r') != std::string::npos) report("a carriage return");
    if (line.ends_with(' ')) report("blanks at the end");
    // In two parts each, or this file would break its own rules.
    for (const char* const mark : {"TO"
                                   "DO",
                                   "FIX"
                                   "ME"}) {
      if (line.find(mark) != std::string::npos) report(std::string("a ") + mark);
    }
    if (line.find("std::"
                  "views") != std::string::npos)
      report("views, which Clang before 16 does not compile");
  }

  // Names that CTest does not bear, in all lines from TEST_CASE( to the test's body.
  void check_test_names(const SourceFile& file) {
    constexpr std::string_view begin = "TEST_CASE(";
    for (std::size_t at = 0; (at = file.text.find(begin, at)) != std::string::npos; ++at) {
      if (at > 0 && file.text[at - 1] != '\n') continue;
      const std::string head = file.text.substr(at, file.text.find(") {", at) - at);
      const std::size_t suite = head.find("doctest::test_suite(");
      const std::string name = head.substr(0, std::min(suite, head.rfind('"')));
      const auto line =
          std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      place_ = file.path + ":" + std::to_string(line + 1) + ": ";
      // Two tests would be made of it, of which neither runs anything.
      if (name.find(';') != std::string::npos) report("a semicolon in the name of a test");
      // The test would lose its label, and be run with those that are not long.
      if (suite != std::string::npos && name.find(',') != std::string::npos) {
        report("a comma in the name of a test of a suite");
      }
    }
  }

  void check_include(const std::string& path, const std::string& line) {
    constexpr std::string_view directive = "#include ";
    if (!line.starts_with(directive) || line.size() < directive.size() + 2) return;
    const char open = line[directive.size()];
    const std::string rest = line.substr(directive.size() + 1);
    const std::string header = rest.substr(0, rest.find(open == '<' ? '>' : '"'));
    if (open == '<') {
      if (room_of(path)) check_library(path, header);
    } else {
      check_arrow(path, header);
    }
  }

  // An include of one of the project's own headers.
  void check_arrow(const std::string& path, const std::string& header) {
    const auto from = room_of(path);
    const auto to = room_of(header);
    if (from) {
      if (!to) {
        report("includes " + header + ", which is in no room");
      } else if (*to > *from) {
        report(std::string(rooms[*from]) + " includes " + std::string(rooms[*to]));
      }
      return;
    }
    if (!to && !header.starts_with("tests/")) report("includes " + header + " by a relative path");
    if (!is_plain_test(path)) return;
    if (header.starts_with("nand/") || is_plain_test(header)) return;
    report(path + " includes " + header + " of what it is to check");
  }

  void check_library(const std::string& path, const std::string& header) {
    const auto starts = [&header](std::string_view prefix) { return header.starts_with(prefix); };
    if (std::any_of(system_folders.begin(), system_folders.end(), starts)) return;
    for (const Library& library : libraries) {
      if (!starts(library.prefix)) continue;
      if (!path.ends_with(".cpp")) report("a header includes <" + header + ">");
      if (!library.room.empty() && rooms[*room_of(path)] != library.room) {
        report("<" + header + "> outside " + std::string(library.room));
      }
      return;
    }
    if (header.find('/') == std::string::npos) return;  // the standard library and C's
    report("unknown library <" + header + ">");
  }

  std::vector<std::string> violations_;
  std::string place_;
};

std::vector<std::string> violations_of(const std::string& path, const std::string& text) {
  Checker checker;
  checker.check({path, text});
  return checker.violations();
}

std::vector<SourceFile> sources() {
  const fs::path root = X25SIM_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const char* const folder : {"nand", "ftl", "sim", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      files.push_back({fs::relative(entry.path(), root).generic_string(),
                       x25sim::test::read_file(entry.path())});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

// The project's own headers that a source includes.
std::vector<std::string> own_headers(const std::string& text) {
  constexpr std::string_view directive = "#include \"";
  std::vector<std::string> headers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(directive)) continue;
    const std::string rest = line.substr(directive.size());
    headers.push_back(rest.substr(0, rest.find('"')));
  }
  return headers;
}

using Violations = std::vector<std::string>;

}  // namespace

TEST_CASE("no source file breaks a rule of the architecture or of the style") {
  const std::vector<SourceFile> files = sources();
  CHECK(files.size() > 100);
  Checker checker;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with("tests/")) {
      INFO(file.path);
      CHECK(room_of(file.path).has_value());
    }
    checker.check(file);
  }
  for (const std::string& violation : checker.violations()) FAIL_CHECK(violation);
}

TEST_CASE("each room's library links the rooms that its sources include, and no others") {
  const auto target_of = [](std::size_t room) {
    std::string target(rooms[room]);
    std::replace(target.begin(), target.end(), '/', '_');
    return target;
  };
  const std::vector<SourceFile> files = sources();
  for (std::size_t room = 0; room < rooms.size(); ++room) {
    std::set<std::string> included;
    for (const SourceFile& file : files) {
      if (room_of(file.path) != room) continue;
      for (const std::string& header : own_headers(file.text)) {
        const auto to = room_of(header);
        if (to && *to != room) included.insert(target_of(*to));
      }
    }
    std::istringstream words(
        x25sim::test::read_file(fs::path(X25SIM_SOURCE_DIR) / rooms[room] / "CMakeLists.txt"));
    std::set<std::string> linked;
    for (std::string word; words >> word;) {
      word.erase(std::remove(word.begin(), word.end(), ')'), word.end());
      for (std::size_t other = 0; other < rooms.size(); ++other) {
        if (other != room && word == target_of(other)) linked.insert(word);
      }
    }
    CAPTURE(rooms[room]);
    CHECK(linked == included);
  }
}

TEST_CASE("ARCHITECTURE.md lists the rooms that are checked, in their order") {
  const std::string page = x25sim::test::read_file(fs::path(X25SIM_SOURCE_DIR) / "ARCHITECTURE.md");
  const std::size_t begin = page.find("```\n", page.find("## Rooms and arrows"));
  const std::size_t end = page.find("```\n", begin + 1);
  REQUIRE(end != std::string::npos);
  std::istringstream block(page.substr(begin + 4, end - begin - 4));
  std::vector<std::string> listed;
  for (std::string line; std::getline(block, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "^" || name == "sim") continue;  // an arrow, and the heading of sim's rooms
    if (line.starts_with(' ')) name.insert(0, "sim/");
    listed.push_back(name);
  }
  CHECK(listed == std::vector<std::string>(rooms.begin(), rooms.end()));
}

TEST_CASE("a test name that CTest would cut in two or leave without its label is found") {
  const auto of_test = [](const std::string& test) {
    return violations_of("tests/a.cpp", "// A test.\n" + test + " {\n  f();\n}\n");
  };
  const Violations semicolon{"tests/a.cpp:2: a semicolon in the name of a test"};
  CHECK(of_test("TEST_CASE(\"one; two\")") == semicolon);
  CHECK(of_test("TEST_CASE(\n    \"one; two\")") == semicolon);
  CHECK(of_test("TEST_CASE(\"one, two\")").empty());
  const std::string suite = " * doctest::test_suite(\"long\"))";
  const Violations comma{"tests/a.cpp:2: a comma in the name of a test of a suite"};
  CHECK(of_test("TEST_CASE(\"one, two\"" + suite) == comma);
  CHECK(of_test("TEST_CASE(\n    \"one, two\"\n" + suite) == comma);
  CHECK(of_test("TEST_CASE(\"one and two\"" + suite).empty());
  CHECK(of_test("TEST_CASE(\"one, two\") { f(); }\nTEST_CASE(\"three\"" + suite).empty());
}

TEST_CASE("an arrow that runs up is found, one that runs down is not") {
  const auto arrow = [](const std::string& path, const std::string& header) {
    return violations_of(path, "#include \"" + header + "\"\n");
  };
  CHECK(arrow("nand/a.cpp", "ftl/page_ftl.hpp") == Violations{"nand/a.cpp:1: nand includes ftl"});
  CHECK(arrow("ftl/a.cpp", "sim/kernel/kernel.hpp") ==
        Violations{"ftl/a.cpp:1: ftl includes sim/kernel"});
  for (std::size_t from = 0; from < rooms.size(); ++from) {
    for (std::size_t to = 0; to < rooms.size(); ++to) {
      const Violations found =
          arrow(std::string(rooms[from]) + "/a.cpp", std::string(rooms[to]) + "/b.hpp");
      CHECK(found.size() == (to > from ? 1 : 0));
    }
  }
  CHECK(arrow("sim/app/a.cpp", "tests/program.hpp") ==
        Violations{"sim/app/a.cpp:1: includes tests/program.hpp, which is in no room"});
  CHECK(arrow("sim/app/a.cpp", "options.hpp").size() == 1);
  CHECK(arrow("tests/a_test.cpp", "program.hpp") ==
        Violations{"tests/a_test.cpp:1: includes program.hpp by a relative path"});
  CHECK(arrow("tests/a_test.cpp", "sim/app/options.hpp").empty());
  CHECK(violations_of("nand/a.cpp", "#include <vector>\n\n#include \"sim/drive/ssd.hpp\"\n") ==
        Violations{"nand/a.cpp:3: nand includes sim/drive"});
}

TEST_CASE("a third-party header outside its room, or in a header, is found") {
  const auto library = [](const std::string& path, const std::string& header) {
    const std::string once = path.ends_with(".hpp") ? "#pragma once\n" : "";
    return violations_of(path, once + "#include <" + header + ">\n");
  };
  CHECK(library("sim/model/a.cpp", "Eigen/Dense").empty());
  CHECK(library("sim/config/a.cpp", "Eigen/Dense") ==
        Violations{"sim/config/a.cpp:1: <Eigen/Dense> outside sim/model"});
  CHECK(library("sim/config/a.cpp", "yaml-cpp/yaml.h").empty());
  CHECK(library("sim/app/a.cpp", "yaml-cpp/yaml.h").size() == 1);
  CHECK(library("sim/app/a.cpp", "boost/program_options.hpp").empty());
  CHECK(library("sim/backend/a.cpp", "boost/asio.hpp").size() == 1);
  CHECK(library("sim/report/a.cpp", "nlohmann/json.hpp").empty());
  CHECK(library("sim/report/a.hpp", "nlohmann/json.hpp") ==
        Violations{"sim/report/a.hpp:2: a header includes <nlohmann/json.hpp>"});
  CHECK(library("sim/app/a.cpp", "nlohmann/json.hpp").size() == 1);
  CHECK(library("sim/workload/a.cpp", "fmt/format.h").empty());
  CHECK(library("nand/a.hpp", "fmt/format.h").size() == 1);
  CHECK(library("ftl/a.cpp", "doctest/doctest.h") ==
        Violations{"ftl/a.cpp:1: unknown library <doctest/doctest.h>"});
  CHECK(library("nand/a.hpp", "sys/mman.h").empty());
  CHECK(library("nand/a.hpp", "vector").empty());
  CHECK(library("sim/backend/a.cpp", "xxhash.h").empty());
  CHECK(library("sim/drive/a.cpp", "xxhash.h").size() == 1);
  CHECK(library("tests/a_test.cpp", "doctest/doctest.h").empty());
}

TEST_CASE("the plain engine and the reference see the flash's vocabulary and themselves alone") {
  for (const char* const path : {"tests/plain_engine.cpp", "tests/reference_ftl.cpp"}) {
    const auto arrow = [path](const std::string& header) {
      return violations_of(path, "#include \"" + header + "\"\n").size();
    };
    CHECK(arrow("nand/geometry.hpp") == 0);
    CHECK(arrow("tests/plain_ftl.hpp") == 0);
    CHECK(arrow("ftl/config.hpp") == 1);
    CHECK(arrow("sim/workload/request.hpp") == 1);
    CHECK(arrow("tests/engines_world.hpp") == 1);
  }
}

TEST_CASE("each rule of style is found when it is broken") {
  const auto of_line = [](const std::string& line) {
    return violations_of("nand/a.cpp", line + "\n");
  };
  CHECK(of_line("// " + std::string(97, 'x')).empty());
  CHECK(of_line("// " + std::string(98, 'x')) == Violations{"nand/a.cpp:1: more than 100 columns"});
  std::string umlauts;
  for (int i = 0; i < 90; ++i) umlauts += "\xc3\xa4";
  CHECK(of_line("// " + umlauts).empty());
  CHECK(of_line("\tint a;") == Violations{"nand/a.cpp:1: a tab"});
  CHECK(of_line("int a; ") == Violations{"nand/a.cpp:1: blanks at the end"});
  CHECK(of_line("int a;\r") == Violations{"nand/a.cpp:1: a carriage return"});
  CHECK(of_line("// TO"
                "DO later")
            .size() == 1);
  CHECK(of_line("// FIX"
                "ME now")
            .size() == 1);
  CHECK(of_line("for (int i : std::"
                "views::iota(0, 3)) {}")
            .size() == 1);
  CHECK(violations_of("nand/a.hpp", "int a;\n") == Violations{"nand/a.hpp:1: no #pragma once"});
  CHECK(violations_of("nand/a.hpp", "#pragma once\nint a;\n").empty());
  CHECK(violations_of("nand/a.cpp", "int a;") ==
        Violations{"nand/a.cpp:1: no end of the last line"});
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += "\n";
  CHECK(violations_of("nand/a.cpp", lines).empty());
  CHECK(violations_of("nand/a.cpp", lines + "\n") ==
        Violations{"nand/a.cpp:1: more than 500 lines"});
}

TEST_CASE(
    "FAULTS.md has a row for each fault, which names tests that exist or says why none does") {
  const fs::path folder = fs::path(X25SIM_SOURCE_DIR) / "tests";
  std::istringstream page(x25sim::test::read_file(folder / "FAULTS.md"));
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| A")) continue;
    CAPTURE(line);
    CHECK(line.starts_with("| A" + std::to_string(++rows) + " | "));
    const std::string cell = line.substr(line.find(" | ", line.find(" | ") + 1) + 3);
    int tests = 0;
    for (std::size_t at = 0; (at = cell.find("_test.cpp`: \"", at)) != std::string::npos; ++tests) {
      const std::size_t begin = cell.rfind('`', at) + 1;
      const std::size_t end = cell.find('`', at);
      const std::size_t name = end + 3;
      at = cell.find('"', name + 1);
      const std::string source = x25sim::test::read_file(folder / cell.substr(begin, end - begin));
      CHECK(source.find("TEST_CASE(" + cell.substr(name, at + 1 - name)) != std::string::npos);
    }
    CHECK((tests > 0 || cell.starts_with("none: ")));
  }
  CHECK(rows == 66);
}
