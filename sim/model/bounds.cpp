#include "sim/model/bounds.hpp"

#include <algorithm>
#include <limits>

#include "sim/drive/sata_link.hpp"

namespace x25sim::model {

namespace {

double per_second(double amount, double time_seconds) {
  return time_seconds > 0 ? amount / time_seconds : std::numeric_limits<double>::infinity();
}

double page_bytes(const drive::DriveConfig& config) {
  return static_cast<double>(config.geometry.page_size.count);
}

}  // namespace

Duration frame_time(const drive::LinkConfig& link, Bytes content) {
  drive::Frames frame(link);
  frame.add(content.count);
  return drive::LineClock(link.rate).occupy(frame);
}

Duration page_transfer_time(const drive::DriveConfig& config) {
  return config.timing.transfer_time(config.geometry);
}

std::uint32_t program_slots(const drive::DriveConfig& config) {
  const std::uint64_t by_channel =
      std::uint64_t{config.controller.program_slots_per_channel} * config.geometry.channels;
  const std::uint64_t by_drive = std::min(config.controller.program_slots, config.geometry.dies());
  return static_cast<std::uint32_t>(std::min(by_channel, by_drive));
}

double program_slot_rate(const drive::DriveConfig& config, bool erase) {
  double time = seconds(page_transfer_time(config) + config.timing.program_time);
  if (erase) time += seconds(config.timing.erase_time) / config.geometry.pages_per_block;
  return per_second(page_bytes(config), time);
}

double sequential_write_bound(const drive::DriveConfig& config, bool erase) {
  const double by_slots = program_slots(config) * program_slot_rate(config, false);
  // An erase holds its die but no slot: other dies may use that meanwhile, if there are more.
  return erase ? std::min(by_slots, config.geometry.dies() * program_slot_rate(config, true))
               : by_slots;
}

double channel_read_bound(const drive::DriveConfig& config) {
  return config.geometry.channels *
         per_second(page_bytes(config), seconds(page_transfer_time(config)));
}

double link_data_bound(const drive::DriveConfig& config) {
  drive::Frames frames(config.link);
  frames.add_data(drive::data_fis_max);
  const double line_time =
      static_cast<double>(frames.bytes() * 10) / static_cast<double>(config.link.rate);
  return per_second(static_cast<double>(drive::data_fis_max.count),
                    line_time + seconds(frames.pause()));
}

double front_rate(const drive::DriveConfig& config) {
  return per_second(1, seconds(config.firmware.front_per_command));
}

double back_rate(const drive::DriveConfig& config) {
  return per_second(page_bytes(config), seconds(config.firmware.back_per_run));
}

ReadLatency unloaded_read_latency(const drive::DriveConfig& config) {
  drive::Frames command(config.link);
  command.add(drive::register_fis);
  command.add(drive::register_fis);
  drive::Frames data(config.link);
  data.add(drive::dma_setup_fis);
  data.add_data(config.geometry.page_size);
  data.add(drive::set_device_bits_fis);
  drive::LineClock line(config.link.rate);
  ReadLatency latency;
  latency.host = config.host.command_overhead;
  latency.command = line.occupy(command);
  latency.front = config.firmware.front_per_command;
  latency.array_read = config.timing.read_time;
  latency.transfer = page_transfer_time(config);
  latency.cut_through = config.controller.cut_through;
  latency.data = line.occupy(data);
  return latency;
}

}  // namespace x25sim::model
