// The rules of a replay, one by one, on records made by hand.
#include <doctest/doctest.h>

#include "tests/trace_replay_fixture.hpp"

using namespace x25sim;
using namespace x25sim::test;
using trace::Kind;
using trace::Record;
using trace::ReplayRules;
using workload::Operation;
using workload::Request;

namespace {

constexpr std::uint64_t mib = 1 << 20;

std::vector<std::int64_t> times_of(const ReplayedTrace& trace) {
  std::vector<std::int64_t> times;
  for (const auto& request : trace.requests) times.push_back(request.at.count());
  return times;
}

std::vector<std::uint64_t> offsets_of(const ReplayedTrace& trace) {
  std::vector<std::uint64_t> offsets;
  for (const auto& request : trace.requests) offsets.push_back(request.request.offset.count);
  return offsets;
}

// Reads of a sector at these times; the offsets count them.
std::vector<Record> reads_at(const std::vector<std::uint64_t>& times) {
  std::vector<Record> records;
  for (const std::uint64_t time : times) {
    records.push_back(made_record(time, Kind::read, records.size() * 512, 512));
  }
  return records;
}

ReplayRules with_clock(const std::string& text) {
  ReplayRules rules;
  rules.backward_times = trace::backward_times(text);
  return rules;
}

ReplayRules with_devices(const std::string& text) {
  ReplayRules rules;
  rules.devices = trace::device_choice(text);
  return rules;
}

}  // namespace

TEST_CASE("a record before its predecessor is clamped to it by default, and counted") {
  const ReplayedTrace trace = replayed(reads_at({100, 300, 200, 50, 400}), {});
  CHECK(times_of(trace) == std::vector<std::int64_t>{0, 200, 200, 200, 300});
  CHECK(offsets_of(trace) == std::vector<std::uint64_t>{0, 512, 1024, 1536, 2048});
  CHECK(trace.summary.counts.backward_steps == 2);
  CHECK(trace.summary.counts.clamped == 2);
}

TEST_CASE("records are sorted by time within a window, equal ones in the order of the file") {
  const std::vector<std::uint64_t> times{100, 300, 200, 300, 200, 400};
  const ReplayedTrace sorted = replayed(reads_at(times), with_clock("sort"));
  CHECK(times_of(sorted) == std::vector<std::int64_t>{0, 100, 100, 200, 200, 300});
  CHECK(offsets_of(sorted) == std::vector<std::uint64_t>{0, 1024, 2048, 512, 1536, 2560});
  CHECK(sorted.summary.counts.backward_steps == 2);  // as the file has them
  CHECK(sorted.summary.counts.clamped == 0);

  // The record at 50 is three places late, a window of two can't bring it to the front.
  const ReplayedTrace late = replayed(reads_at({100, 200, 300, 50}), with_clock("sort:2"));
  CHECK(offsets_of(late) == std::vector<std::uint64_t>{0, 1536, 512, 1024});
  CHECK(times_of(late) == std::vector<std::int64_t>{0, 0, 100, 200});
  CHECK(late.summary.counts.clamped == 1);
  const ReplayedTrace first = replayed(reads_at({100, 200, 300, 50}), with_clock("sort:3"));
  CHECK(offsets_of(first) == std::vector<std::uint64_t>{1536, 0, 512, 1024});
  CHECK(times_of(first) == std::vector<std::int64_t>{0, 50, 150, 250});
  CHECK(first.summary.counts.clamped == 0);
}

TEST_CASE("times that go backwards are refused with their line on demand") {
  CHECK(replay_error(reads_at({100, 300, 200}), with_clock("refuse"))
            .starts_with("made up:3: expected times that do not go backwards, found 200 ns behind "
                         "a record at 300 ns"));
  CHECK(replay_error(reads_at({100, 300, 300}), with_clock("refuse")) == "none");
}

TEST_CASE("devices stand one behind the other in order of appearance, in whole MiB") {
  const std::vector<Record> records{
      made_record(0, Kind::write, 4096, 4096, 2),    // the first: at 0
      made_record(1, Kind::write, 512, 512, 0),      // the second, at 2 MiB
      made_record(2, Kind::write, 0, 512, 1),        // the third, at 3 MiB
      made_record(3, Kind::write, mib, 1024, 2),     // its region has 2 MiB
      made_record(4, Kind::read, mib - 512, 512, 0)  // fills its MiB
  };
  // Numbers of devices count their appearance.
  std::vector<Record> in_order = records;
  for (Record& record : in_order) record.device = (record.device + 1) % 3;
  const ReplayedTrace trace = replayed(in_order, {}, 4 * mib);
  CHECK(offsets_of(trace) ==
        std::vector<std::uint64_t>{4096, 2 * mib + 512, 3 * mib, mib, 3 * mib - 512});
  const auto& devices = trace.summary.devices;
  REQUIRE(devices.size() == 3);
  CHECK(devices[0].records == 2);
  CHECK(devices[0].offset == Bytes{0});
  CHECK(devices[0].length == Bytes{2 * mib});
  CHECK(devices[1].offset == Bytes{2 * mib});
  CHECK(devices[1].length == Bytes{mib});
  CHECK(devices[2].name == "2");
  CHECK(devices[2].offset == Bytes{3 * mib});
  CHECK(replay_error(in_order, {}, 3 * mib)
            .find("1 of 5 records lies beyond it, for which --out-of-range has other rules than "
                  "'error'; the trace's devices stand one behind the other") != std::string::npos);
}

TEST_CASE("devices share one address space, are refused, or are chosen by name") {
  const std::vector<Record> records{
      made_record(0, Kind::write, 0, 512, 0), made_record(1, Kind::write, 512, 512, 1),
      made_record(2, Kind::flush, 0, 0, 1), made_record(3, Kind::write, 1024, 512, 0)};
  const ReplayedTrace pooled = replayed(records, with_devices("pool"));
  CHECK(offsets_of(pooled) == std::vector<std::uint64_t>{0, 512, 0, 1024});
  CHECK(pooled.summary.devices.size() == 2);
  const ReplayedTrace one = replayed(records, with_devices("1"));
  CHECK(offsets_of(one) == std::vector<std::uint64_t>{512, 0});
  CHECK(one.summary.counts.skipped == 2);
  REQUIRE(one.summary.devices.size() == 1);
  CHECK(one.summary.devices[0].name == "1");
  CHECK(replay_error(records, with_devices("refuse"))
            .starts_with("made up:2: expected records of one device, found one of device '1'"));
}

TEST_CASE("a trace that can be read but once is refused where it must be read again") {
  trace::TraceFiles pipe = made_up(
      numbered({made_record(0, Kind::write, 0, 512, 0), made_record(1, Kind::write, 0, 512, 1)}));
  pipe.rereadable = false;
  backend::TraceSource source(pipe, {}, Bytes{4 * mib});
  CHECK(source.next().has_value());
  CHECK_THROWS_WITH_AS(source.next(), doctest::Contains("--devices separate"), InputError);
  ReplayRules repeated;
  repeated.repeat = 2;
  CHECK_THROWS_WITH_AS(backend::TraceSource(pipe, repeated, Bytes{mib}),
                       doctest::Contains("--repeat"), InputError);
}

TEST_CASE("scale fits the trace's addresses to the drive and keeps their place within 4 KiB") {
  ReplayRules rules;
  rules.out_of_range = trace::OutOfRange::scale;
  const std::vector<Record> records{made_record(0, Kind::write, 0, 4096),
                                    made_record(1, Kind::write, 2 * mib, 4096),
                                    made_record(2, Kind::read, 3 * mib + 512, 512),
                                    made_record(3, Kind::write, 4 * mib - 8192, 8192)};
  const ReplayedTrace trace = replayed(records, rules);  // from 4 MiB to 1
  // (3 MiB + 512) / 4 = 768 KiB + 128; (4 MiB - 8 KiB) / 4 = 1 MiB - 2 KiB, in which 8 KiB end too
  // late.
  CHECK(offsets_of(trace) == std::vector<std::uint64_t>{0, mib / 2, mib / 4 * 3 + 512, mib - 8192});
  CHECK(trace.summary.counts.scaled == 4);
  const ReplayedTrace fitting = replayed(records, rules, 4 * mib);
  CHECK(offsets_of(fitting)[1] == 2 * mib);
  CHECK(fitting.summary.counts.scaled == 0);
  CHECK(replay_error({made_record(0, Kind::write, 0, 2 * mib)}, rules)
            .find("expected a request of at most the device's 1048576 bytes to scale") !=
        std::string::npos);
}

TEST_CASE("records that are not in whole sectors are an error, expanded or refused") {
  const std::vector<Record> records{
      made_record(0, Kind::write, 100, 512), made_record(1, Kind::read, 512, 1),
      made_record(2, Kind::write, 1024, 1024), made_record(3, Kind::write, 100, 0)};
  CHECK(replay_error(records, {}) ==
        "made up:1: expected a request in whole sectors of 512 bytes, found a write of 512 bytes "
        "at byte 100; --partial-sectors expand or refuse takes it");
  ReplayRules rules;
  rules.partial_sectors = trace::PartialSectors::expand;
  const ReplayedTrace expanded = replayed(records, rules);
  REQUIRE(expanded.requests.size() == 3);
  CHECK(expanded.requests[0].request == Request{Operation::write, Bytes{0}, Bytes{1024}});
  CHECK(expanded.requests[1].request == Request{Operation::read, Bytes{512}, Bytes{512}});
  CHECK(expanded.requests[2].request == Request{Operation::write, Bytes{1024}, Bytes{1024}});
  CHECK(expanded.summary.counts.expanded == 2);
  CHECK(expanded.summary.counts.skipped == 1);  // without length
  rules.partial_sectors = trace::PartialSectors::refuse;
  const ReplayedTrace refused = replayed(records, rules);
  CHECK(refused.requests.size() == 1);
  CHECK(refused.summary.counts.refused == 2);
  rules.partial_sectors = trace::PartialSectors::expand;
  CHECK(replay_error({made_record(0, Kind::write, ~std::uint64_t{0} - 1500, 500)}, rules)
            .starts_with("made up:1: expected a request within the device"));
  CHECK(replay_error({made_record(0, Kind::write, ~std::uint64_t{0} - 100, 100)}, rules)
            .starts_with("made up:1: expected a request whose last sector ends below byte 2^64"));
}

TEST_CASE("requests that follow each other are joined as a block layer does") {
  ReplayRules rules;
  rules.merge = Bytes{8192};
  const std::uint64_t ms = 1'000'000;
  std::vector<Record> records{
      made_record(0, Kind::write, 0, 4096),       made_record(5, Kind::write, 4096, 4096),
      made_record(6, Kind::write, 8192, 4096),     // too large with the two before
      made_record(7, Kind::read, 12288, 4096),     // another kind
      made_record(8, Kind::read, 12288, 4096),     // the same place, not behind
      made_record(9, Kind::read, 16384, 512),      // joined
      made_record(9 + ms, Kind::read, 16896, 512)  // too late
  };
  const ReplayedTrace trace = replayed(records, rules);
  std::vector<Request> requests;
  for (const auto& request : trace.requests) requests.push_back(request.request);
  CHECK(requests == std::vector<Request>{{Operation::write, Bytes{0}, Bytes{8192}},
                                         {Operation::write, Bytes{8192}, Bytes{4096}},
                                         {Operation::read, Bytes{12288}, Bytes{4096}},
                                         {Operation::read, Bytes{12288}, Bytes{4608}},
                                         {Operation::read, Bytes{16896}, Bytes{512}}});
  CHECK(times_of(trace) == std::vector<std::int64_t>{0, 6, 7, 8, 9 + static_cast<int>(ms)});
  CHECK(trace.summary.counts.merged == 2);
  CHECK(trace.summary.counts.issued == 5);

  // A neighbour on another device, and a write that asks for a flush.
  rules.devices = trace::device_choice("pool");
  CHECK(replayed({made_record(0, Kind::write, 0, 512, 0), made_record(0, Kind::write, 512, 512, 1)},
                 rules)
            .requests.size() == 2);
  records = {made_record(0, Kind::write, 0, 512), made_record(0, Kind::write, 512, 512)};
  records[1].durable = true;
  CHECK(replayed(records, rules).requests.size() == 3);
  // Off unless asked for.
  CHECK(replayed(records, {}).summary.counts.merged == 0);
}

TEST_CASE("a write that asks for flushes is issued between them") {
  std::vector<Record> records{made_record(0, Kind::write, 0, 512),
                              made_record(7, Kind::write, 512, 512)};
  records[0].flush_first = true;
  records[1].durable = true;
  const ReplayedTrace trace = replayed(records, {});
  std::vector<Operation> operations;
  for (const auto& request : trace.requests) operations.push_back(request.request.operation);
  CHECK(operations == std::vector<Operation>{Operation::flush, Operation::write, Operation::write,
                                             Operation::flush});
  CHECK(times_of(trace) == std::vector<std::int64_t>{0, 0, 7, 7});
  CHECK(trace.summary.counts.issued == 2);
}

TEST_CASE("records of other kinds and without length are skipped, and counted") {
  const ReplayedTrace trace =
      replayed({made_record(0, Kind::other, 0, 512), made_record(1, Kind::read, 0, 0),
                made_record(2, Kind::flush, 1 << 30, 0)},
               {});
  REQUIRE(trace.requests.size() == 1);
  CHECK(trace.requests[0].request == Request{Operation::flush, Bytes{0}, Bytes{0}});
  CHECK(trace.summary.counts.skipped == 2);
  CHECK(trace.summary.counts.other == 1);
}

TEST_CASE("recorded distances are scaled, and passes follow each other by the trace's span") {
  ReplayRules rules;
  rules.time_scale = 0.5;
  CHECK(times_of(replayed(reads_at({1000, 1100, 1301}), rules)) ==
        std::vector<std::int64_t>{0, 50, 151});
  rules.time_scale = 1;
  rules.repeat = 3;
  const ReplayedTrace trace = replayed(reads_at({1000, 1100, 1300}), rules);
  CHECK(times_of(trace) == std::vector<std::int64_t>{0, 100, 300, 300, 400, 600, 600, 700, 900});
  CHECK(trace.summary.counts.records == 9);
  CHECK(trace.summary.counts.backward_steps == 0);
  CHECK(trace.summary.counts.first_ns == 1000);
  CHECK(trace.summary.counts.last_ns == 1300);
  // The span is that of the trace, what is skipped at its end included.
  std::vector<Record> records = reads_at({0, 10});
  records.push_back(made_record(100, Kind::other, 0, 0));
  rules.repeat = 2;
  CHECK(times_of(replayed(records, rules)) == std::vector<std::int64_t>{0, 10, 100, 110});
}
