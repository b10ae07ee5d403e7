// Job files in fio and in x25sim, held against each other (tests/fio_comparison.hpp).
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/fio_comparison.hpp"
#include "tests/program.hpp"

using x25sim::test::compare;
using x25sim::test::Expectation;
using x25sim::test::Place;

namespace fs = std::filesystem;

namespace {

constexpr Expectation exact{.exact = true};

// Real time passes in fio, on a machine that does other things too.
constexpr Expectation paced{.exact = true, .rate_within = 0.2};

}  // namespace

TEST_CASE("fio compared: sequential jobs") {
  compare("sequential-read.fio", exact);
  compare("sequential-readwrite.fio", {.chance_ends = true});
  compare("sequential-write-mixed-sizes.fio");
  compare("sequential-with-holes.fio", exact);
  compare("sequential-backward.fio", exact);
  compare("io-size-larger.fio", exact);
  compare("groups.fio", exact);
  compare("include.fio", exact);
}

TEST_CASE("fio compared: random jobs") {
  compare("random-read-map.fio", exact);
  compare("random-write-no-map.fio", exact);
  compare("random-lfsr.fio", exact);
  compare("random-tausworthe64.fio", exact);
  compare("random-mix-by-write-share.fio");
  compare("uniform-named.fio", exact);
  compare("seeds.fio", exact);
  compare("loops.fio", exact);
}

TEST_CASE("fio compared: sizes of requests") {
  compare("sizes-per-direction.fio");
  compare("range-per-direction.fio");
  compare("split.fio");
  compare("split-per-direction.fio");
  compare("split-with-remainder.fio");
  compare("unaligned-range.fio");
  compare("block-align.fio", exact);
  compare("sizes-by-order.fio");
}

TEST_CASE("fio compared: regions") {
  compare("offset.fio", exact);
  compare("offset-increment.fio", exact);
  compare("offset-aligned.fio", exact);
  compare("percent.fio", exact);
  compare("io-size-smaller.fio", exact);
  compare("io-size-percent.fio", exact);
  compare("io-size-of-percent.fio", exact);
  compare("filesize.fio", exact);
}

TEST_CASE("fio compared: runs of sequential requests in random jobs") {
  compare("random-runs.fio", exact);
  compare("random-runs-sequencer.fio", exact);
  compare("random-runs-identical.fio");
  compare("percentage-random.fio", exact);
  compare("percentage-random-per-direction.fio", {.chance_ends = true});
}

TEST_CASE("fio compared: distributions of offsets") {
  // fio scatters the ranks by a hash of its own.
  constexpr Expectation by_rank{.exact = true, .place = Place::same_by_rank};
  compare("zipf.fio", by_rank);
  compare("zipf-centered.fio", by_rank);
  compare("pareto.fio", by_rank);
  compare("normal.fio", by_rank);
  compare("zoned.fio", exact);
  compare("zoned-absolute.fio", exact);
}

TEST_CASE("fio compared: trims and flushes") {
  compare("trim.fio", exact);
  compare("random-trim.fio", exact);
  compare("trim-write.fio", exact);
  compare("random-trim-write.fio", exact);
  compare("fsync.fio", exact);
  compare("fdatasync.fio", exact);
  compare("sync.fio", exact);
}

TEST_CASE("fio compared: depth, batches, thinking and rates") {
  compare("batches.fio", exact);
  compare("latency-target.fio", exact);
  compare("think.fio", paced);
  compare("think-by-issue.fio", paced);
  compare("think-by-time.fio", {.rate_within = 0.2});
  compare("rate.fio", paced);
  compare("rate-iops.fio", paced);
  compare("rate-iops-mixed.fio", {.rate_within = 0.2});
  compare("rate-poisson.fio", paced);
  compare("rate-catching-up.fio", paced);
  compare("times.fio", {.rate_within = 0.2});
}

TEST_CASE("fio compared: logs") {
  compare("logs.fio", exact);
  compare("logs-averaged.fio", paced);
}

TEST_CASE("fio compared: recorded logs") {
  compare("replay.fio", exact);
  compare("replay-no-stall.fio", exact);
  compare("replay-time-scale.fio", paced);
  compare("replay-scale.fio", exact);
  compare("replay-align.fio", exact);
}

TEST_CASE("every job file for the comparison with fio is compared, and they use every option") {
  const std::string source =
      x25sim::test::read_file(fs::path(X25SIM_SOURCE_DIR) / "tests" / "fio_compare_test.cpp");
  int files = 0;
  std::set<std::string> used;
  for (const auto& entry : fs::directory_iterator(x25sim::test::fio_job_folder())) {
    if (entry.path().extension() == ".fio") {
      const std::string name = entry.path().filename().string();
      CAPTURE(name);
      CHECK(source.find("compare(\"" + name + "\"") != std::string::npos);
      ++files;
    }
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line);)
      used.insert(line.substr(0, line.find_first_of("= ")));
  }
  CHECK(files >= 40);
  for (const char* const option : {"include",
                                   "bs",
                                   "bsrange",
                                   "bssplit",
                                   "blockalign",
                                   "rw",
                                   "rw_sequencer",
                                   "rwmixread",
                                   "rwmixwrite",
                                   "percentage_random",
                                   "random_distribution",
                                   "norandommap",
                                   "random_generator",
                                   "randrepeat",
                                   "randseed",
                                   "allrandrepeat",
                                   "iodepth",
                                   "iodepth_batch",
                                   "iodepth_batch_complete_min",
                                   "iodepth_batch_complete_max",
                                   "iodepth_low",
                                   "size",
                                   "io_size",
                                   "filesize",
                                   "offset",
                                   "offset_increment",
                                   "offset_align",
                                   "number_ios",
                                   "runtime",
                                   "time_based",
                                   "ramp_time",
                                   "startdelay",
                                   "loops",
                                   "thinktime",
                                   "thinktime_spin",
                                   "thinktime_blocks",
                                   "thinktime_blocks_type",
                                   "thinktime_iotime",
                                   "rate",
                                   "rate_iops",
                                   "rate_process",
                                   "rate_ignore_thinktime",
                                   "latency_target",
                                   "latency_window",
                                   "latency_percentile",
                                   "latency_run",
                                   "numjobs",
                                   "group_reporting",
                                   "stonewall",
                                   "new_group",
                                   "fsync",
                                   "fdatasync",
                                   "sync",
                                   "read_iolog",
                                   "replay_no_stall",
                                   "replay_time_scale",
                                   "replay_scale",
                                   "replay_align",
                                   "write_iolog",
                                   "write_bw_log",
                                   "write_lat_log",
                                   "write_iops_log",
                                   "log_avg_msec",
                                   "log_offset"}) {
    CAPTURE(option);
    CHECK(used.contains(option));
  }
}
