// An FTL and the reference side by side: every operation goes to both, and they are compared.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ftl/page_ftl.hpp"
#include "nand/array.hpp"
#include "tests/ftl_world.hpp"
#include "tests/reference_ftl.hpp"

namespace x25sim::test {

// `Ftl` is ftl::PageFtl, or one with a fault planted into it. Whatever is wrong comes back as a
// sentence, the first of them; only ftl::PageFtl::check_invariants() stops the program.
template <typename Ftl>
class ModelRun {
 public:
  explicit ModelRun(const FtlSetup& setup)
      : geometry_(setup.geometry),
        config_(setup.config),
        ftl_(setup.geometry, setup.config, setup.logical_pages, setup.seed),
        array_(setup.geometry),
        reference_(setup.geometry.blocks(), setup.geometry.pages_per_block, setup.logical_pages),
        firmware_blocks_(test::firmware_blocks(setup)) {}

  const Ftl& ftl() const { return ftl_; }

  std::optional<std::string> perform(const HostOperation& operation) {
    try {
      if (operation.kind == HostOperation::Kind::idle) {
        idle(operation.count);
        return {};
      }
      // What is wrong with a page would be gone with its data: it has to be right up to here.
      for (std::uint64_t i = 0; i < operation.count; ++i) {
        const Lpn page{index(operation.first) + static_cast<std::uint32_t>(i)};
        if (auto mismatch = check_page(page)) {
          return "before " + describe(operation) + ": " + *mismatch;
        }
        if (operation.kind == HostOperation::Kind::write) write(page, operation.cause);
      }
      if (operation.kind == HostOperation::Kind::trim) {
        reference_.trim(operation.first, operation.count);
        ftl_.trim(operation.first, operation.count);
      }
    } catch (const std::logic_error& broken) {
      return describe(operation) + ": " + broken.what();
    }
    return {};
  }

  // Everything that can be held against the reference, then the FTL's own invariants.
  std::optional<std::string> check() const {
    if (auto mismatch = check_data()) return mismatch;
    if (auto mismatch = check_counters()) return mismatch;
    if (auto mismatch = check_space()) return mismatch;
    if (auto mismatch = check_endurance()) return mismatch;
    ftl_.check_invariants(array_);
    return {};
  }

 private:
  // Shows each operation to the reference before the flash performs it.
  struct Sink {
    ModelRun& run;
    std::uint64_t operations_left;

    void read(Ppn page, ftl::Cause cause) {
      count();
      run.reference_.read(page, static_cast<std::size_t>(cause));
      run.array_.read(page);
    }
    void program(Ppn page, ftl::Cause cause) {
      count();
      const bool of_host = cause == ftl::Cause::host || cause == ftl::Cause::rmw;
      run.reference_.program(page, static_cast<std::size_t>(cause), of_host);
      run.array_.program(page);
    }
    void erase(BlockId block) {
      count();
      run.reference_.erase(block);
      run.array_.erase(block);
    }
    void count() {
      if (operations_left-- == 0) throw std::logic_error("pages are moved for ever");
    }
  };

  void write(Lpn page, ftl::Cause cause) {
    reference_.write(page);
    // A policy that draws at random may clean blocks without an invalid page many times over.
    Sink sink{*this, 1000 * geometry_.pages()};
    ftl_.write(page, cause, sink);
    if (!reference_.is_stored()) throw std::logic_error("the host's page was not programmed");
  }

  // Steps of garbage collection, in the pools in turn, while any has something to do.
  void idle(std::uint64_t steps) {
    Sink sink{*this, 1000 * geometry_.pages()};
    for (bool busy = true; busy && steps > 0;) {
      busy = false;
      for (std::uint32_t pool = 0; pool < ftl_.pools() && steps > 0; ++pool, --steps) {
        busy = ftl_.collect_idle(pool, sink) || busy;
      }
    }
  }

  static std::optional<std::string> differ(const std::string& what, std::uint64_t ftl,
                                           std::uint64_t reference) {
    if (ftl == reference) return {};
    return what + ": " + std::to_string(ftl) + ", of the reference " + std::to_string(reference);
  }

  std::optional<std::string> check_page(Lpn page) const {
    const Ppn place = ftl_.lookup(page);
    if (reference_.is_right(page, place)) return {};
    return "logical page " + std::to_string(index(page)) + ", which " +
           (reference_.has_data(page) ? "has" : "has no") + " data, is said to be " +
           (place == no_page ? "nowhere" : "at " + geometry_.name(place));
  }

  std::optional<std::string> check_data() const {
    for (std::uint32_t page = 0; page < ftl_.logical_pages(); ++page) {
      if (auto mismatch = check_page(Lpn{page})) return mismatch;
    }
    return {};
  }

  std::optional<std::string> check_counters() const {
    const ftl::Counters counters = ftl_.counters();
    for (std::size_t cause = 0; cause < ftl::cause_count; ++cause) {
      const std::string name(ftl::name(static_cast<ftl::Cause>(cause)));
      if (auto mismatch = differ("programs of cause " + name, counters.programs[cause],
                                 reference_.programs[cause])) {
        return mismatch;
      }
      if (auto mismatch =
              differ("reads of cause " + name, counters.reads[cause], reference_.reads[cause])) {
        return mismatch;
      }
    }
    for (std::uint32_t number = 0; number < geometry_.blocks(); ++number) {
      const BlockId block{number};
      if (auto mismatch = differ("erases of " + geometry_.name(block), ftl_.erase_count(block),
                                 reference_.erases[number])) {
        return mismatch;
      }
    }
    const std::uint64_t erases = sum(reference_.erases);
    if (auto mismatch = differ("erases", counters.erases, erases)) return mismatch;
    const std::uint64_t runs = counters.gc_runs + counters.wear_runs;
    if (auto mismatch = differ("blocks cleaned", runs * config_.superblock_dies, erases)) {
      return mismatch;
    }
    return differ("trimmed pages", counters.trimmed_pages, reference_.trimmed);
  }

  // Conservation: no page is lost or comes from nowhere.
  std::optional<std::string> check_space() const {
    const ftl::Counters counters = ftl_.counters();
    const ftl::SpaceSummary space = ftl_.space();
    const std::uint64_t programmed = sum(reference_.programmed);
    const std::uint64_t erased = counters.erases * geometry_.pages_per_block;
    if (auto mismatch = differ("programs", counters.program_total(), erased + programmed)) {
      return mismatch;
    }
    std::uint64_t valid = 0;
    for (std::uint32_t page = 0; page < ftl_.logical_pages(); ++page) {
      valid += reference_.has_data(Lpn{page});
    }
    if (auto mismatch = differ("valid pages", space.valid_pages, valid)) return mismatch;
    const std::uint64_t free = space.raw_pages - (counters.program_total() - erased);
    if (auto mismatch =
            differ("valid + invalid + free", space.valid_pages + (programmed - valid) + free,
                   geometry_.pages())) {
      return mismatch;
    }
    std::uint64_t empty = 0;
    for (const std::uint32_t pages : reference_.programmed) empty += pages == 0;
    // A block that is open need not have been programmed yet.
    if (space.free_blocks + firmware_blocks_ <= empty) return {};
    return "free blocks: " + std::to_string(space.free_blocks) + ", but erased are " +
           std::to_string(empty) + ", " + std::to_string(firmware_blocks_) +
           " of them the firmware's";
  }

  std::optional<std::string> check_endurance() const {
    if (config_.endurance_cycles == 0 || ftl_.worn_out()) return {};
    for (const std::uint32_t erases : reference_.erases) {
      if (erases > config_.endurance_cycles) return "a worn out block is in service";
    }
    return {};
  }

  static std::uint64_t sum(const std::vector<std::uint32_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }

  nand::Geometry geometry_;
  ftl::Config config_;
  Ftl ftl_;
  nand::FlashArray array_;
  ReferenceFtl reference_;
  std::uint64_t firmware_blocks_;
};

// The whole life of a world; what went wrong first, if anything did.
template <typename Ftl>
std::optional<std::string> live(ModelRun<Ftl>& run, FtlWorld& world) {
  if (auto mismatch = run.check()) return "new: " + *mismatch;
  if (world.filled) {
    if (auto mismatch = run.perform({.count = world.setup.logical_pages})) return mismatch;
    if (auto mismatch = run.check()) return "filled: " + *mismatch;
  }
  // The fullest drives program a thousand pages for each of the host's.
  const auto goes_on = [&run] { return run.ftl().counters().program_total() < 60'000; };
  for (std::uint32_t batch = 1; batch <= world.batches && goes_on(); ++batch) {
    const std::string when = "batch " + std::to_string(batch) + ": ";
    for (std::uint64_t pages = 0; pages < world.pages_per_batch && goes_on();) {
      const HostOperation operation = world.load.next();
      if (auto mismatch = run.perform(operation)) return when + *mismatch;
      // Others than writes count as a page, or a batch without a write would have no end.
      pages += operation.kind == HostOperation::Kind::write ? operation.count : 1;
    }
    if (auto mismatch = run.check()) return when + *mismatch;
  }
  return {};
}

}  // namespace x25sim::test
