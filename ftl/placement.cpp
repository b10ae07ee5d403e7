#include "ftl/placement.hpp"

#include <algorithm>

namespace x25sim::ftl {

namespace {

constexpr std::uint64_t million = 1'000'000;

std::uint32_t share(std::uint32_t count, std::uint32_t ppm) {
  return static_cast<std::uint32_t>(std::uint64_t{count} * ppm / million);
}

}  // namespace

PoolLayout::PoolLayout(const nand::Geometry& geometry, const Config& config)
    : geometry_(geometry),
      config_(config),
      superblocks_(geometry, config),
      planes_(config.pool == PoolUnit::plane ? geometry.planes_per_die : 1),
      units_(superblocks_.groups() * planes_),
      unit_blocks_(superblocks_.per_group() / planes_),
      usable_blocks_(unit_blocks_ - share(unit_blocks_, config.firmware_area_ppm)),
      classes_(config.write_frontiers == WriteFrontiers::two_pools ? 2 : 1),
      first_class_blocks_(classes_ == 1 ? usable_blocks_
                                        : share(usable_blocks_, config.hot_space_ppm)),
      first_class_end_(classes_ == 1 ? unit_blocks_
                                     : usable_blocks_ + share(unit_blocks_ - usable_blocks_,
                                                              config.hot_space_ppm)),
      frontiers_(config.write_frontiers == WriteFrontiers::two ||
                         config.write_frontiers == WriteFrontiers::hot_cold
                     ? 2
                     : 1),
      reserved_(config.reserved_blocks_per_pool),
      has_wear_frontier_(config.wear_leveling == WearLeveling::static_) {}

std::uint64_t PoolLayout::pages_of_first_class(std::uint64_t logical_pages) const {
  if (classes_ == 1) return logical_pages;
  return logical_pages / million * config_.hot_lbas_ppm +
         logical_pages % million * config_.hot_lbas_ppm / million;
}

std::uint32_t PoolLayout::position_of(SuperblockId superblock) const {
  return index(superblock) % superblocks_.per_group() / planes_;
}

std::uint32_t PoolLayout::pool_of(SuperblockId superblock) const {
  const std::uint32_t group = index(superblock) / superblocks_.per_group();
  const std::uint32_t plane = index(superblock) % superblocks_.per_group() % planes_;
  const std::uint32_t unit = group * planes_ + plane;
  const std::uint32_t position = position_of(superblock);
  const bool first =
      position < (position < usable_blocks_ ? first_class_blocks_ : first_class_end_);
  return unit * classes_ + (first ? 0 : 1);
}

SuperblockId PoolLayout::superblock_at(std::uint32_t unit, std::uint32_t position) const {
  const std::uint32_t in_group = position * planes_ + unit % planes_;
  return SuperblockId{unit / planes_ * superblocks_.per_group() + in_group};
}

std::vector<SuperblockId> PoolLayout::range(std::uint32_t unit, std::uint32_t begin,
                                            std::uint32_t end) const {
  std::vector<SuperblockId> blocks;
  blocks.reserve(end - begin);
  for (std::uint32_t position = begin; position < end; ++position) {
    blocks.push_back(superblock_at(unit, position));
  }
  return blocks;
}

std::vector<SuperblockId> PoolLayout::blocks_of(std::uint32_t pool) const {
  const std::uint32_t unit = pool / classes_;
  return class_of(pool) == 0 ? range(unit, 0, first_class_blocks_)
                             : range(unit, first_class_blocks_, usable_blocks_);
}

std::vector<SuperblockId> PoolLayout::replacements_of(std::uint32_t pool) const {
  const std::uint32_t unit = pool / classes_;
  return class_of(pool) == 0 ? range(unit, usable_blocks_, first_class_end_)
                             : range(unit, first_class_end_, unit_blocks_);
}

std::uint64_t PoolLayout::max_valid_pages(std::uint32_t page_class) const {
  const std::uint32_t usable = usable_blocks(page_class);
  const std::uint32_t kept = kept_blocks();
  // One superblock besides the kept ones is open, and at least one must be closed to be cleaned.
  if (usable < kept || usable - kept < 2) return 0;
  const std::uint64_t pages = superblocks_.pages_of_each();
  const std::uint64_t open_pages = (frontiers_ - 1) * pages;
  return (usable - kept) * pages - std::max<std::uint64_t>(1, open_pages);
}

std::uint64_t PoolLayout::gc_pages() const {
  std::uint64_t blocks = 0;
  for (std::uint32_t page_class = 0; page_class < classes_; ++page_class) {
    const std::uint32_t usable = usable_blocks(page_class);
    blocks += usable - std::min(usable, low_watermark());
  }
  return blocks * units_ * superblocks_.pages_of_each();
}

// Dies, or planes of dies, in striping order.
std::vector<std::uint32_t> PoolLayout::unit_order() const {
  std::vector<std::uint32_t> order;
  order.reserve(units_);
  if (superblocks_.blocks_of_each() > 1) {
    // Groups of dies that follow each other in striping order do so themselves.
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      for (std::uint32_t group = 0; group < superblocks_.groups(); ++group) {
        order.push_back(group * planes_ + plane);
      }
    }
    return order;
  }
  const auto extent = [this](StripeDimension dimension) -> std::uint32_t {
    switch (dimension) {
      case StripeDimension::channel: return geometry_.channels;
      case StripeDimension::die: return geometry_.dies_per_channel();
      case StripeDimension::plane: return planes_;
    }
    return 1;
  };
  for (std::uint32_t i = 0; i < units_; ++i) {
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
    order.push_back((channel * geometry_.dies_per_channel() + die_in_channel) * planes_ + plane);
  }
  return order;
}

std::vector<std::uint32_t> PoolLayout::stripe(std::uint32_t page_class) const {
  std::vector<std::uint32_t> order = unit_order();
  for (std::uint32_t& unit : order) unit = unit * classes_ + page_class;
  return order;
}

std::uint64_t max_logical_pages(const nand::Geometry& geometry, const Config& config) {
  const PoolLayout layout(geometry, config);
  const std::uint64_t units = layout.pools() / layout.classes();
  const std::uint64_t first_max = units * layout.max_valid_pages(0);
  if (layout.classes() == 1) return first_max;
  const std::uint64_t second_max = units * layout.max_valid_pages(1);
  // Both classes grow with the number of logical pages: the largest number with which both fit.
  const auto fits = [&](std::uint64_t pages) {
    const std::uint64_t first = layout.pages_of_first_class(pages);
    return first <= first_max && pages - first <= second_max;
  };
  std::uint64_t low = 0;
  std::uint64_t high = first_max + second_max;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    fits(middle) ? low = middle : high = middle - 1;
  }
  return low;
}

}  // namespace x25sim::ftl
