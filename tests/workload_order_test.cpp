// The order and the sizes of requests: modifiers of offsets, mixed sizes, maps, trims with writes
// behind them, and flushes; where nothing is random, against fio itself.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nand/random.hpp"
#include "sim/workload/block_map.hpp"
#include "tests/workload_fixture.hpp"

using namespace x25sim;
using namespace x25sim::workload;
using namespace x25sim::test;

namespace {

constexpr std::uint64_t kib = 1024;

std::map<std::uint64_t, std::uint64_t> lengths_of(const std::vector<Request>& requests) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const Request& request : requests) ++counts[request.length.count];
  return counts;
}

// How many standard deviations `count` is off `share` of `total`.
double deviations(std::uint64_t count, std::uint64_t total, double share) {
  const auto all = static_cast<double>(total);
  return std::abs(static_cast<double>(count) - all * share) / std::sqrt(all * share * (1 - share));
}

}  // namespace

TEST_CASE("a map of blocks finds the next free one, as a plain search does") {
  for (const std::uint64_t blocks : {1, 2, 63, 64, 65, 4096, 4097, 300'000}) {
    CAPTURE(blocks);
    Random random(5);
    BlockMap map(blocks);
    std::set<std::uint64_t> free;
    for (std::uint64_t i = 0; i < blocks; ++i) free.insert(i);
    while (!free.empty()) {
      const std::uint64_t from = random.below(blocks);
      const auto right =
          free.lower_bound(from) == free.end() ? free.begin() : free.lower_bound(from);
      const auto found = map.next_free(from);
      REQUIRE(found == *right);
      // Now and then a long run, so that large maps are full in time.
      const std::uint64_t count = 1 + random.below(blocks / 40 + 3);
      std::uint64_t expected = 0;
      while (expected < count && free.erase(*found + expected) == 1) ++expected;
      REQUIRE(map.visit(*found, count) == expected);
    }
    CHECK_FALSE(map.next_free(0).has_value());
    map.clear();
    CHECK(map.next_free(blocks - 1) == blocks - 1);
  }
}

TEST_CASE("fio itself makes the same requests with gaps, backwards, with trims and flushes") {
  const std::vector<std::string> jobs{
      "rw=write:8k\nbs=4k\nsize=64k",
      "rw=write:8k\nbs=4k\nsize=64k\noffset=64k",
      "rw=read:4k\nbs=4k\nsize=64k",
      "rw=read:4k\nbs=4k\nsize=64k\noffset=16k",
      "rw=read:8k\nbs=4k\nsize=64k\nio_size=128k",
      "rw=read:8k\nbs=4k\nsize=64k\nloops=2",
      "rw=read:-8k\nbs=4k\nsize=64k",
      "rw=read:-8k\nbs=4k\nsize=64k\noffset=16k",
      "rw=read:-8k\nbs=4k\nsize=64k\noffset=128k",
      "rw=read:-12k\nbs=8k\nsize=128k",
      "rw=read:-4k\nbs=4k\nsize=32k",
      "rw=trimwrite\nbs=4k\nsize=32k",
      "rw=trimwrite\nbs=4k\nsize=32k\nnumber_ios=5",
      "rw=trimwrite\nbs=4k\nsize=32k\nio_size=16k",
      "rw=write\nbs=4k\nsize=32k\nfsync=4",
      "rw=write\nbs=4k\nsize=32k\nfsync=4\nnumber_ios=4",
      "rw=write\nbs=4k\nsize=32k\nfdatasync=3",
      "rw=write\nbs=16k\nsize=128k\nfsync=3\nio_size=256k",
      "rw=trim\nbs=4k\nsize=32k\nfsync=2\nend_fsync=1",
      "rw=randread\nbs=4k\nsize=64k\noffset=64k\npercentage_random=0",
      "rw=read\nbssplit=,8k\nsize=64k",
      "rw=read\nbs=4k,8k\nsize=64k\nbs_is_seq_rand=1",
  };
  const auto all = requests_of_fio(jobs);
  if (all.empty()) {
    MESSAGE("skipped: fio is not installed");
    return;
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CAPTURE(jobs[i]);
    CHECK(requests_of(jobs[i]) == all[i]);
  }
}

TEST_CASE("rw=randread:4 makes one random request and three behind it, or the same three times") {
  // Chains meet, so that only what follows each random one is certain.
  const auto follow = requests_of("rw=randread:4\nbs=4k\nsize=4g\nnumber_ios=400");
  const auto same =
      requests_of("rw=randread:4\nbs=4k\nsize=4g\nnumber_ios=400\nrw_sequencer=identical");
  REQUIRE(follow.size() == 400);
  REQUIRE(same.size() == 400);
  std::set<std::uint64_t> random;
  for (std::size_t i = 0; i < 400; ++i) {
    if (i % 4 == 0) {
      random.insert(follow[i].offset.count);
      continue;
    }
    CHECK(follow[i].offset == follow[i - 1].offset + Bytes{4096});
    CHECK(same[i].offset == same[i - 1].offset);
  }
  CHECK(random.size() == 100);
}

TEST_CASE("percentage_random is the share of random requests, for each direction") {
  const auto requests =
      requests_of("rw=randrw\nbs=4k\nsize=64g\nnumber_ios=20000\npercentage_random=30,80");
  std::map<Operation, Bytes> position;
  std::map<Operation, std::uint64_t> total;
  std::map<Operation, std::uint64_t> sequential;
  for (const Request& request : requests) {
    ++total[request.operation];
    if (request.offset == position[request.operation]) ++sequential[request.operation];
    position[request.operation] = request.offset + request.length;
  }
  CHECK(deviations(sequential[Operation::read], total[Operation::read], 0.7) < 4);
  CHECK(deviations(sequential[Operation::write], total[Operation::write], 0.2) < 4);
}

TEST_CASE(
    "bs_is_seq_rand gives sequential requests the size of reads, random ones that of writes") {
  const auto requests = requests_of(
      "rw=randread\nbs=4k,16k\nbs_is_seq_rand=1\nsize=64g\nnumber_ios=5000\npercentage_random=50");
  Bytes position;
  for (const Request& request : requests) {
    CHECK(request.length == Bytes{request.offset == position ? 4 * kib : 16 * kib});
    position = request.offset + request.length;
  }
}

TEST_CASE("sizes of bsrange are multiples of the smallest, each as often, up to the region's end") {
  const auto requests = requests_of("rw=read\nbsrange=4k-16k\nsize=512m");
  const auto lengths = lengths_of(requests);
  REQUIRE(lengths.size() == 4);
  for (std::uint64_t length = 4 * kib; length <= 16 * kib; length += 4 * kib) {
    CHECK(deviations(lengths.at(length), requests.size(), 0.25) < 4);
  }
  Bytes position;
  for (const Request& request : requests) {
    CHECK(request.offset == position);
    position += request.length;
  }
  CHECK(position == Bytes{512 << 20});
  // The largest is no multiple of the smallest: it has what is left, as the formula of fio has it.
  const auto odd = requests_of("rw=read\nbsrange=4k-10k\nsize=512m");
  const auto odd_lengths = lengths_of(odd);
  REQUIRE(odd_lengths.size() == 3);
  CHECK(deviations(odd_lengths.at(4 * kib), odd.size(), 0.4) < 4);
  CHECK(deviations(odd_lengths.at(8 * kib), odd.size(), 0.4) < 4);
  CHECK(deviations(odd_lengths.at(10 * kib), odd.size(), 0.2) < 4);
  // Without alignment to the smallest every whole sector occurs.
  const auto unaligned = lengths_of(requests_of("rw=read\nbsrange=4k-8k\nbs_unaligned\nsize=64m"));
  CHECK(unaligned.size() == 9);
  CHECK(unaligned.contains(4608));
}

TEST_CASE("sizes of bssplit have their shares, for each direction") {
  const auto requests = requests_of(
      "rw=randrw\nbssplit=4k/10:64k/50:32k/40,8k/70:16k\nnorandommap\nsize=64g\n"
      "number_ios=20000");
  std::map<Operation, std::vector<Request>> by;
  for (const Request& request : requests) by[request.operation].push_back(request);
  const auto reads = lengths_of(by[Operation::read]);
  const auto writes = lengths_of(by[Operation::write]);
  REQUIRE(reads.size() == 3);
  REQUIRE(writes.size() == 2);
  CHECK(deviations(reads.at(4 * kib), by[Operation::read].size(), 0.1) < 4);
  CHECK(deviations(reads.at(64 * kib), by[Operation::read].size(), 0.5) < 4);
  CHECK(deviations(reads.at(32 * kib), by[Operation::read].size(), 0.4) < 4);
  CHECK(deviations(writes.at(8 * kib), by[Operation::write].size(), 0.7) < 4);
  CHECK(deviations(writes.at(16 * kib), by[Operation::write].size(), 0.3) < 4);
}

TEST_CASE("with mixed sizes a map is kept, too: every block is visited once in a pass") {
  for (const std::string options :
       {"rw=randread\nbsrange=4k-64k\n", "rw=randwrite\nbssplit=8k/30:16k/30:4k\n",
        "rw=randread\nbsrange=4k-64k\nrandom_generator=lfsr\n",
        "rw=randread\nbs=4k,16k\nbs_is_seq_rand=1\n", "rw=randtrimwrite\nbsrange=4k-64k\n"}) {
    CAPTURE(options);
    auto requests = requests_of(options + "size=4m\noffset=512\nloops=2");
    if (options.find("trimwrite") != std::string::npos) {
      std::erase_if(requests, [](const Request& r) { return r.operation == Operation::write; });
    }
    std::vector<std::uint64_t> visits(1024);
    std::uint64_t pass = 0;
    std::uint64_t blocks = 0;
    for (const Request& request : requests) {
      REQUIRE(request.offset.count % 4096 == 512);
      for (std::uint64_t at = 0; at < request.length.count; at += 4096) {
        CHECK(visits.at((request.offset.count - 512 + at) / 4096)++ == pass);
        ++blocks;
      }
      pass = blocks / 1024;
    }
    CHECK(blocks == 2048);
  }
}

TEST_CASE("lfsr visits every block once even without a map") {
  const auto offsets =
      offsets_of(requests_of("rw=randread\nbs=4k\nsize=4m\nnorandommap\nrandom_generator=lfsr"));
  CHECK(sorted(offsets) == blocks_from(0, 4096, 1024));
}

TEST_CASE("blockalign is where random requests begin") {
  for (const auto& [options, places] :
       {std::pair{std::string("bs=16k\nblockalign=4k"), 29u}, {"bs=4k\nblockalign=16k", 8u}}) {
    CAPTURE(options);
    const auto requests = requests_of("rw=randread\nsize=128k\nio_size=8m\n" + options);
    std::set<std::uint64_t> offsets;
    for (const Request& request : requests) {
      offsets.insert(request.offset.count);
      CHECK(request.offset + request.length <= Bytes{128 * kib});
    }
    CHECK(offsets.size() == places);
    for (const std::uint64_t offset : offsets) CHECK(offset % (places == 8 ? 16384 : 4096) == 0);
  }
}

TEST_CASE("a random trim is followed by the write of the same bytes") {
  const auto requests = requests_of("rw=randtrimwrite\nbsrange=4k-16k\nsize=1m");
  REQUIRE(requests.size() % 2 == 0);
  for (std::size_t i = 0; i < requests.size(); i += 2) {
    CHECK(requests[i].operation == Operation::trim);
    CHECK(requests[i + 1] == Request{Operation::write, requests[i].offset, requests[i].length});
  }
}

TEST_CASE("in a mixed job a flush follows every so many writes, and counts for nothing else") {
  const auto requests =
      requests_of("rw=randrw\nbs=4k\nsize=64m\nnumber_ios=1000\nfsync=3\nrwmixread=60");
  std::uint64_t writes = 0;
  std::uint64_t flushes = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].operation == Operation::write) ++writes;
    if (requests[i].operation != Operation::flush) continue;
    ++flushes;
    CHECK(requests[i] == Request{Operation::flush, {}, {}});
    CHECK(requests.at(i - 1).operation == Operation::write);
    CHECK(writes == 3 * flushes);
  }
  CHECK(requests.size() == 1000 + flushes);
  CHECK(flushes >= writes / 3 - 1);
}

TEST_CASE("odd regions end every kind of job, inside the region") {
  for (const std::string rw :
       {"read:512", "read:-512", "write:4k", "randread:3", "randrw:2", "randtrimwrite", "rw:8k"}) {
    for (const std::string sizes : {"bs=4k", "bsrange=512-6k", "bssplit=512/50:7k",
                                    "bs=4k,8k\nbs_is_seq_rand=1", "bs=4k\nblockalign=512"}) {
      if (rw == "randtrimwrite" && sizes.find("8k") != std::string::npos) continue;
      for (const std::string more :
           {"", "offset=512", "rw_sequencer=identical", "loops=3", "io_size=1m",
            "random_distribution=zipf:0.9", "random_generator=lfsr\nnorandommap",
            "percentage_random=20"}) {
        CAPTURE(rw);
        CAPTURE(sizes);
        CAPTURE(more);
        const Job job = job_with("rw=" + rw + "\nsize=33280\n" + sizes + "\n" + more);
        const auto requests = requests_of(job, 3, 20'000);
        CHECK(requests.size() < 20'000);
        CHECK_FALSE(requests.empty());
        bool inside = true;
        for (const Request& request : requests) {
          inside &= request.offset >= job.offset && request.length.count > 0 &&
                    request.offset + request.length <= job.offset + job.size;
        }
        CHECK(inside);
      }
    }
  }
}

TEST_CASE("lengths from a range far beyond the region are drawn from the part that fits") {
  const Job job =
      job_with("rw=randwrite\nsize=64k\nio_size=1g\nbsrange=4k-4t\nnorandommap\nnumber_ios=2000");
  std::vector<std::uint64_t> counts(16);
  for (const Request& request : requests_of(job, 3, 2000)) {
    REQUIRE(request.offset + request.length <= job.offset + job.size);
    if (request.offset == job.offset) ++counts.at(request.length.count / 4096 - 1);
  }
  for (const std::uint64_t count : counts) CHECK(count > 0);  // about 8 each at the region's begin
  // A size without a share is none.
  const Job split = job_with(
      "rw=randwrite\nsize=64k\nio_size=1g\nbssplit=4k/0:64k/100\nnorandommap\nnumber_ios=200");
  const auto requests = requests_of(split, 3, 200);
  CHECK(requests.size() <= 200);
  for (const Request& request : requests) {
    CHECK(request.offset + request.length <= split.offset + split.size);
  }
}
