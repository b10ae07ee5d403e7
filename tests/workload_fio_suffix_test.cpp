// The numbers and times of fio job files, and that fio itself reads them so.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "sim/workload/fio_suffix.hpp"

using namespace x25sim;
using namespace x25sim::workload;
using namespace std::chrono_literals;

namespace {

std::optional<std::uint64_t> bytes(const std::string& text, std::uint32_t kb_base) {
  const auto number = parse_fio_number(text, kb_base);
  return number ? std::optional(number->value) : std::nullopt;
}

struct Suffix {
  std::string text;
  std::uint64_t binary;   // with kb_base=1024
  std::uint64_t decimal;  // with kb_base=1000
};

constexpr std::uint64_t kib = 1024;

// As fio 3.33 reads them.
const std::vector<Suffix> suffixes{
    {"4096", 4096, 4096},
    {"4k", 4 * kib, 4000},
    {"4K", 4 * kib, 4000},
    {"4kb", 4 * kib, 4000},
    {"4KB", 4 * kib, 4000},
    {"4Kb", 4 * kib, 4000},
    {"4ki", 4 * kib, 4000},
    {"4Ki", 4 * kib, 4000},
    {"4kib", 4000, 4 * kib},
    {"4KiB", 4000, 4 * kib},
    {"512b", 512, 512},
    {"512B", 512, 512},
    {"3m", 3 * kib* kib, 3'000'000},
    {"3MB", 3 * kib* kib, 3'000'000},
    {"3mib", 3'000'000, 3 * kib* kib},
    {"2g", 2 * kib* kib* kib, 2'000'000'000},
    {"2GiB", 2'000'000'000, 2 * kib* kib* kib},
    {"2t", 2 * kib* kib* kib* kib, 2'000'000'000'000},
    {"2TiB", 2'000'000'000'000, 2 * kib* kib* kib* kib},
    {"2p", 2 * kib* kib* kib* kib* kib, 2'000'000'000'000'000},
    {"2PiB", 2'000'000'000'000'000, 2 * kib* kib* kib* kib* kib},
    {"0x1000", 4096, 4096},
    {"0X1b", 27, 27},
    {"010", 10, 10},
};

}  // namespace

TEST_CASE("numbers have fio's suffixes under both values of kb_base") {
  for (const Suffix& suffix : suffixes) {
    CAPTURE(suffix.text);
    CHECK(bytes(suffix.text, 1024) == suffix.binary);
    CHECK(bytes(suffix.text, 1000) == suffix.decimal);
  }
  CHECK(bytes("18446744073709551615", 1024) == ~std::uint64_t{0});
}

TEST_CASE("what is no number in fio's sense is none") {
  for (const std::string text : {"",
                                 "k",
                                 "abc",
                                 "-1",
                                 "+4k",
                                 "4x",
                                 "4kk",
                                 "4 k",
                                 "1.5k",
                                 "4i",
                                 "4ib",
                                 "4kbb",
                                 "1e3",
                                 "0x",
                                 "0x10k",
                                 "\"4k\"",
                                 "4k:8k",
                                 "4z",
                                 "18446744073709551616",
                                 "16777216t",
                                 "50%"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_fio_number(text, 1024).has_value());
  }
}

TEST_CASE("binary prefixes that fio reads as decimal are surprising") {
  CHECK(parse_fio_number("4KiB", 1024)->surprising);
  CHECK_FALSE(parse_fio_number("4KiB", 1000)->surprising);
  CHECK(parse_fio_number("4Ki", 1000)->surprising);
  CHECK_FALSE(parse_fio_number("4Ki", 1024)->surprising);
  CHECK_FALSE(parse_fio_number("4KB", 1024)->surprising);
}

TEST_CASE("times are seconds unless a suffix says otherwise") {
  const std::vector<std::pair<std::string, Duration>> times{
      {"10", 10s},      {"10s", 10s}, {"10S", 10s},  {"10ms", 10ms}, {"10msec", 10ms},
      {"10us", 10us},   {"5m", 5min}, {"5M", 5min},  {"2h", 2h},     {"1d", 24h},
      {"10usec", 10us}, {"0", 0s},    {"10MS", 10ms}};
  for (const auto& [text, expected] : times) {
    CAPTURE(text);
    CHECK(parse_fio_time(text) == expected);
  }
  // fio 3.33 reads "10sec" as 10 us, against its manual, and "1.5" as 1 s.
  for (const std::string text : {"", "x", "10sec", "10x", "1.5", "-1", "0x10", "1:30", "200000d"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_fio_time(text).has_value());
  }
}

namespace {

// The output of a shell command.
std::string output_of(const std::string& command) {
  std::string output;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer{};
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), size);
  }
  ::pclose(pipe);
  return output;
}

// The numbers that fio itself reads `texts` as, if it is installed.
std::vector<std::uint64_t> numbers_of_fio(const std::vector<Suffix>& texts, int kb_base) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("x25sim-fio-" + std::to_string(::getpid()) + ".fio");
  std::ofstream file(path);
  file << "[a]\nioengine=null\nkb_base=" << kb_base << '\n';
  for (const Suffix& suffix : texts) file << "io_size=" << suffix.text << '\n';
  file.close();
  // Debugging prints, for each number, "ret=0, out=<number>".
  std::istringstream output(
      output_of("fio --parse-only --debug=parse " + path.string() + " 2>/dev/null"));
  std::filesystem::remove(path);
  std::vector<std::uint64_t> numbers;
  for (std::string line; std::getline(output, line);) {
    const std::size_t at = line.find("ret=0, out=");
    if (at != std::string::npos) numbers.push_back(std::stoull(line.substr(at + 11)));
  }
  return numbers;
}

}  // namespace

TEST_CASE("fio itself reads the suffixes as this program does") {
  const std::string version = output_of("fio --version 2>/dev/null");
  if (version.empty()) {
    MESSAGE("skipped: fio is not installed");
    return;
  }
  CAPTURE(version);
  for (const std::uint32_t kb_base : {kb_base_binary, kb_base_decimal}) {
    const auto numbers = numbers_of_fio(suffixes, static_cast<int>(kb_base));
    REQUIRE(numbers.size() == suffixes.size());
    for (std::size_t i = 0; i < suffixes.size(); ++i) {
      CAPTURE(suffixes[i].text);
      CHECK(bytes(suffixes[i].text, kb_base) == numbers[i]);
    }
  }
}

TEST_CASE("arithmetic in parentheses follows fio's grammar") {
  const auto value = [](const std::string& text) -> std::optional<std::uint64_t> {
    const auto number = parse_fio_number(text, kb_base_binary);
    return number ? std::optional(number->value) : std::nullopt;
  };
  CHECK(value("(1+2*3)") == 7);
  CHECK(value("( 8 * 4k )") == 32768);
  CHECK(value("(8*4)k") == 32768);
  CHECK(value("(10-2-3)") == 5);
  CHECK(value("(2^3^2)") == 512);  // powers from the right
  CHECK(value("(2*3^2)") == 18);
  CHECK(value("(2^7%4)") == 8);  // the rest binds stronger than the power
  CHECK(value("(7/2)") == 3);
  CHECK(value("(0.5*64k)") == 32768);
  CHECK(value("(7/2.0)") == 3);
  CHECK(value("(-3+5)") == 2);
  CHECK(value("(2^-1*8)") == 4);  // as reals
  CHECK(value("(0x10+1)") == 17);
  CHECK(value("(1KiB)") == 1000);
  for (const char* const bad :
       {"(", "()", "(1", "1+1", "(1+)", "(1 2)", "(1/0)", "(1%0)", "(2^64)", "(1-2)", "(1x)",
        "(1)1", "(9223372036854775807+1)", "(1.5%2)", "(1s)", "(--)"}) {
    CAPTURE(bad);
    CHECK_FALSE(value(bad).has_value());
  }
  CHECK_FALSE(value(std::string(100'000, '(')).has_value());
  CHECK_FALSE(value("(" + std::string(100'000, '-') + "1)").has_value());
}

TEST_CASE("arithmetic of times is in microseconds once there is a suffix") {
  CHECK(parse_fio_time("(10*6)") == 60s);
  CHECK(parse_fio_time("(10*6)", 1us) == 60us);
  CHECK(parse_fio_time("(2*500ms)") == 1s);
  CHECK(parse_fio_time("(1s+1)") == 1s + 1us);
  CHECK(parse_fio_time("(1h/2)") == 30min);
  CHECK_FALSE(parse_fio_time("(1m)").has_value());  // fio would multiply by 2^20
  CHECK(parse_fio_time("10", 1us) == 10us);
  CHECK(parse_fio_time("10s", 1us) == 10s);
}
