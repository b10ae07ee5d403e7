#include "sim/workload/offset_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nand/check.hpp"
#include "sim/workload/block_shuffle.hpp"
#include "sim/workload/zipf.hpp"

namespace x25sim::workload {
namespace {

using Kind = OffsetDistribution::Kind;
using Zone = OffsetDistribution::Zone;

// Where each rank lies.
class Scatter {
 public:
  Scatter(std::uint64_t blocks, std::optional<double> center, Random& random)
      : blocks_(blocks), shuffle_(blocks) {
    shuffle_.restart(random);
    if (!center) return;
    const auto place = static_cast<std::uint64_t>(static_cast<double>(blocks) * *center) % blocks;
    shift_ = place + blocks - shuffle_.at(0);
  }

  std::uint64_t block_of(std::uint64_t rank) const {
    return (shuffle_.at(rank) + shift_) % blocks_;
  }

 private:
  std::uint64_t blocks_;
  BlockShuffle shuffle_;
  std::uint64_t shift_ = 0;
};

class ZipfSampler final : public OffsetSampler {
 public:
  ZipfSampler(double theta, std::uint64_t blocks, Scatter scatter)
      : ranks_(theta, blocks), scatter_(std::move(scatter)) {}

  std::uint64_t next(Random& random) const override {
    return scatter_.block_of(ranks_.next(random) - 1);
  }

 private:
  Zipf ranks_;
  Scatter scatter_;
};

class ParetoSampler final : public OffsetSampler {
 public:
  ParetoSampler(double power, std::uint64_t blocks, Scatter scatter)
      : exponent_(std::log(power) / std::log(1 - power)),
        last_(static_cast<double>(blocks - 1)),
        scatter_(std::move(scatter)) {}

  std::uint64_t next(Random& random) const override {
    return scatter_.block_of(
        static_cast<std::uint64_t>(last_ * std::pow(random.unit(), exponent_)));
  }

 private:
  double exponent_;
  double last_;
  Scatter scatter_;
};

class NormalSampler final : public OffsetSampler {
 public:
  NormalSampler(double deviation_percent, std::uint64_t blocks, Scatter scatter)
      : blocks_(blocks), scatter_(std::move(scatter)) {
    if (deviation_percent <= 0) return;
    const double width = std::ceil(static_cast<double>(blocks) * deviation_percent / 100);
    width_ = static_cast<std::uint64_t>(std::min(width, static_cast<double>(blocks / 2)));
  }

  std::uint64_t next(Random& random) const override {
    constexpr std::uint64_t terms = 12;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < terms; ++i) sum += random.below(blocks_ + 1);
    const auto mean = static_cast<std::int64_t>((sum + terms - 1) / terms);
    const auto last = static_cast<std::int64_t>(blocks_ - 1);
    std::int64_t shift = 0;
    if (width_ > 0) {
      shift =
          static_cast<std::int64_t>(random.below(width_)) - static_cast<std::int64_t>(width_ / 2);
    }
    while (shift != 0 && (mean + shift < 0 || mean + shift > last)) shift /= 2;
    // The likeliest value becomes rank 0, which lies at the center.
    const auto rank = static_cast<std::uint64_t>(std::min(mean + shift, last));
    return scatter_.block_of((rank + blocks_ - blocks_ / 2) % blocks_);
  }

 private:
  std::uint64_t blocks_;
  std::uint64_t width_ = 0;
  Scatter scatter_;
};

class ZonedSampler final : public OffsetSampler {
 public:
  ZonedSampler(const std::vector<Zone>& zones, bool absolute, std::uint64_t blocks, Bytes block) {
    std::uint32_t requests = 0;
    std::uint64_t percent = 0;
    Bytes size;
    for (const Zone& zone : zones) {
      requests += zone.percent_of_requests;
      const std::uint64_t begin = absolute ? size / block : blocks * percent / 100;
      percent += zone.percent_of_region;
      size += zone.size;
      const std::uint64_t count =
          absolute ? size / block - begin : blocks * zone.percent_of_region / 100;
      if (zone.percent_of_requests == 0) continue;
      X25_CHECK(count > 0 && begin + count <= blocks);
      zones_.push_back({requests, begin, count});
    }
    X25_CHECK(requests == 100);
  }

  std::uint64_t next(Random& random) const override {
    const std::uint64_t share = random.below(100);
    const auto zone = std::ranges::find_if(
        zones_, [share](const Blocks& blocks) { return share < blocks.percent; });
    return zone->begin + random.below(zone->count);
  }

 private:
  struct Blocks {
    std::uint32_t percent;  // of the requests, those of the zones before included
    std::uint64_t begin;
    std::uint64_t count;
  };

  std::vector<Blocks> zones_;
};

}  // namespace

std::unique_ptr<OffsetSampler> make_offset_sampler(const OffsetDistribution& distribution,
                                                   const std::vector<Zone>& zones,
                                                   std::uint64_t blocks, Bytes block,
                                                   Random& scatter) {
  const double parameter = distribution.parameter;
  switch (distribution.kind) {
    case Kind::uniform: return nullptr;
    case Kind::zipf:
      return std::make_unique<ZipfSampler>(parameter, blocks,
                                           Scatter(blocks, distribution.center, scatter));
    case Kind::pareto:
      return std::make_unique<ParetoSampler>(parameter, blocks,
                                             Scatter(blocks, distribution.center, scatter));
    case Kind::normal:
      return std::make_unique<NormalSampler>(parameter, blocks,
                                             Scatter(blocks, distribution.center, scatter));
    case Kind::zoned: return std::make_unique<ZonedSampler>(zones, false, blocks, block);
    case Kind::zoned_abs: return std::make_unique<ZonedSampler>(zones, true, blocks, block);
  }
  return nullptr;
}

}  // namespace x25sim::workload
