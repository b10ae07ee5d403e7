// Which blocks of a region random requests prefer: fio's random_distribution, apart from `random`.
//
// zipf: rank k of the blocks, from 1, has the probability k^-theta / H, the true one; fio's own
// sampler approximates it. pareto: rank floor((N - 1) u^p), from 0, with p = log h / log(1 - h) and
// a uniform u, as in fio. Ranks are scattered over the region by a permutation of its blocks, so
// that no two of them share one, where fio hashes them and some blocks are never visited. The
// hottest block is at `center` * N if that is given, and else at a random place, as in fio.
//
// normal: around `center` * N, by default the middle, with a deviation of so many percent of the
// region, as fio's manual has it; what falls outside is drawn again. A deviation of 0 stands for a
// twelfth of the region, which is fio's. (fio 3.33 itself takes every deviation for about the same,
// and hashes blocks here, too.)
//
// zoned, zoned_abs: a zone is drawn by its share of the requests, and a block of it uniformly.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nand/random.hpp"
#include "nand/units.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::workload {

class OffsetSampler {
 public:
  virtual ~OffsetSampler() = default;
  // A block, from 0.
  virtual std::uint64_t next(Random& random) const = 0;
};

// For a region of `blocks` blocks of `block` bytes; `zones` are those of the direction. `scatter`
// draws the permutation. None for uniform offsets. Requires: what resolve_region() sees to.
std::unique_ptr<OffsetSampler> make_offset_sampler(
    const OffsetDistribution& distribution, const std::vector<OffsetDistribution::Zone>& zones,
    std::uint64_t blocks, Bytes block, Random& scatter);

}  // namespace x25sim::workload
