// One type per address space: a logical page cannot be passed where a physical one is meant.
#pragma once

#include <cstdint>
#include <type_traits>

namespace x25sim {

enum class Lpn : std::uint32_t {};        // logical page number, counted from LBA 0
enum class Ppn : std::uint32_t {};        // physical page number, see Geometry for its digits
enum class BlockId : std::uint32_t {};    // block, over the whole drive
enum class DieId : std::uint32_t {};      // die, over the whole drive
enum class PlaneId : std::uint32_t {};    // plane within its die
enum class ChannelId : std::uint32_t {};  // channel

inline constexpr Ppn no_page{0xffffffff};
inline constexpr Lpn no_logical_page{0xffffffff};
inline constexpr BlockId no_block{0xffffffff};

// The number behind an id, for indexing and printing.
template <typename Id>
requires std::is_enum_v<Id>
constexpr std::underlying_type_t<Id> index(Id id) {
  return static_cast<std::underlying_type_t<Id>>(id);
}

}  // namespace x25sim
