// Which closed form, if any, gives the write amplification that a run of jobs comes to.
//
// Covered are whole pages written uniformly at random to one region, while data elsewhere are left
// alone, and one sequential job over data that lie in order; reads beside them do not matter. For
// the rest there is a reason in words. What was measured of the limits, each time with the FTL of
// this project and 64 to 1024 blocks per pool:
// - Jobs that visit every block once before any again (fio without norandommap) are uniform draws
//   for the first tenth of a pass, within 1 %. Over whole passes their write amplification is lower
//   by 2.5 % at a spare factor of 0.07, 4 % at 0.1, 8 % at 0.2 and 27 % at 0.4.
// - Requests of several pages are striped over the pools: up to one page for each pool, they are
//   single pages. With k pages for each pool a block has b / k of them, as long as that is at least
//   32 (within 1 %). Below, requests that blocks cut apart tell: 3 to 5 % at 16, 11 % at 8.
// - Stale pages among the others do not matter as long as they are less than 2 % of the spare pages
//   (within 1 %).
// - Sequential writes over data out of order keep a write amplification above 1: under FIFO for
//   good, under greedy collection for good at a spare factor of 0.04 and for 40 passes at 0.07.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nand/units.hpp"
#include "sim/drive/config.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::ftl {
class PageFtl;
}

namespace x25sim::model {

// What all jobs of a run together write.
struct WriteLoad {
  std::string problem;  // why no theory covers it, whatever the drive's state; else empty
  bool random = false;
  bool every_block_once = false;  // in a pass, before any comes again
  // The pages that are written again and again, and those of one request.
  std::uint64_t first_page = 0;
  std::uint64_t pages = 0;
  std::uint32_t request_pages = 1;
};

WriteLoad write_load(const std::vector<workload::Job>& jobs, Bytes page_size);

// What a drive holds before the run.
struct Occupancy {
  std::uint64_t gc_pages = 0;     // T, see ftl::SpaceSummary
  std::uint64_t other_pages = 0;  // that hold data and are not in the load's region
  // Of these, the ones in blocks that hold anything else or have pages to spare.
  std::uint64_t other_pages_mixed = 0;
  // Pages of the region whose successor in striping order does not lie behind them.
  std::uint64_t pages_out_of_order = 0;
};

// Requires: the load has no problem. Takes time proportional to the logical pages.
Occupancy survey(const ftl::PageFtl& ftl, const drive::DriveConfig& config, const WriteLoad& load);

struct WorkloadTheory {
  // Of the steady state, as ftl::Counters::write_amplification_gc; none where `reason` says why.
  std::optional<double> write_amplification;
  std::string reason;
  std::string formula;  // "greedy, uniform"

  // What went into the formula: T and U, both without stale data that collection leaves alone, and
  // (T - U) / T.
  std::uint64_t gc_pages = 0;
  std::uint64_t valid_pages = 0;
  double spare_factor = 0;
  std::optional<std::uint32_t> pages_per_block;  // requests of one block, where that matters
  std::optional<std::uint32_t> choices;          // of d-choices
  // Variance over mean of the blocks' erase counts while no data are moved to level wear, see
  // erase_dispersion(); none where stale data keep blocks out of the rotation, and of sequential
  // writes.
  std::optional<double> erase_dispersion;
};

WorkloadTheory no_theory(std::string reason);

// `written`: bytes that the whole run has written.
WorkloadTheory workload_theory(const drive::DriveConfig& config, const WriteLoad& load,
                               const Occupancy& occupancy, Bytes written);

}  // namespace x25sim::model
