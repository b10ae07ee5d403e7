// Jobs that repeat a recorded log, fio's read_iolog.
#include <chrono>
#include <doctest/doctest.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "sim/backend/replay_log.hpp"
#include "sim/trace/writer.hpp"
#include "tests/cli_fixture.hpp"
#include "tests/pace_device.hpp"

namespace x25sim::test {

namespace {

using namespace std::chrono_literals;
using workload::Job;
using workload::Operation;

// What arrives at a device, and when: "100 us: read 4096+512".
using Arrivals = std::vector<std::string>;

Job job_of(const std::string& log, std::uint32_t iodepth = 1) {
  Job job;
  job.name = "job";
  job.where = {"job.fio", 1};
  job.iodepth = iodepth;
  job.replay.path = log;
  job.replay.where = {"job.fio", 2};
  return job;
}

Arrivals arrivals_of(const std::vector<Job>& jobs, Duration service, bool single = false) {
  Arrivals arrivals;
  for (const ServiceDevice::Command& command : run_paced(jobs, always(service), single).commands) {
    const workload::Request& request = command.request;
    arrivals.push_back(std::to_string((command.arrival - Time{}) / 1us) +
                       " us: " + std::string(workload::name(request.operation)) + ' ' +
                       std::to_string(request.offset.count) + '+' +
                       std::to_string(request.length.count));
  }
  return arrivals;
}

// Three requests 100 us and 300 us apart, the last two in the order of their kinds.
constexpr const char* version_3 =
    "fio version 3 iolog\n"
    "50 f add\n50 f open\n"
    "1000 f read 8192 4096\n1100 f write 12288 4096\n1400 f trim 40960 8192\n1400 f close\n";

// The message with which the log `text` ends a job with `options`.
std::string error_with(const std::string& text, const std::string& options = "") {
  const TemporaryFolder folder;
  const std::string log = folder.write("a.log", text);
  const ProgramResult result =
      run_program(run_arguments(folder, "read_iolog=" + log + "\n" + options));
  CHECK(result.status == 2);
  std::string message = result.err;
  const std::string path = folder.path().string() + "/";
  for (std::size_t at = 0; (at = message.find(path)) != message.npos;) {
    message.erase(at, path.size());
  }
  return message;
}

std::string records_of_blktrace(const std::vector<trace::Record>& records) {
  std::ostringstream out;
  const auto writer = trace::write_blktrace(out);
  for (const trace::Record& record : records) writer->write(record, "8,0");
  writer->finish();
  return out.str();
}

// Of blktrace's events, those of requests with the action of this number (1: queued, 7: issued).
std::string events_of_action(const std::string& binary, int number) {
  std::string events;
  for (std::size_t at = 0; at < binary.size();) {
    const std::size_t size = 48 + static_cast<unsigned char>(binary[at + 46]);  // with its payload
    if (binary[at + 28] == number && binary[at + 24] + binary[at + 25] > 0) {
      events += binary.substr(at, size);
    }
    at += size;
  }
  return events;
}

}  // namespace

TEST_CASE("requests of a log arrive at their times from the first one on") {
  const TemporaryFolder folder;
  const Job job = job_of(folder.write("a.log", version_3));
  CHECK(arrivals_of({job}, 10us) ==
        Arrivals{"0 us: read 8192+4096", "100 us: write 12288+4096", "400 us: trim 40960+8192"});
}

TEST_CASE("waits of a log of version 2 count from its start") {
  const TemporaryFolder folder;
  const Job job = job_of(folder.write("a.log",
                                      "fio version 2 iolog\nf add\nf open\n"
                                      "f read 0 4096\nf wait 200 0\nf write 4096 4096\n"
                                      "f sync 0 0\nf wait 500 0\nf read 8192 4096\nf close\n"));
  CHECK(arrivals_of({job}, 10us) == Arrivals{"0 us: read 0+4096", "200 us: write 4096+4096",
                                             "210 us: flush 0+0", "500 us: read 8192+4096"});
}

TEST_CASE("A39: who is late in a full queue does not delay those behind it that have room") {
  const TemporaryFolder folder;
  const std::string log = folder.write("a.log",
                                       "fio version 3 iolog\n0 f add\n0 f open\n"
                                       "10 f read 0 4096\n20 f read 4096 4096\n"
                                       "30 f read 8192 4096\n500 f read 12288 4096\n");
  // One at a time: the second waits for the first, the third for the second.
  CHECK(arrivals_of({job_of(log)}, 100us) == Arrivals{"0 us: read 0+4096", "100 us: read 4096+4096",
                                                      "200 us: read 8192+4096",
                                                      "490 us: read 12288+4096"});
  // Two at a time: only the third waits, for the first.
  CHECK(arrivals_of({job_of(log, 2)}, 100us) ==
        Arrivals{"0 us: read 0+4096", "10 us: read 4096+4096", "100 us: read 8192+4096",
                 "490 us: read 12288+4096"});
  // Latencies end with the requests, not with the sleep behind them.
  const PacedRun run = run_paced({job_of(log, 8)}, always(100us));
  CHECK(run.requests(0) == 4);
  CHECK(run.jobs[0].direction[0].total.max() == 100us);
}

TEST_CASE("replay_no_stall repeats a log as fast as the depth allows") {
  const TemporaryFolder folder;
  Job job = job_of(folder.write("a.log", version_3), 2);
  job.replay.no_stall = true;
  CHECK(arrivals_of({job}, 10us) ==
        Arrivals{"0 us: read 8192+4096", "0 us: write 12288+4096", "10 us: trim 40960+8192"});
}

TEST_CASE("replay_time_scale is the speed in percent") {
  const TemporaryFolder folder;
  Job job = job_of(folder.write("a.log", version_3));
  job.replay.time_scale_percent = 50;
  CHECK(arrivals_of({job}, 10us) ==
        Arrivals{"0 us: read 8192+4096", "200 us: write 12288+4096", "800 us: trim 40960+8192"});
  job.replay.time_scale_percent = 400;
  CHECK(arrivals_of({job}, 10us) ==
        Arrivals{"0 us: read 8192+4096", "25 us: write 12288+4096", "100 us: trim 40960+8192"});
}

TEST_CASE("replay_scale divides offsets and replay_align rounds them down") {
  const TemporaryFolder folder;
  Job job = job_of(folder.write("a.log", version_3));
  job.replay.scale = 4;
  CHECK(arrivals_of({job}, 10us) ==
        Arrivals{"0 us: read 2048+4096", "100 us: write 3072+4096", "400 us: trim 10240+8192"});
  job.replay.align = Bytes{4096};
  CHECK(arrivals_of({job}, 10us) ==
        Arrivals{"0 us: read 0+4096", "100 us: write 0+4096", "400 us: trim 8192+8192"});
}

TEST_CASE("replay_skip leaves kinds out and the times of the others as they are") {
  const TemporaryFolder folder;
  Job job = job_of(folder.write("a.log", version_3));
  job.replay.skip = {Operation::read};
  CHECK(arrivals_of({job}, 10us) ==
        Arrivals{"100 us: write 12288+4096", "400 us: trim 40960+8192"});
  backend::ReplayLog log(job, Bytes{1 << 20});
  while (log.next()) {
  }
  CHECK(log.summary().left_out == 1);
  CHECK(log.summary().trace.counts.issued == 2);
}

TEST_CASE("runtime and startdelay bound a job that repeats a log") {
  const TemporaryFolder folder;
  Job job = job_of(folder.write("a.log", version_3));
  job.start_delay = 1ms;
  job.runtime = 300us;
  const PacedRun run = run_paced({job}, always(10us));
  CHECK(run.commands.size() == 2);
  CHECK(run.commands.at(0).arrival - Time{} == 1ms);
  CHECK(run.commands.at(1).arrival - Time{} == 1100us);
}

TEST_CASE("blktrace's events are repeated once, with flushes around writes that ask for them") {
  const TemporaryFolder folder;
  const std::string binary = records_of_blktrace(
      {{.time_ns = 5000, .kind = trace::Kind::read, .offset = Bytes{4096}, .length = Bytes{4096}},
       {.time_ns = 305000,
        .kind = trace::Kind::write,
        .durable = true,
        .offset = Bytes{8192},
        .length = Bytes{512}}});
  Job job = job_of(folder.write("a.blktrace.0", binary));
  CHECK(arrivals_of({job}, 10us) ==
        Arrivals{"0 us: read 4096+4096", "300 us: write 8192+512", "310 us: flush 0+0"});
  job.replay.skip = {Operation::flush};
  CHECK(arrivals_of({job}, 10us) == Arrivals{"0 us: read 4096+4096", "300 us: write 8192+512"});
}

TEST_CASE("of blktrace's events the queued ones are repeated, or the issued ones without them") {
  const TemporaryFolder folder;
  const trace::Record first{
      .time_ns = 1000, .kind = trace::Kind::read, .offset = Bytes{4096}, .length = Bytes{4096}};
  trace::Record merged = first;
  merged.length = Bytes{8192};
  const std::string queued = events_of_action(records_of_blktrace({first, first}), 1);
  const std::string issued = events_of_action(records_of_blktrace({merged}), 7);
  REQUIRE(queued.size() == 96);
  REQUIRE(issued.size() == 48);
  const Arrivals of_queued{"0 us: read 4096+4096", "10 us: read 4096+4096"};
  const Arrivals of_issued{"0 us: read 4096+8192"};
  const Job both = job_of(folder.write("both", queued + issued));
  CHECK(arrivals_of({both}, 10us) == of_queued);
  CHECK(backend::ReplayLog(both, Bytes{1 << 20}).summary().trace.action == "queued (Q)");
  const Job no_queued = job_of(folder.write("issued", issued));
  CHECK(arrivals_of({no_queued}, 10us) == of_issued);
  CHECK(backend::ReplayLog(no_queued, Bytes{1 << 20}).summary().trace.action == "issued (D)");
}

TEST_CASE("a log's files are one device, which is said") {
  const TemporaryFolder folder;
  const std::string log = folder.write("a.log",
                                       "fio version 3 iolog\n0 f add\n0 f open\n0 g add\n0 g open\n"
                                       "0 f read 0 4096\n9 g read 4096 4096\n");
  CHECK(arrivals_of({job_of(log)}, 1us) == Arrivals{"0 us: read 0+4096", "9 us: read 4096+4096"});
  const std::string error = run_program(run_arguments(folder, "read_iolog=" + log)).err;
  CHECK_MESSAGE(
      error.find("records of 2 devices, replayed as if they were of one\n") != std::string::npos,
      error);
}

TEST_CASE("a job that repeats a log is reported as any other, beside others and in copies") {
  const TemporaryFolder folder;
  const std::string first = folder.write("a.log", version_3);
  const std::string second = folder.write(
      "b.log", "fio version 3 iolog\n0 f add\n0 f open\n0 f sync 0 0\n0 f read 0 512\n");
  const ProgramResult result = run_program(
      run_arguments(folder, "read_iolog=" + first + ":" + second +
                                "\nnumjobs=2\nreplay_skip=trim\nrw=randwrite\nbs=8k\n[other]\n"
                                "rw=write\nsize=64k\nbs=4k\n") +
      Words{"--output-format", "json"});
  REQUIRE(result.status == 0);
  const Json report = Json::parse(result.out);
  const Json& jobs = report["jobs"];
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0]["read"]["total_ios"] == 1);
  CHECK(jobs[0]["write"]["io_bytes"] == 4096);
  CHECK(jobs[0]["trim"]["total_ios"] == 0);
  CHECK(jobs[1]["sync"]["total_ios"] == 1);
  CHECK(jobs[1]["read"]["io_bytes"] == 512);
  CHECK(jobs[2]["write"]["total_ios"] == 16);
  CHECK(result.err.find("beside it without effect, as in fio: rw, bs\n") != std::string::npos);
  CHECK(result.err.find("a.log: 1 records left out (replay_skip)\n") != std::string::npos);
}

TEST_CASE("logs that can't be repeated are errors with their place") {
  const std::string begin = "fio version 3 iolog\n0 f add\n0 f open\n";
  const auto ends_with = [](const std::string& text, const std::string& options,
                            const std::string& expected) {
    const std::string error = error_with(text, options);
    CHECK_MESSAGE(error.find(expected) != std::string::npos, error);
  };
  ends_with(begin + "0 f read 0 4096\n5 f write 100 4096\n", "",
            "a.log:5: expected a request in whole sectors of 512 bytes, found a write of 4096 "
            "bytes at byte 100; replay_align changes offsets");
  ends_with(begin + "0 f read " + std::to_string(2 * small_bytes) + " 4096\n", "replay_scale=2",
            "a.log:4: expected a request within the device of 16384000 bytes, found a read of 4096 "
            "bytes at byte 16384000 (32768000 in the log); replay_scale divides offsets");
  ends_with(begin + "0 f read 0 4096\n8640000000001 f read 0 4096\n", "",
            "a.log:5: expected a request at most 100 days after the first one, found one after "
            "8640000000001000 ns");
  ends_with(begin + "0 f read 0 4096\n7 f raed 0 4096\n", "", "a.log:5: expected read, write");
  ends_with(begin, "", ":2: read_iolog: a.log: expected requests, found none in the whole log");
  ends_with("0 1 0 8 1\n", "", ":2: read_iolog: a.log: expected a log of fio, with the first line");
  ends_with(begin + "0 f read 0 512\n", "rate=1m",
            "expected read_iolog, whose requests have times of their own, or a rate, found both");
}

TEST_CASE("a log is not repeated where there is no clock") {
  const TemporaryFolder folder;
  const std::string log = folder.write("a.log", version_3);
  const std::string job = folder.write("a.fio", "[a]\nread_iolog=" + log + "\n");
  for (const Words& arguments :
       {Words{"run"} + small_drive() + Words{"--prepare", job, "--name=x", "--rw=read"},
        Words{"endurance"} + small_drive() + Words{job}}) {
    const ProgramResult result = run_program(arguments);
    CHECK(result.status == 2);
    CHECK_MESSAGE(
        result.err.find("expected requests of its own, found read_iolog") != std::string::npos,
        result.err);
  }
}

}  // namespace x25sim::test
