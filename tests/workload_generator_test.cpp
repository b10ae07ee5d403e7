// The requests of a job: coverage, order, repetition, mixes, seeds, and agreement with fio.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/workload/block_shuffle.hpp"
#include "sim/workload/fio_job_file.hpp"
#include "sim/workload/generator.hpp"
#include "tests/workload_fixture.hpp"

using namespace x25sim;
using namespace x25sim::workload;
using namespace x25sim::test;

namespace {

constexpr std::uint64_t kib = 1024;

std::vector<std::uint64_t> shuffled(std::uint64_t blocks, Random& random) {
  BlockShuffle shuffle(blocks);
  shuffle.restart(random);
  std::vector<std::uint64_t> order;
  while (!shuffle.exhausted()) order.push_back(shuffle.next());
  return order;
}

}  // namespace

TEST_CASE("a shuffle visits every block exactly once, whatever their number") {
  Random random(1);
  std::vector<std::uint64_t> sizes{500, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 65537, 1'000'003};
  for (std::uint64_t size = 1; size < 300; ++size) sizes.push_back(size);
  for (const std::uint64_t size : sizes) {
    CAPTURE(size);
    CHECK(sorted(shuffled(size, random)) == blocks_from(0, 1, size));
  }
}

TEST_CASE("every order of a small region is equally likely") {
  Random random(2);
  std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
  for (int i = 0; i < 120 * 500; ++i) ++counts[shuffled(5, random)];
  REQUIRE(counts.size() == 120);
  std::vector<std::uint64_t> values;
  for (const auto& [order, count] : counts) values.push_back(count);
  CHECK(std::abs(chi_square_excess(values)) < 4);
}

TEST_CASE("every block is equally likely at every place, and every pair at every two places") {
  // 256 is the largest region with a table of its own, 257 the smallest without.
  for (const std::uint64_t blocks : {std::uint64_t{64}, std::uint64_t{257}, std::uint64_t{300}}) {
    CAPTURE(blocks);
    Random random(3);
    std::vector<std::uint64_t> first(blocks);
    std::vector<std::uint64_t> last(blocks);
    std::vector<std::uint64_t> gap(blocks);  // from one block to the next
    std::vector<std::uint64_t> pair(blocks * blocks);
    BlockShuffle shuffle(blocks);
    for (std::uint64_t i = 0; i < 20 * blocks * blocks; ++i) {
      shuffle.restart(random);
      const std::uint64_t a = shuffle.next();
      const std::uint64_t b = shuffle.next();
      ++first[a];
      ++gap[(b + blocks - a) % blocks];
      ++pair[a * blocks + b];
      if (i % 16 == 0) {
        std::uint64_t end = b;
        while (!shuffle.exhausted()) end = shuffle.next();
        ++last[end];
      }
    }
    CHECK(gap[0] == 0);
    gap.erase(gap.begin());
    for (std::uint64_t i = blocks; i-- > 0;) {
      CHECK(pair[i * blocks + i] == 0);
      pair.erase(pair.begin() + static_cast<std::ptrdiff_t>(i * blocks + i));
    }
    CHECK(std::abs(chi_square_excess(first)) < 4);
    CHECK(std::abs(chi_square_excess(last)) < 4);
    CHECK(std::abs(chi_square_excess(gap)) < 4);
    CHECK(std::abs(chi_square_excess(pair)) < 4);
  }
}

TEST_CASE("sequential jobs go through their region block by block") {
  for (const std::string direction : {"read", "write", "trim"}) {
    CAPTURE(direction);
    const auto requests = requests_of("bs=4k\nsize=64k\noffset=1m\nrw=" + direction);
    CHECK(offsets_of(requests) == blocks_from(1024 * kib, 4096, 16));
    for (const Request& request : requests) {
      CHECK(name(request.operation) == direction);
      CHECK(request.length == Bytes{4096});
    }
  }
}

TEST_CASE("random jobs visit every block of their region once, in another order in each loop") {
  for (const std::string direction : {"randread", "randwrite", "randtrim", "randrw"}) {
    CAPTURE(direction);
    // Loops do not repeat each other's offsets.
    const auto offsets =
        offsets_of(requests_of("bs=4k\nsize=4m\noffset=512\nloops=2\nrw=" + direction));
    REQUIRE(offsets.size() == 2048);
    const std::vector first(offsets.begin(), offsets.begin() + 1024);
    const std::vector second(offsets.begin() + 1024, offsets.end());
    CHECK(sorted(first) == blocks_from(512, 4096, 1024));
    CHECK(sorted(second) == blocks_from(512, 4096, 1024));
    CHECK(first != second);
  }
}

TEST_CASE("with norandommap offsets are uniform and repeat") {
  const auto offsets =
      offsets_of(requests_of("rw=randread\nbs=4k\nsize=256k\nio_size=256m\nnorandommap"));
  REQUIRE(offsets.size() == 65536);
  std::vector<std::uint64_t> counts(64);
  for (const std::uint64_t offset : offsets) {
    REQUIRE(offset % 4096 == 0);
    ++counts.at(offset / 4096);
  }
  CHECK(std::abs(chi_square_excess(counts)) < 4);
  const std::set<std::uint64_t> early(offsets.begin(), offsets.begin() + 64);
  CHECK(early.size() < 64);
}

TEST_CASE("random first offsets are uniform over seeds") {
  std::vector<std::uint64_t> counts(16);
  const Job job = job_with("rw=randread\nbs=4k\nsize=64k");
  for (std::uint64_t seed = 0; seed < 16'000; ++seed) {
    ++counts.at(requests_of(job, seed, 1).at(0).offset.count / 4096);
  }
  CHECK(std::abs(chi_square_excess(counts)) < 4);
}

TEST_CASE("no request leaves the region, and a tail that is smaller than a block is not visited") {
  // A region of 10 blocks and a part, for every kind of job.
  for (const std::string direction : {"read", "randread", "rw", "randrw"}) {
    for (const std::string more :
         {"", "norandommap\n", "io_size=1m\n", "loops=7\n", "bs=4k,12k\n"}) {
      CAPTURE(direction);
      CAPTURE(more);
      const Job job = job_with("bs=4k\noffset=8m\nsize=41984\nrw=" + direction + "\n" + more);
      const auto requests = requests_of(job);
      CHECK(requests.size() >= 3);
      for (const Request& request : requests) {
        CHECK(request.offset >= job.offset);
        CHECK(request.offset + request.length <= job.offset + job.size);
      }
    }
  }
}

TEST_CASE("io_size, number_ios and loops end a job where fio ends it") {
  const auto count = [](const std::string& options) { return requests_of(options).size(); };
  // Counts of fio 3.33 with its null engine.
  for (const std::string rw : {"rw=read\n", "rw=randread\n"}) {
    CAPTURE(rw);
    CHECK(count(rw + "bs=4k\nsize=32k\nio_size=16k") == 4);
    CHECK(count(rw + "bs=4k\nsize=32k\nio_size=50k") == 13);  // the last request is whole
    CHECK(count(rw + "bs=4k\nsize=32k\nio_size=64k") == 16);
    CHECK(count(rw + "bs=4k\nsize=1m\nio_size=3000") == 1);
    CHECK(count(rw + "bs=12k\nsize=32k") == 2);
    CHECK(count(rw + "bs=12k\nsize=32k\nloops=2") == 4);
    CHECK(count(rw + "bs=12k\nsize=32k\nio_size=64k") == 6);
    CHECK(count(rw + "bs=4k\nsize=33000") == 8);
    CHECK(count(rw + "bs=4k\nsize=33000\nio_size=66000") == 16);
    CHECK(count(rw + "bs=4k\nsize=32k\nio_size=24k\nloops=3") == 18);
    CHECK(count(rw + "bs=4k\nsize=32k\nnumber_ios=5") == 5);
    CHECK(count(rw + "bs=4k\nsize=32k\nnumber_ios=20") == 8);
    CHECK(count(rw + "bs=4k\nsize=32k\nnumber_ios=5\nloops=3") == 15);
    CHECK(count(rw + "bs=4k\nsize=32k\nnumber_ios=20\nloops=4") == 32);
    CHECK(count(rw + "bs=4k\nsize=32k\nnumber_ios=12\nio_size=64k") == 12);
    CHECK(count(rw + "bs=12k\nsize=32k\nnumber_ios=6\nloops=3") == 6);
  }
}

TEST_CASE("a loop that stops inside the region is continued there by the next") {
  auto expected = blocks_from(0, 4096, 8);
  const auto again = blocks_from(0, 4096, 4);
  expected.insert(expected.end(), again.begin(), again.end());
  CHECK(offsets_of(requests_of("rw=read\nbs=4k\nsize=32k\nio_size=24k\nloops=2")) == expected);

  const auto offsets =
      offsets_of(requests_of("rw=randread\nbs=4k\nsize=32k\nio_size=16k\nloops=2"));
  CHECK(sorted(offsets) == blocks_from(0, 4096, 8));
  // A loop smaller than a block still issues one at the region's end.
  CHECK(requests_of("rw=read\nbs=4k\nsize=32k\nio_size=3000\nloops=20").size() == 20);
}

TEST_CASE("a time based job goes on from the region's begin, and never ends") {
  const auto sequential = offsets_of(requests_of(
      "rw=read\nbs=4k\nsize=32k\nio_size=16k\nnumber_ios=3\ntime_based\nruntime=1", 1, 1000));
  REQUIRE(sequential.size() == 1000);
  for (std::size_t i = 0; i < sequential.size(); ++i) CHECK(sequential[i] == i % 8 * 4096);

  const auto random =
      offsets_of(requests_of("rw=randread\nbs=4k\nsize=32k\ntime_based\nruntime=1", 1, 8000));
  REQUIRE(random.size() == 8000);
  std::set<std::vector<std::uint64_t>> orders;
  for (auto pass = random.begin(); pass != random.end(); pass += 8) {
    const std::vector order(pass, pass + 8);
    CHECK(sorted(order) == blocks_from(0, 4096, 8));
    orders.insert(order);
  }
  CHECK(orders.size() > 900);
}

TEST_CASE("a mixed job has its share of reads by count, and bytes follow the sizes") {
  for (const std::string rw : {"rw=rw\n", "rw=randrw\n"}) {
    for (const int percent : {0, 1, 30, 50, 70, 99, 100}) {
      CAPTURE(rw);
      CAPTURE(percent);
      const auto requests =
          requests_of(rw + "bs=4k,16k\nsize=1g\nrwmixread=" + std::to_string(percent), 9, 10'000);
      REQUIRE(requests.size() == 10'000);
      std::uint64_t reads = 0;
      for (const Request& request : requests) {
        if (request.operation == Operation::read) ++reads;
        CHECK(request.length == Bytes{request.operation == Operation::read ? 4 * kib : 16 * kib});
      }
      const double share = percent / 100.0;
      const double sigma = std::sqrt(10'000 * share * (1 - share));
      CHECK(std::abs(static_cast<double>(reads) - 10'000 * share) <= 3 * sigma);
    }
  }
}

TEST_CASE("in a mixed sequential job reads and writes each have a position of their own") {
  const auto requests = requests_of("rw=rw\nbs=4k,8k\nsize=1m");
  std::map<Operation, std::uint64_t> position;
  std::uint64_t total = 0;
  for (const Request& request : requests) {
    CHECK(request.offset == Bytes{position[request.operation]});
    position[request.operation] += request.length.count;
    total += request.length.count;
  }
  CHECK(position[Operation::read] > 0);
  CHECK(position[Operation::write] > 0);
  CHECK(total >= 1024 * kib);
  CHECK(total < 1024 * kib + 8 * kib);
}

TEST_CASE("directions of different block sizes each visit every block of their own once") {
  const auto requests = requests_of("rw=randrw\nbs=4k,8k\nsize=256k\nio_size=16m", 3);
  std::map<Operation, std::vector<std::uint64_t>> offsets;
  for (const Request& request : requests)
    offsets[request.operation].push_back(request.offset.count);
  for (const auto& [operation, block] :
       {std::pair{Operation::read, 4 * kib}, {Operation::write, 8 * kib}}) {
    const auto& own = offsets[operation];
    const std::uint64_t blocks = 256 * kib / block;
    REQUIRE(own.size() > 4 * blocks);
    const auto pass = static_cast<std::ptrdiff_t>(blocks);
    CHECK(sorted({own.begin(), own.begin() + pass}) == blocks_from(0, block, blocks));
    CHECK(sorted({own.begin() + pass, own.begin() + 2 * pass}) == blocks_from(0, block, blocks));
  }
}

TEST_CASE("equal seeds give equal requests, and every other seed others") {
  const std::string options = "rw=randrw\nbs=4k\nsize=16m\n";
  const auto requests = requests_of(options, 5);
  CHECK(requests == requests_of(options, 5));
  CHECK(requests != requests_of(options, 6));
  CHECK(requests != requests_of(options + "randseed=1\n", 5));
  CHECK(requests_of(options + "randseed=1\n", 5) == requests_of(options + "randseed=1\n", 5));
  // Copies of a job are not copies of its requests.
  Job copy = job_with(options);
  copy.number = 1;
  CHECK(requests != requests_of(copy, 5));
}

TEST_CASE("the mix does not move the offsets, nor the offsets the mix") {
  const std::string options = "rw=randrw\nbs=4k\nsize=16m\n";
  CHECK(offsets_of(requests_of(options + "rwmixread=50")) ==
        offsets_of(requests_of(options + "rwmixread=90")));
  const auto with_map = requests_of(options);
  const auto without = requests_of(options + "norandommap");
  REQUIRE(with_map.size() == without.size());
  for (std::size_t i = 0; i < with_map.size(); ++i) {
    CHECK(with_map[i].operation == without[i].operation);
  }
}

TEST_CASE("large devices need no more memory or time") {
  // 1 TiB in sectors: 2^31 blocks, of which a bitmap would take 256 MiB.
  RequestGenerator generator(job_with("rw=randwrite\nbs=512"), 1);
  std::set<std::uint64_t> offsets;
  for (int i = 0; i < 100'000; ++i) offsets.insert(generator.next()->offset.count);
  CHECK(offsets.size() == 100'000);
  CHECK(*offsets.rbegin() < std::uint64_t{1} << 40);
  CHECK(*offsets.rbegin() > (std::uint64_t{1} << 40) / 1000 * 999);
}

TEST_CASE("fio itself makes the same requests of sequential jobs and visits as many blocks") {
  const std::vector<std::string> jobs{
      "rw=read\nbs=4k\nsize=32k",
      "rw=write\nbs=4k\nsize=32k\noffset=512",
      "rw=trim\nbs=4k\nsize=32k\nloops=2",
      "rw=read\nbs=12k\nsize=32k\nio_size=64k",
      "rw=read\nbs=4k,8k\nsize=32k\nio_size=50k",
      "rw=write\nbs=4k,8k\nsize=33000\nio_size=66000",
      "rw=read\nbs=4k\nsize=32k\nio_size=24k\nloops=3",
      "rw=read\nbs=4k\nsize=32k\nnumber_ios=5\nloops=3",
      "rw=randread\nbs=4k\nsize=256k",
      "rw=randwrite\nbs=12k\nsize=256k",
      "rw=randtrim\nbs=4k\nsize=256k\nio_size=300k",
      "rw=randread\nbs=12k\nsize=32k\nnorandommap",
  };
  const auto all = requests_of_fio(jobs);
  if (all.empty()) {
    MESSAGE("skipped: fio is not installed");
    return;
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CAPTURE(jobs[i]);
    const auto own = requests_of(jobs[i]);
    REQUIRE(own.size() == all[i].size());
    if (!jobs[i].starts_with("rw=rand")) CHECK(own == all[i]);
    for (std::size_t k = 0; k < own.size(); ++k) {
      CHECK(own[k].operation == all[i][k].operation);
      CHECK(own[k].length == all[i][k].length);
    }
    const std::size_t repeat = own.size() == 75 ? 64 : own.size();  // io_size beyond the region
    if (jobs[i].find("norandommap") != std::string::npos) continue;
    const auto visited = [repeat](const std::vector<Request>& requests) {
      auto offsets = offsets_of(requests);
      offsets.resize(repeat);
      return sorted(offsets);
    };
    CHECK(visited(own) == visited(all[i]));
  }
}
