// How long the flash takes.
#pragma once

#include "nand/geometry.hpp"
#include "nand/units.hpp"

namespace x25sim::nand {

// Times of one NAND part. Does not model: lower and upper page times of MLC, cache program,
// suspend.
struct Timing {
  Duration read_time{};     // tR, array to page register
  Duration program_time{};  // tPROG, page register to array
  Duration erase_time{};    // tBERS, one block
  Duration bus_cycle{};     // tRC = tWC, one byte on the channel
  // Command and address cycles of a page operation, each one bus cycle (ONFI: 2 commands and 5
  // address cycles); they are counted with the page's data transfer.
  unsigned command_address_cycles = 0;
  // Program and read times vary by page by up to this share, up or down, in parts per million: a
  // fixed function of the page and its block's erase count. 0 gives every page the same time.
  unsigned spread_ppm = 0;

  bool operator==(const Timing&) const = default;

  // Time for which a page's transfer occupies the channel: user and spare bytes, and the command
  // and address cycles.
  Duration transfer_time(const Geometry& geometry) const {
    const auto cycles = (geometry.page_size + geometry.spare_size).count + command_address_cycles;
    return bus_cycle * static_cast<Duration::rep>(cycles);
  }
};

// `base` as page `page` has it in its block's erase cycle `erase_count`, see Timing::spread_ppm.
constexpr Duration spread_time(Duration base, unsigned spread_ppm, Ppn page,
                               std::uint32_t erase_count) {
  if (spread_ppm == 0) return base;
  std::uint64_t hash = (std::uint64_t{index(page)} << 32 | erase_count) + 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  hash ^= hash >> 31;
  const std::int64_t reach = base.count() * spread_ppm / 1'000'000;
  const auto offset = static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(2 * reach + 1));
  return base + Duration{offset - reach};
}

}  // namespace x25sim::nand
