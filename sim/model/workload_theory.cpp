#include "sim/model/workload_theory.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ftl/page_ftl.hpp"
#include "ftl/placement.hpp"
#include "ftl/victim_policy.hpp"
#include "nand/check.hpp"
#include "sim/model/hot_cold.hpp"
#include "sim/model/wear.hpp"
#include "sim/model/write_amplification.hpp"

namespace x25sim::model {

namespace {

using workload::Direction;
using workload::Job;
using workload::writes;

// The limits of the closed forms, as the header tells.
constexpr double passes_max = 0.1;
constexpr std::uint32_t requests_per_block_min = 32;
constexpr double mixed_per_spare_max = 0.02;
constexpr double strays_max = 0.01;         // of the region, or of T
constexpr std::uint32_t spare_blocks = 2;   // of each pool, that all formulas need
constexpr std::uint32_t edges_of_pool = 2;  // blocks in which a region ends, or writing stopped

// The units that are collected independently of each other.
struct CollectionUnits {
  std::uint32_t pools;
  std::uint32_t pages_per_block;  // that are erased together
};

CollectionUnits units_of(const drive::DriveConfig& config) {
  const ftl::PoolLayout layout(config.geometry, config.ftl);
  return {layout.pools(), layout.superblocks().pages_of_each()};
}

std::optional<VictimPolicy> victim_policy_of(const ftl::Config& config) {
  switch (config.gc_policy) {
    case ftl::GcPolicy::greedy: return VictimPolicy::greedy;
    case ftl::GcPolicy::fifo: return VictimPolicy::fifo;
    case ftl::GcPolicy::random: return VictimPolicy::random;
    case ftl::GcPolicy::d_choices: return VictimPolicy::d_choices;
    case ftl::GcPolicy::windowed_greedy:
    case ftl::GcPolicy::cost_benefit:
    case ftl::GcPolicy::cat: return {};
  }
  return {};
}

std::string policy_name(const drive::DriveConfig& config) {
  return std::string(ftl::victim_policy(config.ftl.gc_policy).name);
}

Bytes write_size(const Job& job) { return workload::sizes_of(job, workload::Operation::write).min; }

// Why no theory covers what a job that writes does; empty if one may.
std::string uncovered(const Job& job) {
  const workload::BlockSizes& sizes = workload::sizes_of(job, workload::Operation::write);
  if (job.direction == Direction::trim_write) return "trims among the writes";
  if (!sizes.fixed() || job.sizes_by_order) return "writes of several sizes";
  if (!job.random) return job.sequential_step == 0 ? "" : "sequential writes with gaps";
  if (sizes.align != sizes.min) return "writes that overlap";
  if (job.random_every > 1 || job.random_percent[1] < 100) return "random and sequential writes";
  const bool uniform = job.distribution.kind == workload::OffsetDistribution::Kind::uniform;
  return uniform ? "" : "writes of which some places have more than others";
}

bool visits_once(const Job& job) { return !job.no_random_map || job.lfsr; }

bool write_alike(const Job& a, const Job& b) {
  return a.random == b.random && visits_once(a) == visits_once(b) && a.offset == b.offset &&
         a.size == b.size && write_size(a) == write_size(b);
}

// A load on a drive, with what follows from both.
struct Question {
  const drive::DriveConfig& config;
  const WriteLoad& load;
  const Occupancy& occupancy;
  CollectionUnits units;
  VictimPolicy policy;

  std::uint64_t valid_pages() const { return load.pages + occupancy.other_pages; }
  std::uint64_t block_of_each_pool() const {
    return std::uint64_t{units.pools} * units.pages_per_block;
  }
  bool others_are_few() const {
    return static_cast<double>(occupancy.other_pages) <=
           strays_max * static_cast<double>(occupancy.gc_pages);
  }
  // Whether pages that are never written share blocks with those of the region.
  bool others_are_mixed() const {
    const auto spare = static_cast<double>(occupancy.gc_pages - valid_pages());
    return static_cast<double>(occupancy.other_pages_mixed) >
           mixed_per_spare_max * spare + static_cast<double>(edges_of_pool * block_of_each_pool());
  }
};

// With the spare factor of `gc_pages` of which `valid_pages` hold data.
WorkloadTheory named(std::string formula, std::uint64_t gc_pages, std::uint64_t valid_pages) {
  WorkloadTheory theory;
  theory.formula = std::move(formula);
  theory.gc_pages = gc_pages;
  theory.valid_pages = valid_pages;
  theory.spare_factor = static_cast<double>(gc_pages - valid_pages) / static_cast<double>(gc_pages);
  return theory;
}

// The valid share of a random block is that of the drive, whatever is written.
WorkloadTheory random_victims(const Question& question) {
  WorkloadTheory theory =
      named("random victims", question.occupancy.gc_pages, question.valid_pages());
  theory.write_amplification = random_write_amplification(theory.spare_factor);
  theory.erase_dispersion = erase_dispersion({VictimPolicy::random}, theory.spare_factor);
  return theory;
}

WorkloadTheory sequential(const Question& question) {
  const Occupancy& occupancy = question.occupancy;
  const std::string policy = policy_name(question.config);
  if (question.policy == VictimPolicy::d_choices) {
    return no_theory("sequential writes have no closed form under " + policy);
  }
  const auto out_of_order = static_cast<double>(occupancy.pages_out_of_order);
  if (out_of_order > strays_max * static_cast<double>(question.load.pages) +
                         static_cast<double>(question.block_of_each_pool())) {
    return no_theory("sequential writes over data out of order: what was written before decides");
  }
  const bool alone = question.policy == VictimPolicy::greedy ? !question.others_are_mixed()
                                                             : question.others_are_few();
  if (!alone) return no_theory("sequential writes with other data to be copied among them");
  WorkloadTheory theory =
      named(policy + ", sequential", occupancy.gc_pages, question.valid_pages());
  theory.write_amplification = 1;
  return theory;
}

// Age alone decides about a victim: the size of blocks and requests does not matter.
WorkloadTheory uniform_fifo(const Question& question) {
  WorkloadTheory theory =
      named("fifo, uniform", question.occupancy.gc_pages, question.valid_pages());
  theory.erase_dispersion = erase_dispersion({VictimPolicy::fifo}, theory.spare_factor);
  if (question.occupancy.other_pages == 0) {
    theory.write_amplification = fifo_write_amplification(theory.spare_factor);
    return theory;
  }
  const double live =
      static_cast<double>(question.load.pages) / static_cast<double>(theory.valid_pages);
  const std::array<TrafficClass, 2> classes{{{1, live}, {0, 1 - live}}};
  theory.formula = "fifo, uniform with stale data";
  theory.write_amplification = fifo_mixed_write_amplification(theory.spare_factor, classes);
  return theory;
}

// Requests of a block, see the header; 0 where there is no such number.
std::uint32_t requests_per_block(const Question& question) {
  const auto [pools, pages_per_block] = question.units;
  const std::uint32_t request = question.load.request_pages;
  if (request <= pools) return pages_per_block;
  const std::uint32_t of_pool = request / pools;
  if (request % pools != 0 || pages_per_block % of_pool != 0) return 0;
  const std::uint32_t requests = effective_pages_per_block(pages_per_block, of_pool);
  return requests < requests_per_block_min ? 0 : requests;
}

// Greedy and d-choices.
WorkloadTheory uniform_by_valid_pages(const Question& question) {
  const Occupancy& occupancy = question.occupancy;
  const bool greedy = question.policy == VictimPolicy::greedy;
  const std::string policy = policy_name(question.config);
  const std::uint32_t requests = requests_per_block(question);
  if (requests == 0) {
    return no_theory("requests of " + std::to_string(question.load.request_pages) +
                     " pages, striped over " + std::to_string(question.units.pools) +
                     " pools, do not fill blocks of " +
                     std::to_string(question.units.pages_per_block) + " pages evenly");
  }
  // Blocks full of stale pages are no victims of greedy collection.
  std::uint64_t stale = 0;
  if (greedy) {
    if (question.others_are_mixed()) return no_theory("stale data among those that are written");
    stale = occupancy.other_pages - occupancy.other_pages_mixed;
  } else if (!question.others_are_few()) {
    return no_theory("stale data beside those that are written, under " + policy);
  }
  WorkloadTheory theory = named(policy + (stale > 0 ? ", uniform beside stale data" : ", uniform"),
                                occupancy.gc_pages - stale, question.valid_pages() - stale);
  theory.pages_per_block = requests;
  if (!greedy) theory.choices = question.config.ftl.gc_choices;
  const Collection collection{question.policy, question.config.ftl.gc_choices, requests};
  theory.write_amplification = write_amplification(collection, theory.spare_factor);
  if (stale == 0) {
    theory.erase_dispersion = erase_dispersion(collection, theory.spare_factor);
  }
  return theory;
}

}  // namespace

WorkloadTheory no_theory(std::string reason) {
  WorkloadTheory theory;
  theory.reason = std::move(reason);
  return theory;
}

WriteLoad write_load(const std::vector<Job>& jobs, Bytes page_size) {
  WriteLoad load;
  const auto refuse = [&load](std::string problem) {
    load.problem = std::move(problem);
    return load;
  };
  const bool recorded =
      std::ranges::any_of(jobs, [](const Job& job) { return !job.replay.path.empty(); });
  if (recorded) return refuse("recorded requests");
  const auto writer = std::find_if(jobs.begin(), jobs.end(), writes);
  if (writer == jobs.end()) return refuse("nothing is written");
  const Bytes block = write_size(*writer);
  if ((writer->offset % page_size).count != 0 || (block % page_size).count != 0) {
    return refuse("writes that are not of whole pages");
  }
  for (auto job = jobs.begin(); job != jobs.end(); ++job) {
    if (job->direction == Direction::trim) return refuse("trims among the writes");
    if (!writes(*job)) continue;
    if (std::string problem = uncovered(*job); !problem.empty()) return refuse(std::move(problem));
    if (job == writer) continue;
    if (!write_alike(*writer, *job)) return refuse("jobs that do not write alike");
    if (!job->random) return refuse("several sequential jobs");
  }
  load.random = writer->random;
  load.every_block_once = writer->random && visits_once(*writer);
  load.first_page = writer->offset / page_size;
  load.request_pages = static_cast<std::uint32_t>(block / page_size);
  load.pages = writer->size / block * load.request_pages;
  return load;
}

Occupancy survey(const ftl::PageFtl& ftl, const drive::DriveConfig& config, const WriteLoad& load) {
  X25_CHECK(load.problem.empty());
  const nand::Geometry& geometry = config.geometry;
  // Consecutive pages go round all pools, and within superblocks round their dies.
  const std::uint32_t places = units_of(config).pools * config.ftl.superblock_dies;
  const std::uint64_t end = load.first_page + load.pages;
  X25_CHECK(end <= ftl.logical_pages());
  const auto place_of = [&ftl](std::uint64_t page) {
    return ftl.lookup(Lpn{static_cast<std::uint32_t>(page)});
  };
  Occupancy occupancy;
  occupancy.gc_pages = ftl.space().gc_pages;
  std::vector<std::uint32_t> others(geometry.blocks());  // of each block
  for (std::uint64_t page = 0; page < ftl.logical_pages(); ++page) {
    const Ppn place = place_of(page);
    if (place == no_page) continue;
    if (page < load.first_page || page >= end) {
      ++occupancy.other_pages;
      ++others[index(geometry.block_of(place))];
      continue;
    }
    if (load.random || page + places >= end) continue;
    // In order is also the first page of a block behind the last one of another.
    const Ppn next = place_of(page + places);
    const bool at_end = geometry.page_in_block(place) + 1 == geometry.pages_per_block;
    const bool in_order = next == no_page || (at_end ? geometry.page_in_block(next) == 0
                                                     : index(next) == index(place) + 1);
    if (!in_order) ++occupancy.pages_out_of_order;
  }
  for (const std::uint32_t pages : others) {
    if (pages < geometry.pages_per_block) occupancy.other_pages_mixed += pages;
  }
  return occupancy;
}

WorkloadTheory workload_theory(const drive::DriveConfig& config, const WriteLoad& load,
                               const Occupancy& occupancy, Bytes written) {
  if (!load.problem.empty()) return no_theory(load.problem);
  if (config.ftl.write_frontiers == ftl::WriteFrontiers::two_pools) {
    return no_theory("the space is split between two pools");
  }
  const auto policy = victim_policy_of(config.ftl);
  if (!policy) return no_theory("no closed form of " + policy_name(config));
  const Question question{config, load, occupancy, units_of(config), *policy};
  if (question.valid_pages() + spare_blocks * question.block_of_each_pool() > occupancy.gc_pages) {
    return no_theory("less than two spare blocks in a pool");
  }
  if (policy == VictimPolicy::random) return random_victims(question);
  if (!load.random) return sequential(question);
  const double passes =
      static_cast<double>(written / config.geometry.page_size) / static_cast<double>(load.pages);
  if (load.every_block_once && passes > passes_max) {
    return no_theory("every block is written once per pass, and theory is of norandommap");
  }
  return policy == VictimPolicy::fifo ? uniform_fifo(question) : uniform_by_valid_pages(question);
}

}  // namespace x25sim::model
