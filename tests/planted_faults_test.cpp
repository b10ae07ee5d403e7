// Faults planted between the FTL and the comparison with the reference, each of which must be found
// in every world in which it strikes. tests/planted_faults.sh plants faults in the FTL's source.
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <stdexcept>
#include <string>

#include "ftl/page_ftl.hpp"
#include "nand/check.hpp"
#include "tests/ftl_model.hpp"
#include "tests/ftl_world.hpp"
#include "tests/message_of_stop.hpp"
#include "tests/reference_ftl.hpp"

namespace x25sim {

namespace {

using ftl::Cause;
using ftl::FlashSink;
using ftl::PageFtl;
using test::FtlWorld;
using test::HostOperation;
using test::ModelRun;

// Strikes at the n-th occasion, or from there on.
class Fault {
 public:
  bool struck() const { return struck_; }

 protected:
  bool strikes_at(std::uint64_t n) { return strike(++occasions_ == n); }
  bool strikes_from(std::uint64_t n) { return strike(++occasions_ >= n); }
  bool strike(bool now) {
    struck_ = struck_ || now;
    return now;
  }

 private:
  std::uint64_t occasions_ = 0;
  bool struck_ = false;
};

// The map keeps a page's place when the page is overwritten.
struct StaleMapEntry : PageFtl, Fault {
  using PageFtl::PageFtl;

  template <FlashSink S>
  void write(Lpn page, Cause cause, S& sink) {
    const Ppn before = PageFtl::lookup(page);
    PageFtl::write(page, cause, sink);
    if (before != no_page && strikes_at(20)) {
      stale_page = page;
      stale_place = before;
    }
  }
  Ppn lookup(Lpn page) const { return page == stale_page ? stale_place : PageFtl::lookup(page); }

  Lpn stale_page = no_logical_page;
  Ppn stale_place = no_page;
};

// Hands the flash operations on, the fault's own among them.
template <typename Ftl, FlashSink S>
struct Between {
  Ftl& ftl;
  S& sink;

  void read(Ppn page, Cause cause) { sink.read(ftl.read_instead(page), cause); }
  void program(Ppn page, Cause cause) { sink.program(page, cause); }
  void erase(BlockId block) {
    if (ftl.erases(block)) sink.erase(block);
  }
};

template <typename Ftl>
struct FaultyFlash : PageFtl, Fault {
  using PageFtl::PageFtl;

  template <FlashSink S>
  void write(Lpn page, Cause cause, S& sink) {
    Between<Ftl, S> between{static_cast<Ftl&>(*this), sink};
    PageFtl::write(page, cause, between);
  }
  template <FlashSink S>
  bool collect_idle(std::uint32_t pool, S& sink) {
    Between<Ftl, S> between{static_cast<Ftl&>(*this), sink};
    return PageFtl::collect_idle(pool, between);
  }
  Ppn read_instead(Ppn page) { return page; }
  bool erases(BlockId /*block*/) { return true; }
};

// An erase is decided, counted, and never performed.
struct SkippedErase : FaultyFlash<SkippedErase> {
  using FaultyFlash::FaultyFlash;
  bool erases(BlockId /*block*/) { return !strikes_at(5); }
};

// The same, and kept out of every count: only the flash can tell.
struct SecretlySkippedErase : FaultyFlash<SecretlySkippedErase> {
  using FaultyFlash::FaultyFlash;

  bool erases(BlockId block) {
    if (!strikes_at(5)) return true;
    skipped = block;
    return false;
  }
  ftl::Counters counters() const {
    ftl::Counters counters = PageFtl::counters();
    if (struck()) --counters.erases;
    return counters;
  }
  std::uint32_t erase_count(BlockId block) const {
    return PageFtl::erase_count(block) - (block == skipped ? 1 : 0);
  }

  BlockId skipped = no_block;
};

// Copies take the page before the one that was meant.
struct CopyOfWrongPage : FaultyFlash<CopyOfWrongPage> {
  CopyOfWrongPage(const nand::Geometry& geometry, const ftl::Config& config,
                  std::uint64_t logical_pages, std::uint64_t seed)
      : FaultyFlash(geometry, config, logical_pages, seed), shape(geometry) {}

  Ppn read_instead(Ppn page) {
    if (shape.page_in_block(page) == 0 || !strikes_from(20)) return page;
    return Ppn{index(page) - 1};
  }

  nand::Geometry shape;
};

// The last page of a range keeps its data.
struct LostTrim : PageFtl, Fault {
  using PageFtl::PageFtl;

  void trim(Lpn first, std::uint64_t count) {
    const Lpn last{index(first) + static_cast<std::uint32_t>(count) - 1};
    const bool lost = count > 0 && lookup(last) != no_page && strikes_from(2);
    PageFtl::trim(first, lost ? count - 1 : count);
  }
};

// Programs of one cause are counted once too often, or once too rarely.
template <Cause cause, int error>
struct Miscounted : PageFtl, Fault {
  using PageFtl::PageFtl;

  template <FlashSink S>
  void write(Lpn page, Cause of_write, S& sink) {
    PageFtl::write(page, of_write, sink);
    strike(PageFtl::counters().programs_of(cause) >= 20);
  }
  ftl::Counters counters() const {
    ftl::Counters counters = PageFtl::counters();
    auto& programs = counters.programs[static_cast<std::size_t>(cause)];
    if (struck()) programs += static_cast<std::uint64_t>(error);
    return counters;
  }
};

// A broken invariant, which stops the program.
struct BrokenInvariant : PageFtl {
  using PageFtl::PageFtl;
  void check_invariants(const nand::FlashArray& /*array*/) const {
    X25_CHECK(logical_pages() == 0, "planted");
  }
};

template <typename Faulty>
void find() {
  int struck = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const test::LineOnStop line(test::reproduction(seed));
    FtlWorld world = test::random_ftl_world(seed);
    ModelRun<Faulty> run(world.setup);
    const std::optional<std::string> mismatch = test::live(run, world);
    struck += run.ftl().struck();
    INFO(test::reproduction(seed) << ": " << mismatch.value_or("nothing found"));
    CHECK(mismatch.has_value() == run.ftl().struck());
  }
  CHECK(struck >= 30);
}

}  // namespace

TEST_CASE("a stale map entry is found") { find<StaleMapEntry>(); }

TEST_CASE("a skipped erase is found, counted or not") {
  find<SkippedErase>();
  find<SecretlySkippedErase>();
}

TEST_CASE("a garbage collection that copies another page is found") { find<CopyOfWrongPage>(); }

TEST_CASE("a lost trim is found") { find<LostTrim>(); }

TEST_CASE("a write amplification that is off by one program is found") {
  find<Miscounted<Cause::gc, 1>>();
  find<Miscounted<Cause::gc, -1>>();
  find<Miscounted<Cause::host, 1>>();
  find<Miscounted<Cause::host, -1>>();
}

TEST_CASE("a world that a broken invariant stops is named together with it") {
  const std::string text = test::message_of_stop([] {
    const test::LineOnStop line(test::reproduction(7));
    FtlWorld world = test::random_ftl_world(7);
    ModelRun<BrokenInvariant> run(world.setup);
    test::live(run, world);
  });
  CHECK(text.find("planted") != std::string::npos);
  CHECK(text.find("\nX25SIM_WORLD=7 build/x25sim_tests -tc=\"random worlds*\"\n") !=
        std::string::npos);
}

TEST_CASE("the reference refuses what flash cannot do, and knows what the host expects") {
  test::ReferenceFtl reference(2, 2, 3);
  constexpr std::size_t host = 0;
  constexpr std::size_t gc = 1;
  CHECK_THROWS_WITH_AS(reference.read(Ppn{0}, gc), "a read of the erased page 0", std::logic_error);
  CHECK_THROWS_WITH_AS(reference.program(Ppn{0}, host, true), "a program of nothing to page 0",
                       std::logic_error);
  reference.write(Lpn{2});
  CHECK_FALSE(reference.is_stored());
  CHECK_THROWS_WITH_AS(reference.program(Ppn{1}, host, true),
                       "out of order or without an erase: page 1", std::logic_error);
  reference.program(Ppn{0}, host, true);
  CHECK(reference.is_stored());
  CHECK_THROWS_WITH_AS(reference.program(Ppn{0}, host, true),
                       "out of order or without an erase: page 0", std::logic_error);
  CHECK(reference.is_right(Lpn{2}, Ppn{0}));
  CHECK_FALSE(reference.is_right(Lpn{2}, no_page));
  CHECK_FALSE(reference.is_right(Lpn{1}, Ppn{0}));
  CHECK(reference.is_right(Lpn{1}, no_page));

  // A copy moves what was read, once.
  CHECK_THROWS_AS(reference.program(Ppn{2}, gc, false), std::logic_error);
  reference.read(Ppn{0}, gc);
  reference.program(Ppn{2}, gc, false);
  CHECK_THROWS_AS(reference.program(Ppn{3}, gc, false), std::logic_error);
  CHECK(reference.is_right(Lpn{2}, Ppn{2}));
  reference.erase(BlockId{0});
  CHECK_FALSE(reference.is_right(Lpn{2}, Ppn{0}));

  // An older version is not the page, nor is one that was trimmed.
  reference.write(Lpn{2});
  reference.program(Ppn{0}, host, true);
  CHECK_FALSE(reference.is_right(Lpn{2}, Ppn{2}));
  reference.trim(Lpn{1}, 2);
  CHECK(reference.trimmed == 1);
  CHECK_FALSE(reference.is_right(Lpn{2}, Ppn{0}));
  CHECK(reference.is_right(Lpn{2}, no_page));
  CHECK(reference.programs[host] == 2);
  CHECK(reference.programs[gc] == 1);
  CHECK(reference.reads[gc] == 1);
  CHECK(reference.erases[0] == 1);
}

}  // namespace x25sim
