#include "nand/geometry.hpp"

namespace x25sim::nand {

std::string Geometry::name(BlockId block) const {
  const DieId die = die_of(block);
  return "block " + std::to_string(index(block) % blocks_per_die) + " (channel " +
         std::to_string(index(channel_of(die))) + ", die " + std::to_string(index(die)) +
         ", plane " + std::to_string(index(plane_of(block))) + ")";
}

std::string Geometry::name(Ppn page) const {
  return "page " + std::to_string(page_in_block(page)) + " of " + name(block_of(page));
}

std::string Geometry::problem() const {
  struct Count {
    const char* name;
    std::uint64_t value;
    std::uint64_t max;
  };
  const Count counts[] = {
      {"channels", channels, 256},
      {"packages per channel", packages_per_channel, 64},
      {"dies per package", dies_per_package, 64},
      {"planes per die", planes_per_die, 8},
      {"blocks per die", blocks_per_die, 1u << 24},
      {"pages per block", pages_per_block, 65535},
      {"page bytes", page_size.count, 1u << 20},
  };
  for (const Count& count : counts) {
    if (count.value == 0 || count.value > count.max) {
      return std::string("expected ") + count.name + " from 1 to " + std::to_string(count.max) +
             ", found " + std::to_string(count.value);
    }
  }
  if (blocks_per_die % planes_per_die != 0) {
    return "expected blocks per die to be a multiple of planes per die (" +
           std::to_string(planes_per_die) + "), found " + std::to_string(blocks_per_die);
  }
  if (page_size.count % sector_size.count != 0 || page_size / sector_size > 64) {
    return "expected page bytes to be a multiple of 512 up to 32768, found " +
           std::to_string(page_size.count);
  }
  // Page numbers are 32-bit ids; the last one is kept for "none".
  const std::uint64_t page_count = std::uint64_t{channels} * packages_per_channel *
                                   dies_per_package * blocks_per_die * pages_per_block;
  if (page_count > index(no_page)) {
    return "expected at most 4294967295 pages in all, found " + std::to_string(page_count);
  }
  return {};
}

}  // namespace x25sim::nand
