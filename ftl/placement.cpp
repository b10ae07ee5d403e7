#include "ftl/placement.hpp"

namespace x25sim::ftl {

namespace {

std::uint32_t pool_blocks(const nand::Geometry& geometry, const Config& config) {
  return config.pool == PoolUnit::die ? geometry.blocks_per_die
                                      : geometry.blocks_per_die / geometry.planes_per_die;
}

}  // namespace

PoolLayout::PoolLayout(const nand::Geometry& geometry, const Config& config)
    : geometry_(geometry),
      config_(config),
      pools_(config.pool == PoolUnit::die ? geometry.dies()
                                          : geometry.dies() * geometry.planes_per_die) {
  const std::uint32_t blocks = pool_blocks(geometry, config);
  const auto kept =
      static_cast<std::uint32_t>(std::uint64_t{blocks} * config.firmware_area_ppm / 1'000'000);
  usable_blocks_ = blocks - kept;
  // One block besides the reserved ones is open, and at least one must be closed to be cleaned.
  max_valid_pages_ = usable_blocks_ < config.reserved_blocks_per_pool + 2
                         ? 0
                         : std::uint64_t{usable_blocks_ - config.reserved_blocks_per_pool} *
                                   geometry.pages_per_block -
                               1;
}

std::vector<BlockId> PoolLayout::blocks_of(std::uint32_t pool) const {
  const bool whole_die = config_.pool == PoolUnit::die;
  const DieId die{whole_die ? pool : pool / geometry_.planes_per_die};
  const std::uint32_t first = whole_die ? 0 : pool % geometry_.planes_per_die;
  const std::uint32_t step = whole_die ? 1 : geometry_.planes_per_die;
  std::vector<BlockId> blocks;
  blocks.reserve(usable_blocks_);
  for (std::uint32_t i = 0; i < usable_blocks_; ++i) {
    blocks.push_back(geometry_.block_at(die, first + i * step));
  }
  return blocks;
}

std::vector<std::uint32_t> PoolLayout::stripe() const {
  const auto extent = [this](StripeDimension dimension) -> std::uint32_t {
    switch (dimension) {
      case StripeDimension::channel: return geometry_.channels;
      case StripeDimension::die: return geometry_.dies_per_channel();
      case StripeDimension::plane:
        return config_.pool == PoolUnit::plane ? geometry_.planes_per_die : 1;
    }
    return 1;
  };
  std::vector<std::uint32_t> order;
  order.reserve(pools_);
  for (std::uint32_t i = 0; i < pools_; ++i) {
    std::uint32_t rest = i;
    std::uint32_t channel = 0;
    std::uint32_t die_in_channel = 0;
    std::uint32_t plane = 0;
    for (const StripeDimension dimension : config_.stripe_order) {
      const std::uint32_t digit = rest % extent(dimension);
      rest /= extent(dimension);
      switch (dimension) {
        case StripeDimension::channel: channel = digit; break;
        case StripeDimension::die: die_in_channel = digit; break;
        case StripeDimension::plane: plane = digit; break;
      }
    }
    const std::uint32_t die = channel * geometry_.dies_per_channel() + die_in_channel;
    order.push_back(config_.pool == PoolUnit::die ? die : die * geometry_.planes_per_die + plane);
  }
  return order;
}

std::uint64_t max_logical_pages(const nand::Geometry& geometry, const Config& config) {
  const PoolLayout layout(geometry, config);
  return layout.pools() * layout.max_valid_pages();
}

}  // namespace x25sim::ftl
