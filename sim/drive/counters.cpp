#include "sim/drive/counters.hpp"

#include <utility>

namespace x25sim::drive {

std::uint64_t Counters::flash_operations() const {
  return ftl.program_total() + ftl.read_total() + ftl.erases;
}

Counters Counters::operator-(const Counters& earlier) const {
  return {.host_read = host_read - earlier.host_read,
          .host_write = host_write - earlier.host_write,
          .host_trim = host_trim - earlier.host_trim,
          .commands = commands - earlier.commands,
          .unmapped_read_pages = unmapped_read_pages - earlier.unmapped_read_pages,
          .buffer_read_pages = buffer_read_pages - earlier.buffer_read_pages,
          .read_ahead_hit_pages = read_ahead_hit_pages - earlier.read_ahead_hit_pages,
          .read_ahead_pages = read_ahead_pages - earlier.read_ahead_pages,
          .buffer_merged_pages = buffer_merged_pages - earlier.buffer_merged_pages,
          .ftl = ftl - earlier.ftl,
          .two_plane_reads = two_plane_reads - earlier.two_plane_reads,
          .program_slot_busy = program_slot_busy - earlier.program_slot_busy,
          .channel_busy = channel_busy - earlier.channel_busy,
          .link_busy = link_busy - earlier.link_busy,
          .front_busy = front_busy - earlier.front_busy,
          .back_busy = back_busy - earlier.back_busy};
}

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::program_slots: return "program_slots";
    case Bound::channels: return "channels";
    case Bound::link: return "link";
    case Bound::firmware: return "firmware";
    case Bound::queue_depth: return "queue_depth";
  }
  return "";
}

Bound bound_by(const BusyFractions& busy) {
  Bound bound = Bound::queue_depth;
  double largest = 0;
  for (const auto& [resource, fraction] : {std::pair{Bound::program_slots, busy.program_slots},
                                           {Bound::channels, busy.channels},
                                           {Bound::link, busy.link},
                                           {Bound::firmware, busy.firmware()}}) {
    if (fraction < bound_threshold) continue;
    if (fraction <= largest) continue;
    bound = resource;
    largest = fraction;
  }
  return bound;
}

}  // namespace x25sim::drive
