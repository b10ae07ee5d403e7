// Everything that is configurable in a simulated drive, as plain values. Read from YAML by
// sim/config, where each key's unit and range is stated once.
#pragma once

#include <cstdint>
#include <string>

#include "ftl/config.hpp"
#include "nand/geometry.hpp"
#include "nand/timing.hpp"
#include "nand/units.hpp"

namespace x25sim::drive {

inline constexpr std::uint32_t no_limit = 0xffffffff;

// The part of the controller that moves data between flash and host.
struct ControllerConfig {
  std::uint32_t channels = 10;  // of the controller; geometry.channels of them are populated
  // Page programs that may be in flight, from the first data cycle to ready: on one channel, and
  // in the drive (no_limit where only the channels count).
  std::uint32_t program_slots_per_channel = 2;
  std::uint32_t program_slots = no_limit;
  Bytes write_buffer{};  // a multiple of the page size; holds a page until it is programmed
  // Whether a write is complete when its data are in the buffer, or only when they are on flash
  // (ATA8-ACS, SET FEATURES: enable and disable volatile write cache).
  bool write_cache = true;
  Bytes read_ahead{};  // how far behind a sequential read flash is read in advance; 0: never
  std::uint32_t read_ahead_streams = 4;  // sequential streams that are followed at the same time
  // How far the flash reads of one command may run ahead of the data sent; at most 64 pages.
  Bytes read_window{};
  // How long before the last byte of a page has crossed its channel the link may start to send it.
  Duration cut_through{};
  // Pair queued reads of two planes of a die into one array operation where the flash allows it.
  bool two_plane_reads = true;

  bool operator==(const ControllerConfig&) const = default;
};

// Times of the firmware's two serial stages.
struct FirmwareConfig {
  Duration front_per_command{};  // before the data, each read, write, flush and trim command
  Duration back_per_run{};       // after the acknowledgement, each run of consecutive pages
  std::uint32_t run_pages = 16;  // longest run that the back stage takes from the write buffer
  Duration trim_per_range{};     // each range of a DATA SET MANAGEMENT command
  // Host pages that may wait at one die before the back stage stops and waits for it.
  std::uint32_t program_queue_per_die = 8;
  Duration gc_idle_delay{};  // from the last command to the first collection of the pacing `idle`

  bool operator==(const FirmwareConfig&) const = default;
};

// The SATA link, half duplex.
struct LinkConfig {
  std::uint64_t rate = 3'000'000'000;  // line rate in bit/s; 8b/10b coding: 10 bits carry a byte
  Bytes frame_overhead{};   // bytes that every FIS occupies beside its content: primitives, CRC
  Duration data_fis_gap{};  // pause after each data FIS
  std::uint32_t queue_depth = 32;  // NCQ tags

  bool operator==(const LinkConfig&) const = default;
};

// The computer at the other end of the link.
struct HostConfig {
  Duration command_overhead{};  // from the decision to issue a command to its arrival at the link

  bool operator==(const HostConfig&) const = default;
};

struct DriveConfig {
  std::string name;
  std::uint64_t sectors = 0;  // user capacity in sectors of 512 B
  nand::Geometry geometry;
  nand::Timing timing;
  std::uint32_t rated_cycles = 0;  // program/erase cycles that the flash is rated for
  ftl::Config ftl;
  ControllerConfig controller;
  FirmwareConfig firmware;
  LinkConfig link;
  HostConfig host;

  bool operator==(const DriveConfig&) const = default;

  Bytes capacity() const { return sector_size * sectors; }
  // Logical pages; the last one may be partial.
  std::uint64_t logical_pages() const {
    return (capacity().count + geometry.page_size.count - 1) / geometry.page_size.count;
  }
};

}  // namespace x25sim::drive
