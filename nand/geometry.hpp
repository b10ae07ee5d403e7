// How the flash of a drive is built: channels, packages, dies, planes, blocks and pages.
#pragma once

#include <cstdint>
#include <string>

#include "nand/ids.hpp"
#include "nand/units.hpp"

namespace x25sim::nand {

// Shape of the flash array. Physical page numbers count pages of a block first, then blocks of a
// die, then dies; dies are numbered channel by channel, so a die's channel is die /
// dies_per_channel. Within a die, consecutive blocks lie on alternating planes, as the plane is the
// lowest bit of an ONFI block address (ONFI 2.x, "Array organization").
struct Geometry {
  std::uint32_t channels = 1;              // populated channels
  std::uint32_t packages_per_channel = 1;  // packages that share a channel
  std::uint32_t dies_per_package = 1;
  std::uint32_t planes_per_die = 1;
  std::uint32_t blocks_per_die = 8;   // a multiple of planes_per_die
  std::uint32_t pages_per_block = 4;  // at most 65,535
  Bytes page_size{4096};              // user bytes of a page
  Bytes spare_size{0};                // spare bytes beside them, moved on the bus as well

  bool operator==(const Geometry&) const = default;

  std::uint32_t dies_per_channel() const { return packages_per_channel * dies_per_package; }
  std::uint32_t dies() const { return channels * dies_per_channel(); }
  std::uint32_t blocks() const { return dies() * blocks_per_die; }
  std::uint64_t pages() const { return std::uint64_t{blocks()} * pages_per_block; }
  Bytes raw_size() const { return page_size * pages(); }

  ChannelId channel_of(DieId die) const { return ChannelId{index(die) / dies_per_channel()}; }
  DieId die_of(BlockId block) const { return DieId{index(block) / blocks_per_die}; }
  PlaneId plane_of(BlockId block) const {
    return PlaneId{index(block) % blocks_per_die % planes_per_die};
  }
  BlockId block_of(Ppn page) const { return BlockId{index(page) / pages_per_block}; }
  DieId die_of(Ppn page) const { return die_of(block_of(page)); }
  std::uint32_t page_in_block(Ppn page) const { return index(page) % pages_per_block; }
  BlockId block_at(DieId die, std::uint32_t block_in_die) const {
    return BlockId{index(die) * blocks_per_die + block_in_die};
  }
  Ppn page_at(BlockId block, std::uint32_t page) const {
    return Ppn{index(block) * pages_per_block + page};
  }

  // "page 17 of block 5 (channel 0, die 3, plane 1)", for messages.
  std::string name(Ppn page) const;
  std::string name(BlockId block) const;

  // What makes this shape impossible, in words that name the quantity; empty if nothing does.
  std::string problem() const;
};

}  // namespace x25sim::nand
