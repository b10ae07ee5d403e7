#include "sim/model/workload_bounds.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "sim/drive/sata_link.hpp"
#include "sim/model/bounds.hpp"

namespace x25sim::model {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double ratio(double amount, double time) { return time > 0 ? amount / time : infinity; }

double program_slots_bound(const drive::DriveConfig& config, const Load& load) {
  if (!load.write) return infinity;
  return program_slots(config) * program_slot_rate(config, false) / load.write_amplification;
}

// Time for which a page of the load occupies its die, and those of its copies.
double die_time(const drive::DriveConfig& config, const Load& load) {
  const double transfer = seconds(page_transfer_time(config));
  const double read = seconds(config.timing.read_time) + transfer;
  if (!load.write) return read;
  const double program = transfer + seconds(config.timing.program_time) +
                         load.erases_per_program * seconds(config.timing.erase_time);
  return load.write_amplification * program + (load.write_amplification - 1) * read;
}

double dies_bound(const drive::DriveConfig& config, const Load& load) {
  const auto page = static_cast<double>(config.geometry.page_size.count);
  return config.geometry.dies() * ratio(page, die_time(config, load));
}

double channels_bound(const drive::DriveConfig& config, const Load& load) {
  // A host page of a write goes in once, each copy out and in.
  const double transfers = load.write ? 2 * load.write_amplification - 1 : 1;
  return channel_read_bound(config) / transfers;
}

// Time for which one request occupies the link.
double link_time(const drive::DriveConfig& config, const Load& load) {
  const std::uint64_t turn = std::max(drive::data_fis_max, config.geometry.page_size).count;
  drive::Frames frames(config.link);
  frames.add(drive::register_fis);
  frames.add(drive::register_fis);
  for (std::uint64_t sent = 0; sent < load.block.count; sent += turn) {
    if (sent == 0) frames.add(drive::dma_setup_fis);
    if (sent > 0 && load.write) frames.add(drive::dma_activate_fis);
    frames.add_data({std::min(turn, load.block.count - sent)});
  }
  frames.add(drive::set_device_bits_fis);
  return static_cast<double>(frames.bytes()) * 10 / static_cast<double>(config.link.rate) +
         seconds(frames.pause());
}

double firmware_bound(const drive::DriveConfig& config, const Load& load) {
  const auto block = static_cast<double>(load.block.count);
  const double front = ratio(block, seconds(config.firmware.front_per_command));
  if (!load.write) return front;
  const double pages = block / static_cast<double>(config.geometry.page_size.count);
  const double longest = config.firmware.run_pages;
  // Sequential requests join into the longest runs; a random one makes runs of its own.
  const double runs = load.random ? static_cast<double>((static_cast<std::uint64_t>(pages) +
                                                         config.firmware.run_pages - 1) /
                                                        config.firmware.run_pages)
                                  : pages / longest;
  return std::min(front, ratio(block, runs * seconds(config.firmware.back_per_run)));
}

double queue_depth_bound(const drive::DriveConfig& config, const Load& load) {
  double latency = seconds(config.host.command_overhead) +
                   seconds(config.firmware.front_per_command) + link_time(config, load);
  if (!load.write && load.random) {
    latency += seconds(config.timing.read_time + page_transfer_time(config) -
                       config.controller.cut_through);
  }
  return ratio(load.queue_depth * static_cast<double>(load.block.count), latency);
}

std::array<std::pair<drive::Bound, double>, 6> parts(const LoadBounds& bounds) {
  using drive::Bound;
  return {{{Bound::program_slots, bounds.program_slots},
           {Bound::channels, bounds.channels},
           {Bound::link, bounds.link},
           {Bound::firmware, bounds.firmware},
           {Bound::dies, bounds.dies},
           {Bound::queue_depth, bounds.queue_depth}}};
}

}  // namespace

drive::Bound LoadBounds::limiting() const {
  const auto all = parts(*this);
  return std::min_element(all.begin(), all.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

double LoadBounds::lowest() const {
  return std::min({program_slots, channels, link, firmware, dies, queue_depth});
}

LoadBounds load_bounds(const drive::DriveConfig& config, const Load& load) {
  return {program_slots_bound(config, load),
          channels_bound(config, load),
          ratio(static_cast<double>(load.block.count), link_time(config, load)),
          firmware_bound(config, load),
          queue_depth_bound(config, load),
          dies_bound(config, load)};
}

}  // namespace x25sim::model
