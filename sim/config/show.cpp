#include "sim/config/show.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "ftl/counters.hpp"
#include "ftl/placement.hpp"
#include "sim/config/quantity.hpp"
#include "sim/drive/sata_link.hpp"
#include "sim/model/bounds.hpp"

namespace x25sim::config {

namespace {

using Output = std::back_insert_iterator<std::string>;

constexpr int name_width = 36;

template <typename... Arguments>
void line(Output out, std::string_view name, fmt::format_string<Arguments...> form,
          Arguments&&... arguments) {
  fmt::format_to(out, "  {:<{}}", name, name_width);
  fmt::format_to(out, form, std::forward<Arguments>(arguments)...);
  fmt::format_to(out, "\n");
}

void add_settings(Output out, const LoadedDrive& drive) {
  fmt::format_to(out, "name: {}\n", drive.config.name);
  if (!drive.description.empty()) fmt::format_to(out, "description: {}\n", drive.description);
  std::string section;
  for (const Setting& setting : drive.settings) {
    const std::size_t dot = setting.key.find('.');
    if (setting.key.compare(0, dot, section) != 0) {
      section = setting.key.substr(0, dot);
      fmt::format_to(out, "{}:\n", section);
    }
    fmt::format_to(out, "  {:<{}}  # ", setting.key.substr(dot + 1) + ": " + setting.value,
                   name_width);
    if (!setting.source.empty()) fmt::format_to(out, "{} ", setting.source);
    fmt::format_to(out, "({})\n", setting.where.text());
  }
}

std::string size_text(Bytes size) {
  const auto count = static_cast<double>(size.count);
  return fmt::format("{} B = {:.3f} GB = {:.3f} GiB", size.count, count * 1e-9, count / (1u << 30));
}

// "40.6 MB/s", MB of 10^6 bytes.
std::string rate_text(double bytes_per_second) {
  if (std::isinf(bytes_per_second)) return "no limit";
  return fmt::format("{:.2f} MB/s", bytes_per_second * 1e-6);
}

void add_capacity(Output out, const drive::DriveConfig& config) {
  const nand::Geometry& geometry = config.geometry;
  const ftl::PoolLayout layout(geometry, config.ftl);
  ftl::SpaceSummary space;
  space.raw_pages = geometry.pages();
  space.gc_pages = layout.gc_pages();
  space.user_pages = config.logical_pages();
  space.valid_pages = space.user_pages;
  const double raw = static_cast<double>(geometry.raw_size().count);
  const double user = static_cast<double>(config.capacity().count);

  fmt::format_to(out, "\ncapacity\n");
  line(out, "dies", "{} = {} channels x {} packages x {} dies", geometry.dies(), geometry.channels,
       geometry.packages_per_channel, geometry.dies_per_package);
  line(out, "raw flash", "{}", size_text(geometry.raw_size()));
  line(out, "user capacity", "{}", size_text(config.capacity()));
  line(out, "all flash beyond the user's", "{:.2f} % of the raw, {:.2f} % of the user bytes",
       (raw - user) / raw * 100, (raw - user) / user * 100);
  line(out, "T: pages that take part in GC", "{} ({})", space.gc_pages,
       size_text(geometry.page_size * space.gc_pages));
  line(out, "U: pages of the user capacity", "{}", space.user_pages);
  line(out, "spare factor (T - U) / T", "{:.2f} %", space.spare_factor() * 100);
  line(out, "over-provisioning (T - U) / U", "{:.2f} %", space.over_provisioning() * 100);
}

void add_flash_bounds(Output out, const drive::DriveConfig& config) {
  const nand::Geometry& geometry = config.geometry;
  const Duration transfer = model::page_transfer_time(config);
  fmt::format_to(out, "\nflash (MB = 10^6 bytes)\n");
  line(out, "page transfer", "{} = ({} + {} B + {} cycles) x {}", format_duration(transfer),
       geometry.page_size.count, geometry.spare_size.count, config.timing.command_address_cycles,
       format_duration(config.timing.bus_cycle));
  line(out, "one program slot, erased blocks", "{} = {} B / ({} + {})",
       rate_text(model::program_slot_rate(config, false)), geometry.page_size.count,
       format_duration(transfer), format_duration(config.timing.program_time));
  line(out, "one program slot, with erases", "{} = {} B / ({} + {} + {} / {} pages)",
       rate_text(model::program_slot_rate(config, true)), geometry.page_size.count,
       format_duration(transfer), format_duration(config.timing.program_time),
       format_duration(config.timing.erase_time), geometry.pages_per_block);
  line(out, "sequential write, erased blocks", "{} = {} slots x rate",
       rate_text(model::sequential_write_bound(config, false)), model::program_slots(config));
  line(out, "sequential write, with erases",
       "{} = the lower of that and {} dies x rate with erases",
       rate_text(model::sequential_write_bound(config, true)), geometry.dies());
  line(out, "reads over the channels", "{} = {} channels x {} B / {}",
       rate_text(model::channel_read_bound(config)), geometry.channels, geometry.page_size.count,
       format_duration(transfer));
}

void add_controller_bounds(Output out, const drive::DriveConfig& config) {
  fmt::format_to(out, "\nlink and firmware\n");
  const Bytes full_fis = drive::data_fis_max + Bytes{drive::data_fis_header};
  line(out, "link, data FISes of 8 KiB", "{} = {} B / ({} + gap {})",
       rate_text(model::link_data_bound(config)), drive::data_fis_max.count,
       format_duration(model::frame_time(config.link, full_fis)),
       format_duration(config.link.data_fis_gap));
  const double front = model::front_rate(config);
  line(out, "firmware front stage", "{} = 1 / {}",
       std::isinf(front) ? "no limit" : fmt::format("{:.0f} commands/s", front),
       format_duration(config.firmware.front_per_command));
  line(out, "firmware back stage, random writes", "{} = {} B / {}",
       rate_text(model::back_rate(config)), config.geometry.page_size.count,
       format_duration(config.firmware.back_per_run));
}

void add_read_latency(Output out, const drive::DriveConfig& config) {
  const model::ReadLatency latency = model::unloaded_read_latency(config);
  fmt::format_to(out, "\nunloaded random read of {}\n", format_bytes(config.geometry.page_size));
  const auto term = [&out](std::string_view name, Duration time, std::string_view sign = "+") {
    line(out, name, "{} {:>8.3f} us", sign, static_cast<double>(time.count()) * 1e-3);
  };
  term("host command overhead", latency.host, " ");
  term("command, released", latency.command);
  term("firmware front stage", latency.front);
  term("array read, tR", latency.array_read);
  term("page transfer", latency.transfer);
  term("cut-through", latency.cut_through, "-");
  term("setup, data, gap, status", latency.data);
  term("sum", latency.total(), "=");
  line(out, "one at a time", "{:.0f} reads/s", 1 / seconds(latency.total()));
}

}  // namespace

std::string show_text(const LoadedDrive& drive) {
  std::string text;
  const Output out(text);
  add_settings(out, drive);
  add_capacity(out, drive.config);
  add_flash_bounds(out, drive.config);
  add_controller_bounds(out, drive.config);
  add_read_latency(out, drive.config);
  return text;
}

}  // namespace x25sim::config
