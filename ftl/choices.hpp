// The firmware's interchangeable parts beside the policies of garbage collection: their names, as
// configurations spell them, in the order of their enums, and what each does.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace x25sim::ftl {

struct Choice {
  std::string_view name;
  std::string_view description;
};

// Of StripeDimension.
inline constexpr std::array<std::string_view, 3> stripe_dimension_names{"channel", "die", "plane"};

inline constexpr std::array<Choice, 2> pool_choices{{
    {"die",
     "each die has free blocks, frontiers and a collector of its own; with "
     "firmware.superblock_dies = k, each group of k dies"},
    {"plane", "each plane of a die, or of a group of dies, has its own"},
}};

inline constexpr std::array<Choice, 3> gc_pacing_choices{{
    {"blocking",
     "when erased blocks run out, victims are cleaned at once, until "
     "firmware.gc_high_watermark more are erased"},
    {"paced",
     "a victim's copies keep step with the host's writes: the one gives back as much "
     "space as the other takes"},
    {"idle",
     "victims are cleaned while the drive is idle, until firmware.gc_high_watermark more "
     "blocks are erased; a victim at once where that was not enough"},
}};

inline constexpr std::array<Choice, 4> write_frontier_choices{{
    {"one", "pages of the host and of garbage collection fill the same block"},
    {"two", "pages of the host fill one block, those that are copied another"},
    {"hot-cold",
     "hot pages fill one block, all others another; a page is hot while its recent "
     "writes, halved once in a drive write, are at least firmware.hot_writes"},
    {"two-pools",
     "the first firmware.hot_lbas of the LBAs are written to firmware.hot_space of "
     "the blocks, all others to the rest"},
}};

inline constexpr std::array<Choice, 3> wear_leveling_choices{{
    {"none", "free blocks are used in the order in which they were erased"},
    {"dynamic", "the free block with the fewest erases is used first"},
    {"static",
     "as dynamic; and when a block has been erased firmware.wear_threshold times more "
     "than the one with the oldest data, it takes over those data"},
}};

// The names alone.
template <std::size_t N>
constexpr std::array<std::string_view, N> names_of(const std::array<Choice, N>& choices) {
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) names[i] = choices[i].name;
  return names;
}

}  // namespace x25sim::ftl
