// Which blocks of a region random requests prefer: fio's random_distribution, apart from `random`.
//
// zipf: ranks of Zipf's law (zipf.hpp). pareto: rank floor((N - 1) u^p), from 0, with
// p = log h / log(1 - h) and a uniform u. normal: rank the mean, rounded up, of twelve uniform
// integers from 0 to N, plus a uniform one of a width of N deviation / 100, at most N / 2, around
// 0, halved until the sum lies in the region. That is what fio 3.33 does; its manual promises a
// deviation in percent. A deviation of 0 adds nothing.
//
// Ranks are scattered over the region by a permutation of its blocks, so that no two of them share
// one, where fio multiplies and takes the remainder, and some blocks may never be visited. The
// likeliest block is at `center` * N if that is given, and else at a random place.
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
