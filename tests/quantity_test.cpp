#include "sim/config/quantity.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>

using namespace x25sim;
using namespace x25sim::config;

TEST_CASE("durations are read exactly, with or without a space before the unit") {
  CHECK(parse_duration("36 us").value == 36'000);
  CHECK(parse_duration("36us").value == 36'000);
  CHECK(parse_duration("25 ns").value == 25);
  CHECK(parse_duration("107.85 us").value == 107'850);
  CHECK(parse_duration("0.000001 s").value == 1'000);
  CHECK(parse_duration("3.5 ms").value == 3'500'000);
  CHECK(parse_duration("1.5000000000000000000000 us").value == 1'500);
  CHECK(parse_duration("0 ns").value == 0);
  CHECK(parse_duration("0 ns").ok());
}

TEST_CASE("what is no duration says what was expected") {
  for (const char* text : {"", "60", "us", "60 uS", "60 u s", "-5 us", "+5 us", "1e3 us", "1. us",
                           ".5 us", "1,5 us", "60 us.", "60 B", "nan us", " 60 us"}) {
    CAPTURE(text);
    CHECK(parse_duration(text).expected == "a duration such as \"60 us\"");
  }
}

TEST_CASE("a fraction below the base unit is refused, not rounded") {
  const std::string whole = "a duration such as \"60 us\" in whole nanoseconds";
  CHECK(parse_duration("0.5 ns").expected == whole);
  CHECK(parse_duration("107.8501 us").expected == whole);
  CHECK(parse_duration("1.0000000000000000001 s").expected == whole);
  CHECK(parse_bytes("0.3 KiB").expected == "an amount of data such as \"256 KiB\" in whole bytes");
  CHECK(parse_percent("0.00001 %").expected ==
        "a percentage such as \"7.5 %\" in whole parts per million");
}

TEST_CASE("numbers that do not fit are refused, and the largest is not") {
  CHECK(parse_duration("9223372036854775807 ns").value == 9'223'372'036'854'775'807u);
  CHECK(parse_duration("9223372036.854775807 s").value == 9'223'372'036'854'775'807u);
  CHECK_FALSE(parse_duration("9223372036854775808 ns").ok());
  CHECK_FALSE(parse_duration("9223372036.854775808 s").ok());
  CHECK_FALSE(parse_duration("99999999999999999999999 s").ok());
  CHECK(parse_bytes("18446744073709551615 B").value == std::numeric_limits<std::uint64_t>::max());
  CHECK_FALSE(parse_bytes("18446744073709551616 B").ok());
  CHECK_FALSE(parse_bytes("16777216 TiB").ok());
}

TEST_CASE("amounts of data have decimal and binary units") {
  CHECK(parse_bytes("218 B").value == 218);
  CHECK(parse_bytes("256 KiB").value == 262'144);
  CHECK(parse_bytes("0.5KiB").value == 512);
  CHECK(parse_bytes("4 kB").value == 4'000);
  CHECK(parse_bytes("1.5 GB").value == 1'500'000'000);
  CHECK(parse_bytes("1 TiB").value == 1'099'511'627'776);
  CHECK_FALSE(parse_bytes("4 K").ok());
  CHECK_FALSE(parse_bytes("4 kb").ok());
}

TEST_CASE("bit rates and percentages") {
  CHECK(parse_bit_rate("3 Gb/s").value == 3'000'000'000);
  CHECK(parse_bit_rate("1.5Gb/s").value == 1'500'000'000);
  CHECK_FALSE(parse_bit_rate("3 GB/s").ok());
  CHECK(parse_percent("1.75 %").value == 17'500);
  CHECK(parse_percent("5%").value == 50'000);
  CHECK(parse_percent("0.0001 %").value == 1);
}

TEST_CASE("counts are whole numbers without a unit") {
  CHECK(parse_count("78165360").value == 78'165'360);
  CHECK(parse_count("18446744073709551615").value == std::numeric_limits<std::uint64_t>::max());
  CHECK(parse_count("ten").expected == "a whole number");
  CHECK(parse_count("1.5").expected == "a whole number");
  CHECK_FALSE(parse_count("").ok());
  CHECK_FALSE(parse_count("18446744073709551616").ok());
}

TEST_CASE("the canonical spelling takes the largest unit") {
  CHECK(format_duration(Duration{0}) == "0 ns");
  CHECK(format_duration(Duration{25}) == "25 ns");
  CHECK(format_duration(Duration{107'850}) == "107.85 us");
  CHECK(format_duration(Duration{900'000}) == "900 us");
  CHECK(format_duration(Duration{3'500'000}) == "3.5 ms");
  CHECK(format_duration(Duration{1'000'000'001}) == "1.000000001 s");
  CHECK(format_bytes(Bytes{0}) == "0 B");
  CHECK(format_bytes(Bytes{218}) == "218 B");
  CHECK(format_bytes(Bytes{262'144}) == "256 KiB");
  CHECK(format_bytes(Bytes{1'000'000}) == "1000000 B");
  CHECK(format_bit_rate(1'500'000'000) == "1.5 Gb/s");
  CHECK(format_percent(17'500) == "1.75 %");
  CHECK(format_percent(0) == "0 %");
}

TEST_CASE("every value is read back from its own spelling") {
  std::uint64_t value = 1;
  for (int i = 0; i < 2000; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t number = value >> (1 + i % 63);
    CAPTURE(number);
    CHECK(parse_bytes(format_bytes(Bytes{number})).value == number);
    CHECK(parse_bit_rate(format_bit_rate(number)).value == number);
    CHECK(parse_percent(format_percent(number)).value == number);
    const Duration duration{static_cast<Duration::rep>(number)};
    CHECK(parse_duration(format_duration(duration)).value == number);
  }
}
