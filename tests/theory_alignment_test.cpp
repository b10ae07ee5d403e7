// Writes that do not cover whole pages: the closed form against a count of sectors, and the drive
// without the clock against the closed form, exactly. (T17) is the number of the check in the
// theory's notes.
#include <doctest/doctest.h>
#include <set>

#include "sim/backend/runner.hpp"
#include "sim/drive/ssd.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/model/alignment.hpp"
#include "tests/tiny_drive.hpp"

using namespace x25sim;
using model::Alignment;
using workload::Operation;

namespace {

// The tiny drive with pages of another size, of which it has 192.
drive::DriveConfig drive_with_pages(std::uint64_t page) {
  drive::DriveConfig config = test::tiny_drive();
  config.geometry.page_size = Bytes{page};
  config.sectors = 192 * page / sector_size.count;
  config.controller.write_buffer = Bytes{64 * page};
  config.controller.read_window = Bytes{32 * page};
  return config;
}

// A drive that performs requests at once.
struct Drive {
  explicit Drive(const drive::DriveConfig& config)
      : runner(kernel, config.host.command_overhead), ssd(config, kernel, runner) {}

  // What one write adds to the drive's counts.
  drive::Counters write(std::uint64_t offset, std::uint64_t length) {
    const drive::Counters before = ssd.counters();
    ssd.apply({Operation::write, Bytes{offset}, Bytes{length}});
    return ssd.counters() - before;
  }

  kernel::Kernel kernel;
  backend::Runner runner;
  drive::Ssd ssd;
};

double program_amplification(const drive::Counters& counters, std::uint64_t page) {
  const std::uint64_t programs =
      counters.ftl.programs_of(ftl::Cause::host) + counters.ftl.programs_of(ftl::Cause::rmw);
  return static_cast<double>(programs * page) / static_cast<double>(counters.host_write.count);
}

}  // namespace

TEST_CASE("the closed form of alignment has the values that are known (T17)") {
  struct Row {
    std::uint64_t offset, length, page;
    std::uint64_t pages, partial_pages;
    double amplification;
  };
  for (const Row& row : {
           Row{0, 4096, 4096, 1, 0, 1},
           Row{63 * 512, 4096, 4096, 2, 2, 2},  // a partition that begins at sector 63
           Row{63 * 512, 65536, 4096, 17, 2, 17. / 16},
           Row{64 * 512, 4096, 4096, 1, 0, 1},
           Row{4096, 512, 4096, 1, 1, 8},
           Row{512, 512, 4096, 1, 1, 8},
           Row{3584, 1024, 4096, 2, 2, 8},
           Row{4096, 4096, 16384, 1, 1, 4},
           Row{2048, 8192, 4096, 3, 2, 1.5},
           Row{2048, 2048, 4096, 1, 1, 2},
           Row{4096, 6144, 4096, 2, 1, 4. / 3},
           Row{std::uint64_t{1} << 62, 512, 512, 1, 0, 1},
       }) {
    CAPTURE(row.offset);
    CAPTURE(row.length);
    CAPTURE(row.page);
    const Alignment found = model::alignment(Bytes{row.offset}, Bytes{row.length}, Bytes{row.page});
    CHECK(found.pages == row.pages);
    CHECK(found.partial_pages == row.partial_pages);
    CHECK(found.program_amplification == doctest::Approx(row.amplification).epsilon(1e-15));
  }
}

TEST_CASE(
    "the closed form of alignment counts the pages that every unit of a request is in (T17)") {
  for (std::uint64_t page = 1; page <= 9; ++page) {
    for (std::uint64_t offset = 0; offset < 3 * page; ++offset) {
      for (std::uint64_t length = 1; length <= 4 * page; ++length) {
        std::multiset<std::uint64_t> touched;
        for (std::uint64_t unit = offset; unit < offset + length; ++unit) {
          touched.insert(unit / page);
        }
        std::uint64_t pages = 0;
        std::uint64_t partial = 0;
        for (std::uint64_t number = 0; number <= (offset + length) / page; ++number) {
          if (touched.count(number) > 0) ++pages;
          if (touched.count(number) > 0 && touched.count(number) < page) ++partial;
        }
        const Alignment found = model::alignment(Bytes{offset}, Bytes{length}, Bytes{page});
        REQUIRE(found.pages == pages);
        REQUIRE(found.partial_pages == partial);
      }
    }
  }
}

TEST_CASE("a drive programs and reads for every alignment what the closed form says (T17)") {
  for (const std::uint64_t page : {512u, 1024u, 1536u, 4096u, 8192u, 16384u, 32768u}) {
    Drive filled(drive_with_pages(page));
    for (std::uint64_t number = 0; number < 192; ++number) filled.write(number * page, page);
    CHECK(filled.ssd.counters().ftl.host_pages() == 192);
    const std::uint64_t sectors = page / 512;
    // All places in two pages, and lengths up to four of them, but fewer of those for large pages.
    const std::uint64_t step = sectors <= 16 ? 1 : 5;
    for (std::uint64_t first = 0; first < 2 * sectors; first += step) {
      for (std::uint64_t count = 1; count <= 4 * sectors; count += step) {
        const std::uint64_t offset = 17 * page + first * 512;
        const std::uint64_t length = count * 512;
        const Alignment expected = model::alignment(Bytes{offset}, Bytes{length}, Bytes{page});
        const drive::Counters counters = filled.write(offset, length);
        REQUIRE(counters.host_write.count == length);
        REQUIRE(counters.ftl.programs_of(ftl::Cause::rmw) == expected.partial_pages);
        REQUIRE(counters.ftl.programs_of(ftl::Cause::host) ==
                expected.pages - expected.partial_pages);
        REQUIRE(counters.ftl.reads_of(ftl::Cause::rmw) == expected.partial_pages);
        REQUIRE(counters.ftl.reads_of(ftl::Cause::host) == 0);
        REQUIRE(program_amplification(counters, page) == expected.program_amplification);
      }
    }
    filled.ssd.check_invariants();
  }
}

TEST_CASE("a page without data is not read where it is covered in part (T17)") {
  Drive empty(drive_with_pages(4096));
  const drive::Counters counters = empty.write(63 * 512, 4096);
  CHECK(counters.ftl.programs_of(ftl::Cause::rmw) == 2);
  CHECK(counters.ftl.read_total() == 0);
  // Both have data now.
  CHECK(empty.write(63 * 512, 4096).ftl.reads_of(ftl::Cause::rmw) == 2);
}

TEST_CASE("the drive's last page is whole up to its capacity (T17)") {
  drive::DriveConfig config = drive_with_pages(4096);
  config.sectors -= 3;  // five sectors of the last page are left
  Drive drive(config);
  const std::uint64_t begin = 191 * 4096;
  drive.write(begin, 5 * 512);
  const drive::Counters whole = drive.write(begin, 5 * 512);
  CHECK(whole.ftl.programs_of(ftl::Cause::host) == 1);
  CHECK(whole.ftl.read_total() == 0);
  const drive::Counters partial = drive.write(begin, 4 * 512);
  CHECK(partial.ftl.programs_of(ftl::Cause::rmw) == 1);
  CHECK(partial.ftl.reads_of(ftl::Cause::rmw) == 1);
}

TEST_CASE("4 KiB writes behind sector 63 cost two programs and two reads each at random (T17)") {
  for (const std::uint64_t sector : {63u, 64u}) {
    CAPTURE(sector);
    Drive drive(drive_with_pages(4096));
    for (std::uint64_t page = 0; page < 192; ++page) drive.write(page * 4096, 4096);
    const drive::Counters before = drive.ssd.counters();
    Random random = random_stream(1, "test", 0);
    for (int i = 0; i < 1000; ++i) {
      drive.write(sector * 512 + random.below(192 - 9) * 4096, 4096);
    }
    const drive::Counters counters = drive.ssd.counters() - before;
    const bool aligned = sector == 64;
    CHECK(program_amplification(counters, 4096) == (aligned ? 1 : 2));
    CHECK(counters.ftl.reads_of(ftl::Cause::rmw) == (aligned ? 0 : 2000));
  }
}
