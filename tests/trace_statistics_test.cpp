// What is said of a trace: on records made by hand, and against plain sets over random ones.
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <set>

#include "sim/trace/plausible_times.hpp"
#include "sim/trace/statistics.hpp"
#include "tests/trace_replay_fixture.hpp"

using namespace x25sim;
using namespace x25sim::test;
using trace::Kind;
using trace::Record;
using trace::Statistics;

namespace {

Statistics statistics_of(std::vector<Record> records) {
  Statistics statistics;
  for (const Record& record : numbered(std::move(records))) statistics.add(record);
  statistics.finish();
  return statistics;
}

// 0.5 for one of two.
void check_share(std::optional<double> share, double expected) {
  REQUIRE(share.has_value());
  CHECK(*share == doctest::Approx(expected));
}

constexpr std::uint64_t page = 4096;

}  // namespace

TEST_CASE("footprint, overwrites and rewrite distances count 4 KiB pages") {
  const Statistics statistics =
      statistics_of({made_record(0, Kind::write, 0, 2 * page),        // writes 1 and 2
                     made_record(1, Kind::write, 0, 512),             // 3: page 0 again after 2
                     made_record(2, Kind::read, 2 * page - 1, 2),     // pages 1 and 2
                     made_record(3, Kind::write, 10 * page, page),    // 4
                     made_record(4, Kind::write, page, page),         // 5: page 1 again after 3
                     made_record(5, Kind::trim, 100 * page, page),    // touches nothing
                     made_record(6, Kind::write, page + 512, 512)});  // 6: page 1 again after 1
  const auto footprint = statistics.footprint();
  CHECK(footprint.written == 3);
  CHECK(footprint.read == 2);
  CHECK(footprint.touched == 4);
  check_share(statistics.overwrite_share(), 3.0 / 6);
  trace::PowerHistogram expected{};
  expected[0] = 1;  // 1
  expected[1] = 2;  // 2 and 3
  CHECK(statistics.pages().rewrite_distances() == expected);
  CHECK(statistics.counts().unique_4k_pages_written == 3);
}

TEST_CASE("footprints and rewrites of random requests equal those of plain sets") {
  std::mt19937_64 random(3);
  for (int world = 0; world < 10; ++world) {
    std::vector<Record> records;
    std::set<std::uint64_t> read, written, touched;
    std::map<std::uint64_t, std::uint64_t> last_write;
    trace::PowerHistogram distances{};
    std::uint64_t writes = 0;
    for (int i = 0; i < 3000; ++i) {
      const bool write = random() % 2 == 0;
      // Far apart as well, so that the table grows.
      const std::uint64_t base = random() % 3 == 0 ? (random() % 5000) << 30 : 0;
      const std::uint64_t offset = base + random() % 4000 * 512;
      const std::uint64_t length = (1 + random() % (i % 10 == 0 ? 3000 : 20)) * 512;
      records.push_back(made_record(0, write ? Kind::write : Kind::read, offset, length));
      for (std::uint64_t p = offset / page; p * page < offset + length; ++p) {
        touched.insert(p);
        (write ? written : read).insert(p);
        if (!write) continue;
        std::uint64_t& last = last_write[p];
        ++writes;
        std::size_t power = 0;
        while (last != 0 && (writes - last) >> (power + 1) != 0) ++power;
        if (last != 0) ++distances[power];
        last = writes;
      }
    }
    const Statistics statistics = statistics_of(records);
    REQUIRE(statistics.footprint().read == read.size());
    REQUIRE(statistics.footprint().written == written.size());
    REQUIRE(statistics.footprint().touched == touched.size());
    REQUIRE(statistics.pages().rewrite_distances() == distances);
    REQUIRE(statistics.pages().page_writes() == writes);
  }
}

TEST_CASE("a request of exabytes counts for the footprint and costs no memory") {
  const std::uint64_t huge = std::uint64_t{1} << 60;
  const Statistics statistics =
      statistics_of({made_record(0, Kind::write, 0, huge), made_record(0, Kind::write, 0, page),
                     made_record(0, Kind::read, huge, page)});
  CHECK(statistics.footprint().written == huge / page);
  CHECK(statistics.footprint().read == 1);
  CHECK(statistics.footprint().touched == huge / page + 1);
}

TEST_CASE("a request is sequential that begins where the one before on its device ended") {
  const Statistics statistics =
      statistics_of({made_record(0, Kind::read, 0, page, 0),          // the first is not
                     made_record(1, Kind::read, 0, page, 1),          // nor that of another device
                     made_record(2, Kind::read, page, page, 0),       // is
                     made_record(3, Kind::write, 2 * page, page, 0),  // is, though of another kind
                     made_record(4, Kind::read, page, 512, 1),        // is
                     made_record(5, Kind::write, page, 512, 1)});     // is not
  check_share(statistics.sequential_share(Kind::read), 2.0 / 4);
  check_share(statistics.sequential_share(Kind::write), 1.0 / 2);
  CHECK_FALSE(statistics.sequential_share(Kind::trim).has_value());
  REQUIRE(statistics.devices().size() == 2);
  CHECK(statistics.devices()[1].records == 3);
  CHECK(statistics.devices()[1].bytes_read == Bytes{page + 512});
  CHECK(statistics.devices()[1].max_end == Bytes{page + 512});
}

TEST_CASE("A55: trims have sizes like reads and writes, the most common first") {
  const Statistics statistics =
      statistics_of({made_record(0, Kind::trim, 0, 8192), made_record(0, Kind::trim, 0, 4096),
                     made_record(0, Kind::trim, 0, 8192), made_record(0, Kind::trim, 0, 512)});
  const auto sizes = statistics.sizes(Kind::trim).most_common(2);
  REQUIRE(sizes.size() == 2);
  CHECK(sizes[0] == std::pair{Bytes{8192}, std::uint64_t{2}});
  CHECK(sizes[1] == std::pair{Bytes{512}, std::uint64_t{1}});
  CHECK(statistics.sizes(Kind::trim).by_power()[13] == 2);
  CHECK(statistics.sizes(Kind::read).count() == 0);
}

TEST_CASE("alignment is that of offset and length, and of the offset within 4 KiB") {
  const Statistics statistics = statistics_of(
      {made_record(0, Kind::read, 0, 4096), made_record(0, Kind::read, 8192, 512),
       made_record(0, Kind::write, 63 * 512, 4096), made_record(0, Kind::write, 100, 4096)});
  CHECK(statistics.with_data() == 4);
  CHECK(statistics.aligned(0) == 3);  // to 512
  CHECK(statistics.aligned(1) == 1);
  CHECK(statistics.aligned(3) == 1);  // to 4096
  CHECK(statistics.aligned(4) == 0);
  CHECK(statistics.page_phases()[0] == 2);
  CHECK(statistics.page_phases()[7] == 1);
  CHECK(statistics.page_phases()[8] == 1);
}

TEST_CASE("recorded response times say how many requests were in flight") {
  std::vector<Record> records{
      made_record(0, Kind::read, 0, 512), made_record(5, Kind::read, 0, 512),
      made_record(10, Kind::read, 0, 512), made_record(100, Kind::read, 0, 512)};
  CHECK_FALSE(statistics_of(records).depth().mean().has_value());
  records[0].response_ns = 10;  // complete when the third arrives
  records[1].response_ns = 50;
  records[2].response_ns = 200;
  records[3].response_ns = 1;
  const Statistics statistics = statistics_of(records);
  check_share(statistics.depth().mean(), (1 + 2 + 2 + 2) / 4.0);
  CHECK(statistics.depth().max() == 2);
  CHECK(statistics.response().count() == 4);
  CHECK(statistics.response().max() == Duration{200});
  CHECK(statistics.interarrival().max() == Duration{90});
  CHECK(statistics.interarrival().min() == Duration{5});
}

TEST_CASE("the queue depth is the same whether records are in the order of arrival or completion") {
  // A long request over five short ones, of which the last two overlap.
  std::vector<Record> records;
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> requests{{0, 100}, {10, 5},  {20, 5},
                                                                      {30, 5},  {40, 20}, {50, 20}};
  for (const auto& [time, response] : requests) {
    records.push_back(made_record(time, Kind::read, 0, 512));
    records.back().response_ns = response;
  }
  const auto check = [&records] {
    const Statistics statistics = statistics_of(records);
    check_share(statistics.depth().mean(), (1 + 2 + 2 + 2 + 2 + 3) / 6.0);
    CHECK(statistics.depth().max() == 3);
  };
  check();
  std::rotate(records.begin(), records.begin() + 1, records.end());
  check();
}

TEST_CASE("what is odd about a trace is counted, with its first lines") {
  std::vector<Record> records{
      made_record(5, Kind::read, 0, 512), made_record(5, Kind::read, 0, 512),
      made_record(3, Kind::read, 0, 512), made_record(3, Kind::write, 0, 512),
      made_record(9, Kind::write, 0, 0),  made_record(10, Kind::write, 1, 512),
      made_record(11, Kind::flush, 0, 0)};
  const auto oddities = statistics_of(records).oddities();
  std::vector<std::string> sentences;
  for (const auto& note : oddities) sentences.push_back(trace::Notes::sentence(note));
  CHECK(sentences ==
        std::vector<std::string>{
            "time before that of the record before: 1 time, first at line 3",
            "same time as the record before: 2 times, first at lines 2, 4",
            "request without length: 1 time, first at line 5",
            "request not in whole sectors of 512 bytes: 1 time, first at line 6",
            "duplicate of the record before, its time included: 1 time, first at line 2"});
}

TEST_CASE("times are implausible beyond 10 million requests a second, within 1 ms or over a year") {
  using trace::implausible_times;
  CHECK(implausible_times(2, 0).empty());
  CHECK(implausible_times(1000, 999'999).empty());
  CHECK(implausible_times(1001, 999'999).size() == 1);
  CHECK(implausible_times(1001, 1'000'000).empty());
  CHECK(implausible_times(20'000, 1'999'999).size() == 1);
  CHECK(implausible_times(20'000, 2'000'000).empty());
  const std::uint64_t year = std::uint64_t{365} * 86400 * 1'000'000'000;
  CHECK(implausible_times(5, year).empty());
  CHECK(implausible_times(5, year + 1).size() == 1);
}
