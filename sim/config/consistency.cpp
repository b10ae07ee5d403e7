#include "sim/config/consistency.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <string_view>

#include "ftl/placement.hpp"
#include "sim/config/quantity.hpp"
#include "sim/drive/sata_link.hpp"
#include "sim/kernel/event_tree.hpp"
#include "sim/model/bounds.hpp"

namespace x25sim::config {

namespace {

class Checker {
 public:
  Checker(const drive::DriveConfig& config, const std::vector<Setting>& settings)
      : config_(config), settings_(settings) {}

  void check_geometry() const {
    const nand::Geometry& geometry = config_.geometry;
    if (geometry.channels > config_.controller.channels) {
      fail({"controller.populated_channels", "controller.channels"},
           fmt::format("expected at most {} populated channels on a controller with as many, "
                       "found {}",
                       config_.controller.channels, geometry.channels));
    }
    const std::string problem = geometry.problem();
    if (problem.empty()) {
      check_resources();
      return;
    }
    if (problem.find("multiple of planes") != std::string::npos) {
      fail({"nand.blocks_per_die", "nand.planes_per_die"}, problem);
    }
    if (problem.find("page bytes") != std::string::npos) fail({"nand.page_bytes"}, problem);
    fail({"nand.blocks_per_die", "nand.pages_per_block", "controller.populated_channels",
          "controller.packages_per_channel", "controller.dies_per_package"},
         problem);
  }

  // Each channel and die has an event of its own, beside the link's, the firmware's and the host's.
  void check_resources() const {
    constexpr std::uint32_t others = 16;
    const std::uint32_t most = kernel::EventTree::max_leaves - others;
    const std::uint32_t found = config_.geometry.channels + config_.geometry.dies();
    if (found <= most) return;
    fail({"controller.dies_per_package", "controller.packages_per_channel",
          "controller.populated_channels"},
         fmt::format("expected at most {} channels and dies together, found {}", most, found));
  }

  void check_superblocks() const {
    const nand::Geometry& geometry = config_.geometry;
    const std::uint32_t dies = config_.ftl.superblock_dies;
    if (geometry.dies() % dies != 0) {
      fail({"firmware.superblock_dies", "controller.populated_channels",
            "controller.packages_per_channel", "controller.dies_per_package"},
           fmt::format("expected a divisor of the number of dies ({}), found {}", geometry.dies(),
                       dies));
    }
  }

  void check_collection() const {
    const ftl::Config& ftl = config_.ftl;
    if (ftl.gc_pacing == ftl::GcPacing::idle && ftl.gc_high_watermark == 0) {
      fail({"firmware.gc_high_watermark", "firmware.gc_pacing"},
           "expected at least 1 block to aim for with the pacing idle, found 0");
    }
    if (ftl.write_frontiers != ftl::WriteFrontiers::two_pools) return;
    constexpr std::uint32_t whole = 1'000'000;
    if (ftl.hot_space_ppm == 0 || ftl.hot_space_ppm == whole) {
      fail({"firmware.hot_space", "firmware.write_frontiers"},
           "expected a share between 0 % and 100 % with the frontiers two-pools, found " +
               format_percent(ftl.hot_space_ppm));
    }
    if (ftl.hot_lbas_ppm == 0 || ftl.hot_lbas_ppm == whole) {
      fail({"firmware.hot_lbas", "firmware.write_frontiers"},
           "expected a share between 0 % and 100 % with the frontiers two-pools, found " +
               format_percent(ftl.hot_lbas_ppm));
    }
  }

  void check_capacity() const {
    const nand::Geometry& geometry = config_.geometry;
    const ftl::PoolLayout layout(geometry, config_.ftl);
    for (std::uint32_t number = 0; number < layout.classes(); ++number) {
      if (layout.max_valid_pages(number) > 0) continue;
      fail({"firmware.reserved_blocks_per_pool", "firmware.firmware_area", "nand.blocks_per_die",
            "firmware.pool", "firmware.write_frontiers", "firmware.wear_leveling",
            "firmware.hot_space"},
           fmt::format("expected a pool with room for data, found {} of its {} usable blocks "
                       "reserved; two more are needed",
                       layout.kept_blocks(), layout.usable_blocks(number)));
    }
    const std::uint64_t pages_max = ftl::max_logical_pages(geometry, config_.ftl);
    if (config_.logical_pages() <= pages_max) return;
    fail({"drive.sectors"},
         fmt::format("expected at most {} sectors for {} bytes of flash ({} dies in {} channels; "
                     "the firmware keeps {} of each die and {} blocks of each pool{}), found {}",
                     pages_max * (geometry.page_size / sector_size), geometry.raw_size().count,
                     geometry.dies(), geometry.channels,
                     format_percent(config_.ftl.firmware_area_ppm), layout.kept_blocks(),
                     layout.classes() == 1 ? ""
                                           : fmt::format("; {} of the LBAs have {} of the blocks",
                                                         format_percent(config_.ftl.hot_lbas_ppm),
                                                         format_percent(config_.ftl.hot_space_ppm)),
                     config_.sectors));
  }

  void check_write_buffer() const {
    const Bytes page = config_.geometry.page_size;
    const Bytes buffer = config_.controller.write_buffer;
    // A data FIS of the largest size must fit, and one page must be able to wait behind another.
    const Bytes buffer_min = std::max(page * 2, drive::data_fis_max);
    if (buffer % page != Bytes{0} || buffer < buffer_min) {
      fail({"controller.write_buffer", "nand.page_bytes"},
           fmt::format("expected a multiple of the page ({}) of at least {}, found {}",
                       format_bytes(page), format_bytes(buffer_min), format_bytes(buffer)));
    }
    // The drive numbers the pages that it holds with 16 bits.
    if (buffer / page > held_pages_max) {
      fail({"controller.write_buffer", "nand.page_bytes"},
           fmt::format("expected at most {} pages of {}, found {}", held_pages_max,
                       format_bytes(page), buffer / page));
    }
  }

  void check_reading() const {
    const Bytes page = config_.geometry.page_size;
    const Bytes read_ahead = config_.controller.read_ahead;
    const std::uint64_t pages = read_ahead / page * config_.controller.read_ahead_streams;
    if (read_ahead % page != Bytes{0} || pages > held_pages_max) {
      fail({"controller.read_ahead", "controller.read_ahead_streams", "nand.page_bytes"},
           fmt::format("expected a multiple of the page ({}), at most {} pages over all streams, "
                       "found {} for each of {} streams",
                       format_bytes(page), held_pages_max, format_bytes(read_ahead),
                       config_.controller.read_ahead_streams));
    }
    const Bytes window = config_.controller.read_window;
    const Bytes window_min = std::max(page, drive::data_fis_max);
    if (window % page != Bytes{0} || window < window_min || window > page * window_pages_max) {
      fail({"controller.read_window", "nand.page_bytes"},
           fmt::format("expected a multiple of the page ({}) from {} to {}, found {}",
                       format_bytes(page), format_bytes(window_min),
                       format_bytes(page * window_pages_max), format_bytes(window)));
    }
  }

  // The link must not run out of data that is still on the channel, nor start before the channel.
  void check_cut_through() const {
    const drive::LinkConfig payload_only{.rate = config_.link.rate};
    const Duration link_time = model::frame_time(payload_only, config_.geometry.page_size);
    const Duration channel_time = model::page_transfer_time(config_);
    const Duration limit = std::min(link_time, channel_time);
    if (config_.controller.cut_through <= limit) return;
    fail({"controller.cut_through", "link.rate", "nand.bus_cycle", "nand.page_bytes"},
         fmt::format("expected at most {}, as a page takes {} on the link and {} on its channel, "
                     "found {}",
                     format_duration(limit), format_duration(link_time),
                     format_duration(channel_time),
                     format_duration(config_.controller.cut_through)));
  }

 private:
  static constexpr std::uint64_t held_pages_max = 65'534;
  static constexpr std::uint64_t window_pages_max = 64;  // the drive keeps one bit for each

  // Blames the first of `keys`, but points to the one that was given with --set, if any: the files
  // were right before it.
  [[noreturn]] void fail(std::initializer_list<std::string_view> keys,
                         const std::string& message) const {
    SourceLocation where = find(*keys.begin()).where;
    for (const std::string_view key : keys) {
      const SourceLocation& candidate = find(key).where;
      if (candidate.line == 0) {
        where = candidate;
        break;
      }
    }
    throw InputError(where, std::string(*keys.begin()) + ": " + message);
  }

  const Setting& find(std::string_view key) const {
    return *std::find_if(settings_.begin(), settings_.end(),
                         [key](const Setting& setting) { return setting.key == key; });
  }

  const drive::DriveConfig& config_;
  const std::vector<Setting>& settings_;
};

}  // namespace

void check_consistency(const drive::DriveConfig& config, const std::vector<Setting>& settings) {
  const Checker checker(config, settings);
  checker.check_geometry();
  checker.check_superblocks();
  checker.check_collection();
  checker.check_capacity();
  checker.check_write_buffer();
  checker.check_reading();
  checker.check_cut_through();
}

}  // namespace x25sim::config
