// fio job files: options, sections, regions, and every error with its file and line.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "nand/errors.hpp"
#include "sim/workload/fio_job_file.hpp"

using namespace x25sim;
using namespace x25sim::workload;
using namespace std::chrono_literals;

namespace {

constexpr Bytes device{std::uint64_t{1} << 30};

JobFile parse(const std::string& text, JobNumbering first = {}) {
  std::istringstream stream(text);
  return parse_fio_jobs(stream, "a.fio", device, first);
}

// The only job of a file.
Job job_of(const std::string& text) {
  const JobFile file = parse(text);
  REQUIRE(file.jobs.size() == 1);
  return file.jobs.front();
}

Job job_with(const std::string& options) { return job_of("[job]\n" + options + "\n"); }

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

// Of a file with the one option in line 2.
std::string error_with(const std::string& option) { return error_of("[job]\n" + option + "\n"); }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// How many notices contain `part`.
long notices_with(const JobFile& file, const std::string& part) {
  return std::count_if(file.notices.begin(), file.notices.end(),
                       [&](const std::string& notice) { return contains(notice, part); });
}

}  // namespace

TEST_CASE("a job without options has fio's defaults and the whole device") {
  const Job job = job_of("[job]\n");
  CHECK(job.name == "job");
  CHECK(job.where.text() == "a.fio:1");
  CHECK(job.direction == Direction::read);
  CHECK_FALSE(job.random);
  for (const BlockSizes& sizes : job.sizes) CHECK(sizes == fixed_size(Bytes{4096}));
  CHECK(job.iodepth == 1);
  CHECK(job.offset == Bytes{0});
  CHECK(job.size == device);
  CHECK(job.io_size == device);
  CHECK_FALSE(job.number_ios.has_value());
  CHECK_FALSE(job.runtime.has_value());
  CHECK_FALSE(job.time_based);
  CHECK(job.read_percent == 50);
  CHECK(job.loops == 1);
  CHECK(job.options.empty());
}

TEST_CASE("each option sets its field") {
  CHECK(job_with("iodepth=32").iodepth == 32);
  CHECK(job_with("iodepth=4k").iodepth == 4096);
  CHECK(job_with("size=64m").size == Bytes{64 << 20});
  CHECK(job_with("io_size=2g").io_size == Bytes{std::uint64_t{2} << 30});
  CHECK(job_with("io_limit=1m").io_size == Bytes{1 << 20});
  CHECK(job_with("number_ios=100").number_ios == 100);
  CHECK_FALSE(job_with("number_ios=0").number_ios.has_value());
  CHECK(job_with("offset=1m").offset == Bytes{1 << 20});
  CHECK(job_with("runtime=90").runtime == 90s);
  CHECK(job_with("timeout=90").runtime == 90s);
  CHECK_FALSE(job_with("runtime=0").runtime.has_value());
  CHECK(job_with("runtime=1\ntime_based").time_based);
  CHECK(job_with("runtime=1\ntime_based=1").time_based);
  CHECK_FALSE(job_with("runtime=1\ntime_based=0").time_based);
  CHECK(job_with("ramp_time=500ms").ramp_time == 500ms);
  CHECK(job_with("rwmixread=70").read_percent == 70);
  CHECK(job_with("rwmixwrite=70").read_percent == 30);
  CHECK(job_with("rwmixread=70\nrwmixwrite=60").read_percent == 40);
  CHECK(job_with("rwmixwrite=60\nrwmixread=70").read_percent == 70);
  CHECK(job_with("randseed=0x10").random_seed == 16);
  CHECK(job_with("norandommap").no_random_map);
  CHECK_FALSE(job_with("norandommap=0").no_random_map);
  CHECK(job_with("loops=3").loops == 3);
  CHECK(job_with("name=other").name == "other");
}

TEST_CASE("rw names direction and randomness") {
  struct Case {
    std::string name;
    Direction direction;
    bool random;
  };
  for (const Case& c : {Case{"read", Direction::read, false},
                        {"write", Direction::write, false},
                        {"trim", Direction::trim, false},
                        {"randread", Direction::read, true},
                        {"randwrite", Direction::write, true},
                        {"randtrim", Direction::trim, true},
                        {"rw", Direction::mixed, false},
                        {"readwrite", Direction::mixed, false},
                        {"randrw", Direction::mixed, true},
                        {"trimwrite", Direction::trim_write, false},
                        {"randtrimwrite", Direction::trim_write, true}}) {
    CAPTURE(c.name);
    for (const std::string option : {"rw=", "readwrite="}) {
      const Job job = job_with(option + c.name);
      CHECK(job.direction == c.direction);
      CHECK(job.random == c.random);
    }
  }
}

TEST_CASE("bs takes one to three sizes, and commas keep a direction as it was") {
  const auto sizes = [](const std::string& options) {
    const auto& size = job_with(options).sizes;
    for (const BlockSizes& one : size) CHECK(one == fixed_size(one.min));
    return std::array{size[0].min.count, size[1].min.count, size[2].min.count};
  };
  using Sizes = std::array<std::uint64_t, 3>;
  CHECK(sizes("bs=8k") == Sizes{8192, 8192, 8192});
  CHECK(sizes("blocksize=8k") == Sizes{8192, 8192, 8192});
  CHECK(sizes("bs=8k,32k") == Sizes{8192, 32768, 32768});
  CHECK(sizes("bs=8k,16k,32k") == Sizes{8192, 16384, 32768});
  CHECK(sizes("bs=8k,32k,") == Sizes{8192, 32768, 4096});
  CHECK(sizes("bs=,8k") == Sizes{4096, 8192, 8192});
  CHECK(sizes("bs=,8k,") == Sizes{4096, 8192, 4096});
  CHECK(sizes("bs=8k,") == Sizes{8192, 4096, 4096});
  CHECK(sizes("bs=16k\nbs=,8k") == Sizes{16384, 8192, 8192});
}

TEST_CASE("global sections accumulate and apply to the jobs after them") {
  const JobFile file = parse(
      "[global]\nbs=8k\nrw=randread\n[a]\n[Global]\niodepth=4\n[b]\nbs=16k\n[a]\n"
      "[globally]\nloops=2\n[c]\n");
  REQUIRE(file.jobs.size() == 4);
  CHECK(file.jobs[0].sizes[0] == fixed_size(Bytes{8192}));
  CHECK(file.jobs[0].iodepth == 1);
  CHECK(file.jobs[1].sizes[0] == fixed_size(Bytes{16384}));
  CHECK(file.jobs[1].iodepth == 4);
  CHECK(file.jobs[2].name == "a");  // a name may come twice
  CHECK(file.jobs[2].sizes[0] == fixed_size(Bytes{8192}));
  CHECK(file.jobs[3].loops == 2);
  CHECK(notices_with(file, "a.fio:10: section [globally] is a global one") == 1);
}

TEST_CASE("a job keeps its options as they are written, globals first") {
  const Job job =
      job_of("[global]\nbs=8k\ndirect=1\n[a]\nreadwrite=read\ntime_based\nbs=4k\nruntime=1\n");
  const std::vector<std::pair<std::string, std::string>> expected{
      {"bs", "8k"},       {"direct", "1"}, {"readwrite", "read"},
      {"time_based", ""}, {"bs", "4k"},    {"runtime", "1"}};
  CHECK(job.options == expected);
}

TEST_CASE("comments, blanks, line ends and byte-order marks do not matter") {
  const Job job = job_of(
      "\xef\xbb\xbf; comment\r\n# comment\r\n\r\n  [ job ]  ; comment\r\n\tbs = 8k # comment\r\n"
      "  iodepth=4;comment\r\nrw = randread\r\n   \r\nloops=2");
  CHECK(job.name == "job");
  CHECK(job.where.line == 4);
  CHECK(job.sizes[0] == fixed_size(Bytes{8192}));
  CHECK(job.iodepth == 4);
  CHECK(job.random);
  CHECK(job.loops == 2);
}

TEST_CASE("kb_base applies to its whole section, wherever it stands") {
  CHECK(job_with("size=1m\nkb_base=1000").size == Bytes{1'000'000});
  CHECK(job_with("size=1MiB\nkb_base=1000").size == Bytes{1 << 20});
  CHECK(job_of("[global]\nsize=1m\n[a]\nkb_base=1000\n").size == Bytes{1 << 20});
  CHECK(job_of("[global]\nkb_base=1000\n[a]\nsize=1m\n").size == Bytes{1'000'000});
  CHECK(parse("[a]\nsize=1MiB\nkb_base=1000\n").notices.empty());
  CHECK(notices_with(parse("[a]\nsize=1MiB\n"),
                     "a.fio:2: size=1MiB is 1000000: with kb_base=1024 fio reads it so") == 1);
  CHECK(parse("[a]\nsize=1M\n").notices.empty());
}

TEST_CASE("percentages are of the device, in whole blocks, and end with it as in fio") {
  // fio 3.33 on a file of 1 MiB.
  constexpr Bytes file_size{1 << 20};
  const auto region = [](const std::string& options) {
    std::istringstream stream("[job]\n" + options + "\n");
    const Job job = parse_fio_jobs(stream, "a.fio", file_size).jobs.at(0);
    return std::pair{job.offset.count, job.size.count};
  };
  using Region = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(region("size=50%") == Region{0, 524288});
  CHECK(region("size=33%") == Region{0, 344064});
  CHECK(region("size=1%") == Region{0, 8192});
  CHECK(region("size=100%") == Region{0, 1048576});
  CHECK(region("offset=33%") == Region{348160, 700416});
  CHECK(region("offset=33%\nsize=33%") == Region{348160, 344064});
  CHECK(region("offset=50%\nsize=60%") == Region{524288, 524288});
  CHECK(region("bs=64k\nsize=33%\noffset=10%") == Region{131072, 327680});
  CHECK(region("bs=4k,64k\noffset=10%").first == 106496);
  CHECK(job_with("size=1m\nio_size=50%").io_size == Bytes{1 << 19});
  CHECK(job_with("size=0").size == device);
}

TEST_CASE("stonewall starts a group, new_group only one of the reports") {
  const JobFile file = parse(
      "[global]\nbs=4k\n[a]\nstonewall\n[b]\n[c]\nnew_group\nnumjobs=2\n[d]\nwait_for_previous\n"
      "numjobs=2\n[e]\n");
  REQUIRE(file.jobs.size() == 7);
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> reports;
  for (std::size_t i = 0; i < file.jobs.size(); ++i) {
    CHECK(file.jobs[i].number == i);
    groups.push_back(file.jobs[i].group);
    reports.push_back(file.jobs[i].report_group);
  }
  CHECK(groups == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1});
  CHECK(reports == std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 2});
  CHECK(file.next == JobNumbering{.number = 7, .group = 2, .report_group = 3});

  // The next file of a run goes on from there, its first job's stonewall or not.
  for (const std::string options : {"", "stonewall\n"}) {
    const JobFile second = parse("[f]\n" + options + "[g]\n", file.next);
    CHECK(second.jobs[0].number == 7);
    CHECK(second.jobs[0].group == 2);
    CHECK(second.jobs[1].number == 8);
    CHECK(second.jobs[1].group == 2);
    CHECK(second.jobs[1].report_group == 3);
  }
}

TEST_CASE("options without a meaning here are accepted and listed once") {
  const JobFile file = parse(
      "[global]\nioengine=libaio\ndirect=1\nfilename=/dev/sdx\ndisk_util=0\n"
      "[a]\ndirect=1\nthread\n[b]\ndirect=0\nrandrepeat=1\n");
  REQUIRE(file.notices.size() == 1);
  CHECK(file.notices[0] ==
        "a.fio: without a meaning for a simulated drive, ignored: ioengine, direct, filename, "
        "disk_util, thread");
  CHECK(notices_with(parse("[a]\nrandrepeat=0\n"), "a.fio:2: randrepeat=0 has no effect") == 1);
}

TEST_CASE("a depth that fio would not reach is said once") {
  for (const std::string engine : {"", "ioengine=psync\n", "ioengine=sync\n", "ioengine=mmap\n"}) {
    CAPTURE(engine);
    const JobFile file =
        parse("[global]\niodepth=4\n" + engine + "[a]\nnumjobs=3\n[b]\n[c]\niodepth=1\n");
    CHECK(notices_with(file,
                       "fio itself would run at depth 1, for want of an asynchronous "
                       "ioengine: a, b") == 1);
    CHECK(file.jobs[0].iodepth == 4);
  }
  CHECK(notices_with(parse("[a]\niodepth=4\nioengine=libaio\n"), "depth 1") == 0);
  CHECK(notices_with(parse("[a]\n"), "depth 1") == 0);
}

TEST_CASE("time_based without a runtime has no effect, as in fio, and says so") {
  const JobFile file = parse("[a]\ntime_based\n");
  CHECK_FALSE(file.jobs[0].time_based);
  CHECK(notices_with(file, "a.fio:1: job 'a' has time_based but no runtime") == 1);
}

TEST_CASE("an unknown option is an error that names the nearest known one") {
  CHECK(error_with("iodpeth=4") == "a.fio:2: unknown option 'iodpeth', did you mean 'iodepth'?");
  CHECK(error_with("BS=4k") == "a.fio:2: unknown option 'BS', did you mean 'bs'?");
  CHECK(error_with("run_time=4") == "a.fio:2: unknown option 'run_time', did you mean 'runtime'?");
  CHECK(error_with("xyzzy") == "a.fio:2: unknown option 'xyzzy'");
  CHECK(error_with("zonemode=zbd") == "a.fio:2: option 'zonemode' is not supported");
  CHECK(error_with("verify=crc32c") == "a.fio:2: option 'verify' is not supported");
  CHECK(error_of("[global]\n\niodpeth=4\n") ==
        "a.fio:3: unknown option 'iodpeth', did you mean 'iodepth'?");
}

TEST_CASE("a value that an option can't have is an error with line, expectation and finding") {
  CHECK(error_with("iodepth=0") ==
        "a.fio:2: iodepth: expected an integer from 1 to 1048576, found '0'");
  CHECK(error_with("iodepth") == "a.fio:2: iodepth: expected '=' and an integer from 1 to 1048576");
  CHECK(error_with("rw=reads") ==
        "a.fio:2: rw: expected one of read, write, trim, randread, randwrite, randtrim, rw, "
        "readwrite, randrw, trimwrite, randtrimwrite, or one of them with an offset modifier such "
        "as write:8k or randread:8, found 'reads'");
  CHECK(contains(error_with("rw=READ"), "found 'READ'"));
  CHECK(contains(error_with("rw=randread:0"), "found 'randread:0'"));
  CHECK(contains(error_with("rw=randread:8k"), "found 'randread:8k'"));
  CHECK(error_with("bs=512k:1m").starts_with("a.fio:2: bs: expected a block size"));
  CHECK(contains(error_with("bs=4k,8k,16k,32k"), "found '4k,8k,16k,32k'"));
  CHECK(contains(error_with("bs=0"), "found '0'"));
  CHECK(error_with("bs=1000") ==
        "a.fio:2: bs: expected a multiple of 512 bytes, a sector, found '1000', which fio reads as "
        "1000 bytes with kb_base=1024");
  CHECK(contains(error_with("bs=4KiB"), "found '4KiB', which fio reads as 4000 bytes"));
  CHECK(error_with("runtime=5x") ==
        "a.fio:2: runtime: expected a time such as 30 (seconds), 500ms, 10us, 30s, 5m, 1h, found "
        "'5x'");
  CHECK(error_with("runtime").starts_with("a.fio:2: runtime: expected '=' and a time"));
  CHECK(error_with("time_based=yes") ==
        "a.fio:2: time_based: expected no value, 0 or 1, found 'yes'");
  CHECK(error_with("rwmixread=101") ==
        "a.fio:2: rwmixread: expected a percentage from 0 to 100, without a sign, found '101'");
  CHECK(contains(error_with("rwmixwrite=50%"), "found '50%'"));
  CHECK(contains(error_with("loops=0"), "found '0'"));
  CHECK(contains(error_with("numjobs=0"), "found '0'"));
  CHECK(contains(error_with("numjobs=5000"), "found '5000'"));
  CHECK(contains(error_with("size=101%"), "found '101%'"));
  CHECK(contains(error_with("size=0%"), "found '0%'"));
  CHECK(contains(error_with("size="), "found ''"));
  CHECK(contains(error_with("io_size=200%"), "found '200%'"));
  CHECK(contains(error_with("randseed=abc"), "found 'abc'"));
  CHECK(contains(error_with("randrepeat=2"), "found '2'"));
  CHECK(contains(error_with("kb_base=1k"), "expected 1024 or 1000, found '1k'"));
  CHECK(contains(error_with("ioengine=cpuio"), "found 'cpuio'"));
  CHECK(contains(error_with("size=\"1m\""), "found '\"1m\"'"));  // fio takes no quotes either
  CHECK(contains(error_with("bs=${BS}"), "environment variables are not expanded"));
  CHECK(error_with("number_ios=-1").starts_with("a.fio:2: number_ios: expected a number"));
}

TEST_CASE("a region that does not lie within the device is an error at its option") {
  CHECK(error_with("size=2g") ==
        "a.fio:2: job 'job': expected a region within the device of 1073741824 bytes, found offset "
        "0 + size 2147483648");
  CHECK(error_of("[job]\nsize=512m\nbs=4k\noffset=513m\n") ==
        "a.fio:4: job 'job': expected a region within the device of 1073741824 bytes, found offset "
        "537919488 + size 536870912");
  CHECK(error_with("offset=40802189312") ==
        "a.fio:2: job 'job': expected a region within the device of 1073741824 bytes, found offset "
        "40802189312");
  CHECK(error_with("offset=1g").starts_with("a.fio:2: job 'job'"));
  CHECK(error_with("offset=100%").starts_with("a.fio:2: job 'job'"));
  CHECK(error_with("size=18446744073709551615\noffset=512") != "none");  // no wrap in 64 bits
  CHECK(error_with("offset=32\nbs=4k") ==
        "a.fio:2: offset: expected a multiple of 512 bytes such as 4096, 512m or 1g, or a "
        "percentage from 1% to 100%, found '32'");
  CHECK(job_with("offset=512").offset == Bytes{512});
  CHECK(job_with("offset=512").size == device - Bytes{512});
  CHECK(error_of("[global]\nsize=4k\n[job]\nbs=8k\n") ==
        "a.fio:2: job 'job': expected a region of at least one block of 8192 bytes, found offset 0 "
        "+ size 4096 on the device of 1073741824 bytes");
  CHECK(error_with("bs=2g") ==
        "a.fio:1: job 'job': expected a region of at least one block of 2147483648 bytes, found "
        "offset 0 + size 1073741824 on the device of 1073741824 bytes");
  // Only the directions that the job has must fit.
  CHECK(job_with("rw=read\nbs=4k,8k\nsize=4k").size == Bytes{4096});
  CHECK(error_with("rw=rw\nbs=4k,8k\nsize=4k") != "none");
}

TEST_CASE("a file that is no job file is an error with its line") {
  CHECK(error_of("") == "a.fio: expected at least one job section such as [job], found none");
  CHECK(error_of("; nothing\n\n") ==
        "a.fio: expected at least one job section such as [job], found none");
  CHECK(error_of("[global]\nbs=4k\n").starts_with("a.fio: expected at least one job section"));
  CHECK(error_of("bs=4k\n[a]\n") ==
        "a.fio:1: expected a section such as [global] before the first option, found 'bs=4k'");
  CHECK(error_of("[a\nbs=4k\n") == "a.fio:1: expected ']' at the end of '[a'");
  CHECK(error_of("[]\n") == "a.fio:1: expected the name of a section, found '[]'");
  CHECK(error_of("[a] b\n") == "a.fio:1: expected nothing after '[a]', found 'b'");
  CHECK(error_with("=4") == "a.fio:2: expected option=value, found '=4'");
  CHECK(error_with("iodepth 4").starts_with("a.fio:2: unknown option 'iodepth 4'"));
  std::string many;
  for (int i = 0; i < 3; ++i) many += "[a]\nnumjobs=2000\n";
  CHECK(error_of(many) == "a.fio:5: expected at most 4096 jobs, found more");
}

TEST_CASE("a job file that can't be opened is an error with its path") {
  CHECK_THROWS_WITH_AS(read_fio_job_file("/no/such.fio", device),
                       "/no/such.fio: can't open the job file: No such file or directory",
                       InputError);
  CHECK_THROWS_WITH_AS(read_fio_job_file("/", device), "/: expected a job file, found a directory",
                       InputError);
}
