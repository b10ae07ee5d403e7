#include "sim/drive/counters.hpp"

#include <algorithm>
#include <iterator>
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
          .back_busy = back_busy - earlier.back_busy,
          .die_busy = die_busy - earlier.die_busy,
          .buffer_full = buffer_full - earlier.buffer_full};
}

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::program_slots: return "program_slots";
    case Bound::channels: return "channels";
    case Bound::link: return "link";
    case Bound::firmware: return "firmware";
    case Bound::dies: return "dies";
    case Bound::write_buffer: return "write_buffer";
    case Bound::queue_depth: return "queue_depth";
    case Bound::arrivals: return "arrivals";
  }
  return "";
}

Bound bound_by(const BusyFractions& busy, bool recorded_times) {
  const std::pair<Bound, double> resources[] = {{Bound::program_slots, busy.program_slots},
                                                {Bound::channels, busy.channels},
                                                {Bound::link, busy.link},
                                                {Bound::firmware, busy.firmware()}};
  const auto busiest =
      std::max_element(std::begin(resources), std::end(resources),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (busiest->second >= bound_threshold) return busiest->first;
  if (busy.dies >= bound_threshold) return Bound::dies;
  if (busy.write_buffer >= bound_threshold) return Bound::write_buffer;
  return recorded_times ? Bound::arrivals : Bound::queue_depth;
}

}  // namespace x25sim::drive
