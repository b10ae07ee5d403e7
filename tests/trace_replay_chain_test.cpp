// Random traces under random rules: every record goes one way, and no request leaves the drive.
#include <doctest/doctest.h>
#include <random>

#include "tests/trace_replay_fixture.hpp"

using namespace x25sim;
using namespace x25sim::test;
using trace::Kind;
using trace::Record;

namespace {

constexpr std::uint64_t device_size = 1 << 22;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

std::vector<Record> random_trace(Chance& chance) {
  std::vector<Record> records;
  const std::uint64_t count = chance.below(60);
  const std::uint64_t unit = chance.one_in(3) ? 100 : 512;
  std::uint32_t devices = 1;
  std::uint64_t time = chance.below(1'000'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool follows = !records.empty() && chance.one_in(2);
    Record record = made_record(time, static_cast<Kind>(chance.below(5)), 0, 0);
    // A new device has the next number, as readers give them.
    if (devices < 4 && !records.empty() && chance.one_in(10)) ++devices;
    record.device = static_cast<std::uint32_t>(chance.below(devices));
    record.length = Bytes{chance.below(20) * unit};
    record.offset = Bytes{chance.below(2 * device_size / unit) * unit};
    if (follows) {
      record.kind = records.back().kind;
      record.device = records.back().device;
      record.offset = records.back().offset + records.back().length;
    }
    if (record.kind == Kind::write) {
      record.flush_first = chance.one_in(10);
      record.durable = chance.one_in(10);
    }
    records.push_back(record);
    time += chance.below(600'000);
    if (chance.one_in(5)) time -= std::min(time, chance.below(900'000));
  }
  // Devices must appear in the order of their numbers.
  std::uint32_t next = 0;
  std::vector<std::uint32_t> number(4, 9);
  for (Record& record : records) {
    if (number[record.device] == 9) number[record.device] = next++;
    record.device = number[record.device];
  }
  return records;
}

trace::ReplayRules random_rules(Chance& chance) {
  trace::ReplayRules rules;
  if (chance.one_in(2)) rules.backward_times = trace::backward_times("sort:5");
  if (chance.one_in(2)) rules.devices = trace::device_choice(chance.one_in(2) ? "pool" : "1");
  rules.partial_sectors =
      chance.one_in(2) ? trace::PartialSectors::expand : trace::PartialSectors::refuse;
  constexpr std::array policies{trace::OutOfRange::wrap, trace::OutOfRange::clip,
                                trace::OutOfRange::skip, trace::OutOfRange::scale};
  rules.out_of_range = policies[chance.below(policies.size())];
  if (chance.one_in(2)) rules.merge = Bytes{512 * (1 + chance.below(100))};
  rules.time_scale = chance.one_in(2) ? 1 : 0.3;
  rules.repeat = static_cast<std::uint32_t>(1 + chance.below(3));
  return rules;
}

std::uint64_t sum_of(const trace::Counts& counts) {
  return counts.issued + counts.merged + counts.refused + counts.skipped;
}

}  // namespace

TEST_CASE("every record of random traces is issued, merged, refused or skipped") {
  Chance chance(1);
  std::uint64_t merged = 0, refused = 0, skipped = 0, clamped = 0;
  for (int world = 0; world < 3000; ++world) {
    CAPTURE(world);
    const std::vector<Record> records = random_trace(chance);
    const trace::ReplayRules rules = random_rules(chance);
    const ReplayedTrace trace = replayed(records, rules, device_size);
    const trace::Counts& counts = trace.summary.counts;
    REQUIRE(counts.records == records.size() * rules.repeat);
    REQUIRE(sum_of(counts) == counts.records);
    REQUIRE(trace.summary.waiting == 0);
    Duration last{};
    for (const backend::TimedRequest& timed : trace.requests) {
      REQUIRE(timed.at >= last);
      last = timed.at;
      const workload::Request& request = timed.request;
      REQUIRE((request.length.count > 0) == (request.operation != workload::Operation::flush));
      REQUIRE(request.offset.count % 512 == 0);
      REQUIRE(request.length.count % 512 == 0);
      REQUIRE(request.offset + request.length <= Bytes{device_size});
    }
    merged += counts.merged;
    refused += counts.refused;
    skipped += counts.skipped;
    clamped += counts.clamped;
  }
  // Each way was met.
  CHECK(merged > 0);
  CHECK(refused > 0);
  CHECK(skipped > 0);
  CHECK(clamped > 0);
}

TEST_CASE("bytes of random traces are conserved where nothing is cut, skipped or expanded") {
  Chance chance(2);
  for (int world = 0; world < 1000; ++world) {
    CAPTURE(world);
    std::vector<Record> records = random_trace(chance);
    trace::ReplayRules rules = random_rules(chance);
    rules.out_of_range = chance.one_in(2) ? trace::OutOfRange::wrap : trace::OutOfRange::scale;
    rules.devices = {};
    std::array<std::uint64_t, 3> recorded{};
    for (Record& record : records) {
      record.offset = Bytes{record.offset.count / 512 * 512};
      record.length = Bytes{record.length.count / 512 * 512};
      if (record.kind <= Kind::trim) {
        recorded[static_cast<std::size_t>(record.kind)] += record.length.count * rules.repeat;
      }
    }
    std::array<std::uint64_t, 3> issued{};
    for (const auto& timed : replayed(records, rules, device_size).requests) {
      const auto operation = static_cast<std::size_t>(timed.request.operation);
      if (operation < issued.size()) issued[operation] += timed.request.length.count;
    }
    REQUIRE(issued == recorded);
  }
}

TEST_CASE("an interrupted replay says what was read and is waiting") {
  trace::ReplayRules rules;
  rules.backward_times = trace::backward_times("sort:4");
  std::vector<Record> records;
  for (std::uint64_t i = 0; i < 20; ++i) {
    records.push_back(made_record(i, Kind::read, i * 4096, 4096));
  }
  backend::TraceSource source(made_up(numbered(records)), rules, Bytes{device_size});
  for (int i = 0; i < 3; ++i) CHECK(source.next().has_value());
  const trace::ReplaySummary summary = source.summary();
  CHECK(summary.counts.issued == 3);
  CHECK(summary.counts.records == 7);
  CHECK(summary.waiting == 4);
  CHECK(summary.reached == "made up:7");
}
