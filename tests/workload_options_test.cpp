// Each option of fio job files that says what, where, how fast and what is logged: its field, what
// fio changes or refuses where options do not fit together, and errors with their line.
#include <algorithm>
#include <chrono>
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
constexpr std::uint64_t kib = 1024;

JobFile parse(const std::string& options) {
  std::istringstream stream("[job]\n" + options + "\n");
  return parse_fio_jobs(stream, "a.fio", device);
}

Job job_with(const std::string& options) { return parse(options).jobs.at(0); }

std::string error_with(const std::string& options) {
  try {
    parse(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Whether exactly one notice contains `part`.
bool notes(const std::string& options, const std::string& part) {
  const auto notices = parse(options).notices;
  return std::ranges::count_if(notices, [&](const auto& text) { return contains(text, part); }) ==
         1;
}

using Rates = std::array<std::uint64_t, 3>;
using Split = std::vector<BlockSizes::Share>;

}  // namespace

TEST_CASE("rw takes an offset modifier: bytes between sequential requests, or one of how many") {
  CHECK(job_with("rw=write:8k").sequential_step == 8192);
  CHECK(job_with("rw=read:-8k").sequential_step == -8192);
  CHECK(job_with("rw=randread:8").random_every == 8);
  CHECK(job_with("rw=randread:8\nrw=randread").random_every == 1);
  CHECK(job_with("rw_sequencer=identical").sequencer == Sequencer::identical);
  CHECK(error_with("rw=write:1000") ==
        "a.fio:2: rw: expected an offset modifier that is a multiple of 512 bytes, a sector, found "
        "'1000'");
  CHECK(contains(error_with("rw=write:x"), "found 'write:x'"));
  CHECK(contains(error_with("rw=randread:-1"), "found 'randread:-1'"));
  CHECK(error_with("rw=write:-64k\nsize=64k") ==
        "a.fio:1: job 'job': expected an offset modifier below the region's size of 65536, found "
        "-65536");
  CHECK(contains(error_with("rw_sequencer=other"), "expected sequential or identical"));
}

TEST_CASE("bsrange takes one to three ranges, in either order") {
  const auto sizes = job_with("bsrange=4k-16k,32k:8k,").sizes;
  CHECK(sizes[0] == BlockSizes{Bytes{4096}, Bytes{16384}, {}, Bytes{4096}, Bytes{4096}});
  CHECK(sizes[1] == BlockSizes{Bytes{8192}, Bytes{32768}, {}, Bytes{8192}, Bytes{8192}});
  CHECK(sizes[2] == fixed_size(Bytes{4096}));
  // It wins over bs, wherever that stands, as in fio.
  CHECK(job_with("bsrange=4k-8k\nbs=16k").sizes[0].max == Bytes{8192});
  CHECK(job_with("bsrange=(2*2k)-(2^13)").sizes[0].max == Bytes{8192});
  for (const std::string bad : {"4k", "4k-", "-4k", "4k-8x", "4k-8k,1-2-3"}) {
    CHECK(error_with("bsrange=" + bad).starts_with("a.fio:2: bsrange: expected a "));
  }
  CHECK(contains(error_with("bsrange=1k-1500"), "a multiple of 512 bytes, a sector, found '1500'"));
  CHECK(contains(error_with("bssplit=4k/50:8k/50\nbsrange=4k-8k"),
                 "a.fio:3: bsrange: expected no "
                 "bssplit before it"));
}

TEST_CASE("bssplit shares what is missing as fio does") {
  const auto split = [](const std::string& text) {
    return job_with("bssplit=" + text).sizes[0].split;
  };
  CHECK(split("64k/60:4k/40") == Split{{Bytes{4096}, 40}, {Bytes{65536}, 60}});
  CHECK(split("4k:8k/10:64k") == Split{{Bytes{8192}, 10}, {Bytes{4096}, 45}, {Bytes{65536}, 45}});
  CHECK(split("4k:8k:16k") == Split{{Bytes{4096}, 33}, {Bytes{8192}, 33}, {Bytes{16384}, 34}});
  CHECK(split("4k/0:8k/50") == Split{{Bytes{4096}, 50}, {Bytes{8192}, 50}});
  CHECK(notes("bssplit=4k/20:8k/50", "bssplit=4k/20:8k/50: the percentages are 70 together"));
  CHECK(split("4k/20:8k/50") == Split{{Bytes{4096}, 20}, {Bytes{8192}, 80}});
  CHECK(job_with("bssplit=4k").sizes[0] == fixed_size(Bytes{4096}));
  const auto sizes = job_with("bssplit=4k/50:8k,16k").sizes;
  CHECK(sizes[0].max == Bytes{8192});
  CHECK(sizes[2] == fixed_size(Bytes{16384}));
  CHECK(error_with("bssplit=4k/60:8k/60") ==
        "a.fio:2: bssplit: expected percentages of at most 100 together, found 120");
  for (const std::string bad : {"4k/x", "4k/50:", "4k/200", "4k/50/2", ""}) {
    CHECK(error_with("bssplit=" + bad).starts_with("a.fio:2: bssplit: expected block sizes"));
  }
}

TEST_CASE("blockalign holds for random jobs, and turns the map off as in fio") {
  CHECK(job_with("rw=randread\nba=8k\nbs=4k").sizes[0].align == Bytes{8192});
  CHECK(job_with("rw=randread\nblockalign=8k").no_random_map);
  CHECK(notes("rw=randread\nblockalign=8k",
              "a.fio:1: job 'job': blockalign other than the smallest "
              "block size sets norandommap"));
  CHECK(job_with("rw=read\nblockalign=8k").sizes[0].align == Bytes{4096});
  CHECK_FALSE(job_with("rw=randread\nbsrange=4k-8k").no_random_map);
  CHECK(contains(error_with("rw=randread\nblockalign=64k\nsize=32k"),
                 "expected a region of at least one block of 65536 bytes"));
  CHECK(job_with("bs_unaligned\nbsrange=4k-8k").sizes[0].unit == sector_size);
  CHECK(notes("bs_unaligned", "sizes are multiples of a sector"));
  CHECK(job_with("bs_is_seq_rand=1").sizes_by_order);
  CHECK(error_with("rw=trimwrite\nbs=4k,8k,4k") ==
        "a.fio:1: job 'job': expected the same block sizes for trims and for the writes behind "
        "them, found others");
}

TEST_CASE("random_distribution takes fio's six") {
  using Kind = OffsetDistribution::Kind;
  const auto distribution = [](const std::string& text) {
    const Job job = job_with("rw=randread\nrandom_distribution=" + text);
    CHECK(job.no_random_map == (text != "random"));
    return job.distribution;
  };
  CHECK(distribution("random").kind == Kind::uniform);
  CHECK(distribution("zipf").parameter == 1.1);  // fio's defaults
  CHECK(distribution("pareto").parameter == 0.2);
  CHECK(distribution("normal").parameter == 0);
  CHECK(distribution("zipf:1.2:0.25").kind == Kind::zipf);
  CHECK(distribution("zipf:1.2:0.25").parameter == 1.2);
  CHECK(distribution("zipf:1.2:0.25").center == 0.25);
  CHECK_FALSE(distribution("pareto:0.3").center.has_value());
  const auto zones = distribution("zoned:60/10:30:10,100/50").zones;
  CHECK(zones[0] ==
        std::vector<OffsetDistribution::Zone>{{60, 10, {}}, {30, 45, {}}, {10, 45, {}}});
  CHECK(zones[1] == std::vector<OffsetDistribution::Zone>{{100, 50, {}}});
  CHECK(zones[2] == zones[1]);
  CHECK(distribution("zoned_abs:60/4m:40/1m").zones[0].at(1).size == Bytes{1 << 20});

  const auto error = [](const std::string& text) {
    const std::string message = error_with("rw=randread\nrandom_distribution=" + text);
    const std::string place = "a.fio:3: random_distribution: ";
    return message.starts_with(place) ? message.substr(place.size()) : message;
  };
  CHECK(error("zipf:1") == "expected a theta of zipf from 0 other than 1, found 1");
  CHECK(error("zipf:-0.5") == "expected a theta of zipf from 0 other than 1, found -0.5");
  CHECK(error("pareto:1") == "expected a power of pareto between 0 and 1, found 1");
  CHECK(error("normal:100") == "expected a deviation of normal from 0 to below 100, found 100");
  CHECK(error("zipf:1.2:1.5") == "expected a center from 0 to 1, found 1.5");
  CHECK(error("zoned:50/50") == "expected shares of the requests of 100 % together, found 50 %");
  CHECK(error("zoned:60/50:40/60") == "expected zones of at most 100 % of the region, found 110 %");
  for (const std::string bad : {"zipf:x", "zipf:", "zoned", "zoned:", "zoned:100/x", "gauss",
                                "zoned_abs:100", "zoned:100/10,100/10,100/10,100/10"}) {
    CAPTURE(bad);
    const bool refused = error(bad).starts_with("expected random, zipf:THETA");
    CHECK((refused || bad == "zipf:"));  // fio takes that one for its default
  }
  CHECK(
      error("zoned_abs:60/512m:40/1g") ==
      "a.fio:1: job 'job': expected zones within the region of 1073741824 bytes, found 1610612736 "
      "bytes together");
  CHECK(contains(error("zoned:50/1:50/99\nsize=64k"), "expected zones of at least one block"));
}

TEST_CASE("random_generator is read and checked, percentage_random is for each direction") {
  CHECK(job_with("random_generator=lfsr").lfsr);
  CHECK_FALSE(job_with("random_generator=tausworthe64").lfsr);
  CHECK(error_with("random_generator=lfs") ==
        "a.fio:2: random_generator: expected tausworthe, tausworthe64 or lfsr, found 'lfs'");
  CHECK(job_with("percentage_random=50,10,").random_percent ==
        std::array<std::uint32_t, 3>{50, 10, 100});
  CHECK(contains(error_with("percentage_random=101"), "found '101'"));
  CHECK(notes("allrandrepeat=0", "allrandrepeat=0 has no effect"));
}

TEST_CASE("batches of a queue are cut to its depth as in fio") {
  const Batches batches = job_with(
                              "iodepth=16\niodepth_batch=4\niodepth_batch_complete_min=2\n"
                              "iodepth_batch_complete_max=8\niodepth_low=3")
                              .batches;
  CHECK(batches.submit == 4);
  CHECK(batches.complete_min == 2);
  CHECK(batches.complete_max == 8);
  CHECK(batches.low == 3);
  CHECK(job_with("iodepth=16\niodepth_batch_submit=0").batches.submit == 16);
  CHECK(job_with("iodepth=4\niodepth_batch=8").batches.submit == 4);
  CHECK(notes("iodepth=4\niodepth_batch=8", "iodepth_batch=8 is cut to iodepth=4"));
  CHECK(job_with("iodepth=4\niodepth_low=8").batches.low == 0);
  CHECK(notes("iodepth=4\niodepth_low=8", "iodepth_low=8 is more than iodepth"));
  const std::string crossed = "iodepth_batch_complete=3\niodepth_batch_complete_max=2";
  CHECK(job_with(crossed).batches.complete_max == 3);
  CHECK(notes(crossed, "iodepth_batch_complete_max=2 is raised to"));
}

TEST_CASE("rates are for each direction, and a minimum is below its rate") {
  CHECK(job_with("rate=1m").rate.bytes_per_s == Rates{1 << 20, 1 << 20, 1 << 20});
  CHECK(job_with("rate=1m,2m,").rate.bytes_per_s == Rates{1 << 20, 2 << 20, 0});
  CHECK(job_with("rate=,1k").rate.bytes_per_s == Rates{0, 1024, 1024});
  CHECK(job_with("rate_iops=500,100").rate.requests_per_s == Rates{500, 100, 100});
  CHECK(job_with("rate_min=1k").rate.min_bytes_per_s == Rates{1024, 1024, 1024});
  CHECK(job_with("rate_iops_min=7").rate.min_requests_per_s == Rates{7, 7, 7});
  const Rate rate = job_with("rate_process=poisson\nratecycle=250\nrate_ignore_thinktime=1").rate;
  CHECK(rate.poisson);
  CHECK(rate.cycle == 250ms);
  CHECK(rate.ignore_think_time);
  CHECK(error_with("rate=1m\nrate_iops=5") ==
        "a.fio:1: job 'job': expected rate or rate_iops, found both");
  CHECK(error_with("rate_min=1m\nrate_iops_min=5") ==
        "a.fio:1: job 'job': expected rate_min or rate_iops_min, found both");
  CHECK(error_with("rate=1k\nrate_min=2k") ==
        "a.fio:1: job 'job': expected a rate_min of at most rate=1024, found 2048");
  CHECK(contains(error_with("rate=1x"), "expected bytes per second such as 500k"));
}

TEST_CASE("times of thinking and of latencies are microseconds, others seconds") {
  const ThinkTime think = job_with(
                              "thinktime=250\nthinktime_spin=1ms\nthinktime_blocks=7\n"
                              "thinktime_blocks_type=issue\nthinktime_iotime=2")
                              .think_time;
  CHECK(think.time == 250us);
  CHECK(think.spin == 250us);  // cut, as in fio
  CHECK(think.blocks == 7);
  CHECK(think.by_issue);
  CHECK(think.io_time == 2s);
  CHECK(notes("thinktime=1\nthinktime_spin=2", "thinktime_spin is more than thinktime"));
  const LatencyTarget target = job_with(
                                   "latency_target=500\nlatency_window=5s\n"
                                   "latency_percentile=99.9\nlatency_run=1")
                                   .latency_target;
  CHECK(target.target == 500us);
  CHECK(target.window == 5s);
  CHECK(target.percentile == 99.9);
  CHECK(target.run_on);
  CHECK(job_with("startdelay=10ms").start_delay == 10ms);
  CHECK(contains(error_with("startdelay=3-1"), "found '3-1'"));
  CHECK(contains(error_with("latency_percentile=101"), "found '101'"));
  CHECK(contains(error_with("thinktime_blocks=0"), "found '0'"));
}

TEST_CASE("flushes: after so many writes, with each write, at the end") {
  CHECK(job_with("fsync=32").durability.flush_every == 32);
  CHECK(job_with("fdatasync=8").durability.flush_every == 8);
  CHECK(job_with("fsync=8\nfdatasync=8").durability.flush_every == 8);
  CHECK(contains(error_with("fsync=2\nfdatasync=3"), "expected fsync and fdatasync after as many"));
  for (const std::string value : {"1", "sync", "dsync"}) {
    CHECK(job_with("sync=" + value).durability.each_write);
  }
  for (const std::string value : {"0", "none"}) {
    CHECK_FALSE(job_with("sync=" + value).durability.each_write);
  }
  CHECK(contains(error_with("sync=true"), "expected none, 0, sync, 1 or dsync, found 'true'"));
  CHECK(job_with("end_fsync=1").durability.at_end);
  CHECK(job_with("fsync_on_close=1").durability.at_end);
  CHECK_FALSE(job_with("end_fsync=1\nend_fsync=0").durability.at_end);
}

TEST_CASE("logs have names, by default the job's") {
  const JobLogs logs = job_with(
                           "write_bw_log\nwrite_lat_log=lat\nwrite_iops_log\nwrite_iolog=io\n"
                           "log_avg_msec=500\nlog_max_value=1\nlog_offset=1\nper_job_logs=0\n"
                           "log_unix_epoch=1\nname=other")
                           .logs;
  CHECK(logs.bandwidth == "other");
  CHECK(logs.latency == "lat");
  CHECK(logs.iops == "other");
  CHECK(logs.iolog == "io");
  CHECK(logs.average == 500ms);
  CHECK(logs.maximum);
  CHECK(logs.offsets);
  CHECK_FALSE(logs.per_job);
  CHECK(logs.unix_epoch);
  CHECK(error_with("write_iolog").starts_with("a.fio:2: write_iolog: expected '='"));
  CHECK(job_with("group_reporting").group_reporting);
  CHECK_FALSE(job_with("group_reporting=0").group_reporting);
  for (const auto& [value, unified] : {std::pair{std::string("mixed"), UnifiedReporting::mixed},
                                       {"1", UnifiedReporting::mixed},
                                       {"both", UnifiedReporting::both},
                                       {"2", UnifiedReporting::both},
                                       {"0", UnifiedReporting::none}}) {
    CHECK(job_with("unified_rw_reporting=" + value).unified_rw_reporting == unified);
  }
}

TEST_CASE("a job that repeats a log has no region of its own") {
  const JobFile file = parse(
      "read_iolog=a.log:b\\:c.log\nnumjobs=2\nrw=write\nsize=8g\nbs=4k\n"
      "replay_no_stall=1\nreplay_time_scale=50\nreplay_scale=2\n"
      "replay_align=4k\nreplay_skip=read,sync\nwrite_iolog=w\n"
      "replay_redirect=/dev/x\nread_iolog_chunked=1");
  const ReplayLog& replay = file.jobs.at(0).replay;
  CHECK(replay.path == "a.log");
  CHECK(file.jobs.at(1).replay.path == "b:c.log");
  CHECK(replay.where.text() == "a.fio:2");
  CHECK(replay.no_stall);
  CHECK(replay.time_scale_percent == 50);
  CHECK(replay.scale == 2);
  CHECK(replay.align == Bytes{4096});
  CHECK(replay.skip == std::vector{Operation::read, Operation::flush});
  CHECK(file.jobs.at(0).logs.iolog.empty());
  CHECK(file.jobs.at(0).size == device);
  CHECK(contains(file.notices.at(0), "ignored: replay_redirect, read_iolog_chunked"));
  CHECK(contains(file.notices.at(1), "write_iolog is left out beside read_iolog"));
  CHECK(contains(error_with("replay_skip=read,flush"), "found 'read,flush'"));
}

TEST_CASE("filesize ends the region, and size is then what is done in it") {
  const auto region = [](const std::string& options) {
    const Job job = job_with(options);
    return std::array{job.offset.count / kib, job.size.count / kib, job.io_size.count / kib};
  };
  using Region = std::array<std::uint64_t, 3>;
  // fio 3.33 on a file of the device's size.
  CHECK(region("filesize=256k") == Region{0, 256, 256});
  CHECK(region("filesize=256k\nsize=512k") == Region{0, 256, 256});
  CHECK(region("filesize=256k\nsize=128k") == Region{0, 256, 128});
  CHECK(region("filesize=512k\noffset=128k") == Region{128, 384, 384});
  CHECK(region("filesize=512k\nio_size=1m") == Region{0, 512, 1024});
  CHECK(region("filesize=1m-2g") == Region{0, 1048576, 1048576});
  const Job drawn = job_with("filesize=1m-2m");
  CHECK(drawn.size >= Bytes{1 << 20});
  CHECK(drawn.size <= Bytes{2 << 20});
  CHECK(contains(error_with("filesize=2g"), "a.fio:2: job 'job': expected a region within"));
  CHECK(contains(error_with("filesize=64k\noffset=64k"), "expected a filesize above the offset"));
}

TEST_CASE("offsets in percent are aligned to offset_align") {
  CHECK(job_with("offset=10%").offset == Bytes{107376640});  // to 4 KiB
  CHECK(job_with("offset=10%\noffset_align=1m").offset == Bytes{103 << 20});
  CHECK(job_with("offset=4k\noffset_align=1m").offset == Bytes{4096});
  CHECK(contains(error_with("offset_align=100"), "found '100'"));
  CHECK(contains(error_with("offset_increment=100"), "found '100'"));
}

TEST_CASE("values may be arithmetic in parentheses") {
  CHECK(job_with("size=(4096*128)").size == Bytes{4096 * 128});
  CHECK(job_with("bs=(2*2k),(3*4k)").sizes[1].min == Bytes{3 * 4096});
  CHECK(job_with("runtime=(10*6)").runtime == 60s);
  CHECK(job_with("iodepth=(2^5)").iodepth == 32);
  CHECK(contains(error_with("size=(4096*128"), "found '(4096*128'"));
}
