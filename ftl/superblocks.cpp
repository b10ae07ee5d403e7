#include "ftl/superblocks.hpp"

#include "nand/check.hpp"

namespace x25sim::ftl {

Superblocks::Superblocks(const nand::Geometry& geometry, const Config& config)
    : geometry_(geometry),
      dies_(config.superblock_dies),
      pages_(config.superblock_dies * geometry.pages_per_block),
      position_(geometry.dies()) {
  X25_CHECK(dies_ >= 1 && geometry.dies() % dies_ == 0);
  bool channel_first = true;
  for (const StripeDimension dimension : config.stripe_order) {
    if (dimension == StripeDimension::plane) continue;
    channel_first = dimension == StripeDimension::channel;
    break;
  }
  const std::uint32_t channels = geometry.channels;
  const std::uint32_t per_channel = geometry.dies_per_channel();
  for (std::uint32_t i = 0; i < geometry.dies(); ++i) {
    const std::uint32_t die = channel_first ? i % channels * per_channel + i / channels : i;
    position_[die] = i;
    die_order_.push_back(die);
  }
}

Ppn Superblocks::physical_of_several(std::uint32_t page) const {
  const SuperblockId superblock{page / pages_};
  const std::uint32_t offset = page % pages_;
  return geometry_.page_at(block_of_several(superblock, offset % dies_), offset / dies_);
}

BlockId Superblocks::block_of_several(SuperblockId superblock, std::uint32_t way) const {
  const std::uint32_t group = index(superblock) / per_group();
  const DieId die{die_order_[group * dies_ + way]};
  return geometry_.block_at(die, index(superblock) % per_group());
}

SuperblockId Superblocks::superblock_of(BlockId block) const {
  if (dies_ == 1) return SuperblockId{index(block)};
  const std::uint32_t group = position_[index(geometry_.die_of(block))] / dies_;
  return SuperblockId{group * per_group() + index(block) % geometry_.blocks_per_die};
}

}  // namespace x25sim::ftl
