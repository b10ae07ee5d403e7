#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "nand/array.hpp"
#include "nand/huge_array.hpp"
#include "nand/random.hpp"
#include "nand/timing.hpp"
#include "tests/message_of_stop.hpp"

using namespace x25sim;
using test::message_of_stop;

namespace {

nand::Geometry small() {
  nand::Geometry geometry;
  geometry.channels = 2;
  geometry.dies_per_package = 2;
  geometry.planes_per_die = 2;
  geometry.blocks_per_die = 4;
  geometry.pages_per_block = 4;
  return geometry;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("page numbers count pages, blocks, dies and channels, and come back from their parts") {
  const nand::Geometry geometry = small();
  CHECK(geometry.dies() == 4);
  CHECK(geometry.blocks() == 16);
  CHECK(geometry.pages() == 64);
  for (std::uint32_t number = 0; number < geometry.pages(); ++number) {
    const Ppn page{number};
    const BlockId block = geometry.block_of(page);
    CHECK(geometry.page_at(block, geometry.page_in_block(page)) == page);
    CHECK(index(geometry.die_of(page)) == number / 16);
    CHECK(index(geometry.channel_of(geometry.die_of(page))) == number / 32);
    CHECK(index(geometry.plane_of(block)) == number / 4 % 2);
  }
}

TEST_CASE("shapes that cannot be are named by their quantity") {
  nand::Geometry geometry = small();
  CHECK(geometry.problem() == "");
  geometry.blocks_per_die = 5;
  CHECK(contains(geometry.problem(), "multiple of planes per die (2), found 5"));
  geometry = small();
  geometry.channels = 0;
  CHECK(contains(geometry.problem(), "channels from 1 to 256, found 0"));
  geometry = small();
  geometry.blocks_per_die = 1u << 24;
  geometry.pages_per_block = 256;
  CHECK(contains(geometry.problem(), "at most 4294967295 pages"));
  geometry = small();
  geometry.page_size = Bytes{1000};
  CHECK(contains(geometry.problem(), "multiple of 512"));
}

TEST_CASE("blocks are programmed in order, once per erase, and only programmed pages are read") {
  const nand::Geometry geometry = small();
  nand::FlashArray array(geometry);
  for (std::uint32_t page = 0; page < 4; ++page) array.program(Ppn{page});
  CHECK(array.programmed_pages(BlockId{0}) == 4);
  array.read(Ppn{3});
  array.erase(BlockId{0});
  CHECK(array.erase_count(BlockId{0}) == 1);
  CHECK_FALSE(array.is_programmed(Ppn{0}));
  array.program(Ppn{0});
  CHECK(array.is_programmed(Ppn{0}));
}

TEST_CASE("an illegal flash operation stops the run with the name of the page") {
  const nand::Geometry geometry = small();
  const std::string skipped = message_of_stop([&] {
    nand::FlashArray array(geometry);
    array.program(Ppn{1});
  });
  CHECK(contains(skipped, "program of page 1 of block 0 (channel 0, die 0, plane 0)"));
  CHECK(contains(skipped, "page 0 is next"));
  const std::string twice = message_of_stop([&] {
    nand::FlashArray array(geometry);
    for (std::uint32_t page = 20; page < 24; ++page) array.program(Ppn{page});
    array.program(Ppn{23});
  });
  CHECK(contains(twice, "page 3 of block 1 (channel 0, die 1, plane 1)"));
  CHECK(contains(twice, "the block is full"));
  const std::string unwritten = message_of_stop([&] {
    nand::FlashArray array(geometry);
    array.read(Ppn{33});
  });
  CHECK(contains(unwritten, "read of page 1 of block 0 (channel 1, die 2, plane 0)"));
}

TEST_CASE("two-plane reads need two planes of one die and the same page offset") {
  const nand::Geometry geometry = small();
  CHECK(nand::can_pair(geometry, Ppn{1}, Ppn{5}));
  CHECK(nand::can_pair(geometry, Ppn{1}, Ppn{13}));
  CHECK_FALSE(nand::can_pair(geometry, Ppn{1}, Ppn{9}));   // same plane
  CHECK_FALSE(nand::can_pair(geometry, Ppn{1}, Ppn{6}));   // other offset
  CHECK_FALSE(nand::can_pair(geometry, Ppn{1}, Ppn{21}));  // other die
  const std::string message = message_of_stop([&] {
    nand::FlashArray array(geometry);
    array.program(Ppn{0});
    array.program(Ppn{8});
    array.read_two_planes(Ppn{0}, Ppn{8});
  });
  CHECK(contains(message, "two-plane read of page 0 of block 0"));
}

TEST_CASE("a page crosses the channel with its spare bytes and its command cycles") {
  nand::Geometry geometry = small();
  geometry.spare_size = Bytes{218};
  nand::Timing timing;
  timing.bus_cycle = Duration{25};
  CHECK(timing.transfer_time(geometry) == Duration{107'850});
  timing.command_address_cycles = 7;
  CHECK(timing.transfer_time(geometry) == Duration{108'025});
}

TEST_CASE("array times spread around their mean by at most the stated share") {
  const Duration base{900'000};
  CHECK(nand::spread_time(base, 0, Ppn{7}, 3) == base);
  double sum = 0;
  constexpr int count = 20'000;
  for (std::uint32_t page = 0; page < count; ++page) {
    const Duration time = nand::spread_time(base, 20'000, Ppn{page}, 1);
    CHECK(time >= base - Duration{18'000});
    CHECK(time <= base + Duration{18'000});
    CHECK(time == nand::spread_time(base, 20'000, Ppn{page}, 1));
    sum += static_cast<double>(time.count());
  }
  // Uniform over 36,001 values: standard error 10,393 / sqrt(count) = 73 ns.
  CHECK(sum / count == doctest::Approx(900'000).epsilon(4 * 73.5 / 900'000));
}

TEST_CASE("a bounded draw is uniform, and streams of other names or numbers are unrelated") {
  Random random = random_stream(1, "test", 0);
  constexpr int cells = 10;
  constexpr int draws = 100'000;
  int count[cells] = {};
  for (int i = 0; i < draws; ++i) ++count[random.below(cells)];
  double chi_square = 0;
  for (const int n : count) {
    chi_square += (n - draws / cells) * (n - draws / cells) / double{draws / cells};
  }
  CHECK(chi_square < 27.9);  // 9 degrees of freedom, p = 0.001
  CHECK(random_stream(1, "test", 0)() == random_stream(1, "test", 0)());
  CHECK(random_stream(1, "test", 0)() != random_stream(1, "test", 1)());
  CHECK(random_stream(1, "test", 0)() != random_stream(1, "other", 0)());
  CHECK(random_stream(1, "test", 0)() != random_stream(2, "test", 0)());
}

TEST_CASE("large arrays are filled, counted and aligned to huge pages") {
  const HugeArray<std::uint32_t> large(5'000'000, 7);
  CHECK(large.size() == 5'000'000);
  CHECK(large.bytes() == 20'000'000);
  CHECK(large[4'999'999] == 7);
  CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % (2u << 20) == 0);
}
