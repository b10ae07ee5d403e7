// Closed forms of what one drive can do at most, part by part: what a simulated figure is held
// against. Every value follows from the configuration alone, with mean times of the flash. None of
// them models two parts in each other's way; that is what the simulation is for.
//
// Rates are in bytes per second (10^6 B/s is one MB/s); a stage that takes no time has the rate
// infinity.
#pragma once

#include <cstdint>

#include "nand/units.hpp"
#include "sim/drive/config.hpp"

namespace x25sim::model {

// Time for which a FIS of `content` bytes (a data FIS: payload and header) occupies the link,
// rounded down to nanoseconds. The gap after a data FIS is not in it.
Duration frame_time(const drive::LinkConfig& link, Bytes content);

// Time for which the transfer of one page occupies its channel.
Duration page_transfer_time(const drive::DriveConfig& config);

// Page programs that can be in flight in the whole drive: the drive's cap, the channels' caps and
// the number of dies, whichever is least.
std::uint32_t program_slots(const drive::DriveConfig& config);

// Rate of one program slot, which is held from the first data cycle to the end of the program:
// page / (transfer + tPROG). `erase`: each block is erased first, and a page has its share of that.
double program_slot_rate(const drive::DriveConfig& config, bool erase);

// Sequential writes: slots times their rate. `erase`: each block is erased first, by its die, which
// then does not program; no more than the dies times their rate.
double sequential_write_bound(const drive::DriveConfig& config, bool erase);

// Reads of all populated channels together: user bytes in back-to-back page transfers.
double channel_read_bound(const drive::DriveConfig& config);

// Data FISes of 8 KiB back to back, with the gap after each.
double link_data_bound(const drive::DriveConfig& config);

// Commands per second that the front stage of the firmware can take.
double front_rate(const drive::DriveConfig& config);

// Random writes that the back stage of the firmware can take: each page is a run of its own.
double back_rate(const drive::DriveConfig& config);

// The terms of one random read of one page with nothing else in the drive. What the link leaves
// over of a nanosecond is carried from turn to turn, as in the simulation.
struct ReadLatency {
  Duration host{};         // command overhead of the host
  Duration command{};      // register frames of the command and of its release
  Duration front{};        // front stage of the firmware
  Duration array_read{};   // tR
  Duration transfer{};     // page over the channel
  Duration cut_through{};  // part of the transfer during which the link is sending already
  Duration data{};         // DMA setup, data with their gap, set device bits

  Duration total() const {
    return host + command + front + array_read + transfer - cut_through + data;
  }
};

ReadLatency unloaded_read_latency(const drive::DriveConfig& config);

}  // namespace x25sim::model
