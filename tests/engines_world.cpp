#include "tests/engines_world.hpp"

#include <algorithm>
#include <sstream>

#include "ftl/placement.hpp"

namespace x25sim::test {

namespace {

using workload::Operation;
using workload::Request;

nand::Geometry random_geometry(Dice& dice) {
  nand::Geometry geometry;
  geometry.channels = dice.from32(1, 6);
  geometry.packages_per_channel = dice.from32(1, 2);
  geometry.dies_per_package = dice.from32(1, 3);
  geometry.planes_per_die = dice.from32(1, 2);
  geometry.blocks_per_die = geometry.planes_per_die * dice.from32(6, 24);
  geometry.pages_per_block = dice.from32(4, 16);
  const std::uint64_t sizes[] = {4096, 4096, 4096, 4096, 4096, 2048, 8192, 16384};
  geometry.page_size = Bytes{sizes[dice.from(0, 7)]};
  geometry.spare_size = Bytes{dice.percent(50) ? 0 : dice.from(1, 256)};
  return geometry;
}

nand::Timing random_timing(Dice& dice, Spread spread) {
  nand::Timing timing;
  timing.read_time = dice.time(20'000, 80'000);
  timing.program_time = dice.time(200'000, 900'000);
  timing.erase_time = dice.time(500'000, 3'000'000);
  timing.bus_cycle = dice.time(5, 40);
  timing.command_address_cycles = dice.from32(0, 8);
  if (spread == Spread::some) {
    timing.spread_ppm = dice.from32(10'000, 50'000);
  } else {
    // Multiples of each other, so that events do coincide.
    timing.program_time = timing.read_time * dice.time(4, 10).count();
    timing.erase_time = timing.program_time * dice.time(2, 4).count();
  }
  return timing;
}

ftl::Config random_ftl(Dice& dice) {
  ftl::Config config;
  for (std::size_t i = 2; i > 0; --i) {
    std::swap(config.stripe_order[i], config.stripe_order[dice.from(0, i)]);
  }
  config.pool = dice.percent(50) ? ftl::PoolUnit::die : ftl::PoolUnit::plane;
  if (config.pool == ftl::PoolUnit::die) {
    std::stable_partition(
        config.stripe_order.begin(), config.stripe_order.end(),
        [](ftl::StripeDimension dimension) { return dimension != ftl::StripeDimension::plane; });
  }
  config.gc_pacing = dice.percent(70) ? ftl::GcPacing::paced : ftl::GcPacing::blocking;
  config.reserved_blocks_per_pool = dice.from32(1, 2);
  config.firmware_area_ppm = dice.percent(50) ? 0 : dice.from32(1, 200'000);
  return config;
}

void set_controller(drive::DriveConfig& config, Dice& dice) {
  const Bytes page = config.geometry.page_size;
  const std::uint64_t turn = std::max<std::uint64_t>(1, 8192 / page.count);
  drive::ControllerConfig& controller = config.controller;
  controller.channels = config.geometry.channels + dice.from32(0, 4);
  controller.program_slots_per_channel = dice.from32(1, 4);
  if (dice.percent(40)) controller.program_slots = dice.from32(1, 6);
  controller.write_buffer = page * dice.from(std::max<std::uint64_t>(2, turn), 40);
  controller.read_ahead = page * (dice.percent(30) ? 0 : dice.from(1, 16));
  controller.read_ahead_streams = dice.from32(0, 4);
  controller.read_window = page * dice.from(turn, turn + 12);
  controller.two_plane_reads = dice.percent(70);
  if (dice.percent(50)) {
    const auto link_time =
        static_cast<std::int64_t>(page.count * 10'000'000'000 / config.link.rate);
    const Duration channel_time = config.timing.transfer_time(config.geometry);
    controller.cut_through = dice.time(1, std::min(link_time, channel_time.count()));
  }
}

drive::DriveConfig random_drive(Dice& dice, Spread spread) {
  drive::DriveConfig config;
  std::uint64_t pages_max = 0;
  while (pages_max < 16) {
    config.geometry = random_geometry(dice);
    config.ftl = random_ftl(dice);
    pages_max = ftl::max_logical_pages(config.geometry, config.ftl);
  }
  config.timing = random_timing(dice, spread);
  const std::uint64_t sectors_per_page = config.geometry.page_size / sector_size;
  const std::uint64_t pages = dice.percent(30) ? pages_max : dice.from(pages_max / 2, pages_max);
  config.sectors = pages * sectors_per_page;
  if (dice.percent(40)) config.sectors -= dice.from(0, sectors_per_page - 1);
  const std::uint64_t rates[] = {1'500'000'000, 3'000'000'000, 3'000'000'000, 2'999'999'957};
  config.link.rate = rates[dice.from(0, 3)];
  config.link.frame_overhead = Bytes{dice.from(0, 60)};
  config.link.data_fis_gap = dice.percent(40) ? Duration{} : dice.time(1, 2'000);
  config.link.queue_depth = dice.percent(30) ? 32 : dice.from32(1, 32);
  config.host.command_overhead = dice.percent(30) ? Duration{} : dice.time(1, 20'000);
  config.firmware.front_per_command = dice.percent(10) ? Duration{} : dice.time(1, 25'000);
  config.firmware.back_per_run = dice.percent(10) ? Duration{} : dice.time(1, 60'000);
  config.firmware.run_pages = dice.from32(1, 16);
  config.firmware.trim_per_range = dice.percent(20) ? Duration{} : dice.time(1, 200'000);
  config.firmware.program_queue_per_die = dice.from32(1, 8);
  set_controller(config, dice);
  return config;
}

// Draws requests: of each world its own mix of operations, sizes and places.
class Load {
 public:
  Load(const drive::DriveConfig& config, Dice& dice)
      : dice_(dice),
        sectors_(config.sectors),
        sectors_per_page_(config.geometry.page_size / sector_size),
        pages_(config.logical_pages()),
        longest_(config.controller.write_buffer / config.geometry.page_size + 10),
        read_share_(dice.from(5, 70)),
        trim_share_(dice.percent(50) ? dice.from(1, 8) : 0),
        flush_share_(dice.percent(50) ? dice.from(1, 4) : 0),
        aligned_share_(dice.percent(40) ? 100 : dice.from(0, 95)),
        stream_share_(dice.percent(30) ? 0 : dice.from(10, 80)),
        hot_share_(dice.percent(30) ? 0 : dice.from(10, 90)),
        hot_pages_(dice.from(1, std::max<std::uint64_t>(1, pages_ / 8))),
        long_share_(dice.percent(50) ? 0 : dice.from(1, 20)) {
    for (std::uint64_t& place : stream_places_)
      place = dice.from(0, pages_ - 1) * sectors_per_page_;
  }

  Request next() {
    const std::uint64_t draw = dice_.from(0, 99);
    if (draw < read_share_) return placed(Operation::read);
    if (draw < read_share_ + trim_share_) return trim();
    if (draw < read_share_ + trim_share_ + flush_share_) return {Operation::flush, {}, {}};
    return placed(Operation::write);
  }

  Request write() { return placed(Operation::write); }

 private:
  static Request request(Operation operation, std::uint64_t first, std::uint64_t sectors) {
    return {operation, sector_size * first, sector_size * sectors};
  }

  // From `first` on, as much of `sectors` as the drive has.
  Request clipped(Operation operation, std::uint64_t first, std::uint64_t sectors) const {
    return request(operation, first, std::min(sectors, sectors_ - first));
  }

  std::uint64_t length() {
    const std::uint64_t pages =
        dice_.percent(long_share_) ? dice_.from(1, longest_) : dice_.from(1, dice_.from(1, 5));
    if (dice_.percent(aligned_share_)) return pages * sectors_per_page_;
    return dice_.from(1, pages * sectors_per_page_);
  }

  Request placed(Operation operation) {
    const std::uint64_t sectors = length();
    if (dice_.percent(stream_share_)) {
      // Reads and writes have streams of their own.
      std::uint64_t& place =
          stream_places_[dice_.from(0, 2) + (operation == Operation::read ? 0 : 3)];
      if (place >= sectors_ || dice_.percent(1)) place = dice_.from(0, sectors_ - 1);
      const Request streamed = clipped(operation, place, sectors);
      place += sectors;
      return streamed;
    }
    const std::uint64_t page =
        dice_.percent(hot_share_) ? dice_.from(0, hot_pages_ - 1) : dice_.from(0, pages_ - 1);
    std::uint64_t first = page * sectors_per_page_;
    if (!dice_.percent(aligned_share_)) first += dice_.from(0, sectors_per_page_ - 1);
    return clipped(operation, std::min(first, sectors_ - 1), sectors);
  }

  Request trim() {
    const std::uint64_t first = dice_.from(0, sectors_ - 1);
    const std::uint64_t most = dice_.percent(20) ? sectors_ : 20 * sectors_per_page_;
    if (dice_.percent(50)) return clipped(Operation::trim, first, dice_.from(1, most));
    const std::uint64_t first_page = first / sectors_per_page_;
    return clipped(
        Operation::trim, first_page * sectors_per_page_,
        sectors_per_page_ * dice_.from(1, std::max<std::uint64_t>(1, most / sectors_per_page_)));
  }

  Dice& dice_;
  std::uint64_t sectors_;
  std::uint64_t sectors_per_page_;
  std::uint64_t pages_;
  std::uint64_t longest_;  // in pages
  std::uint64_t read_share_, trim_share_, flush_share_;
  std::uint64_t aligned_share_, stream_share_, hot_share_;
  std::uint64_t hot_pages_;
  std::uint64_t long_share_;
  std::uint64_t stream_places_[6] = {};  // sectors
};

std::vector<Request> random_preparation(const drive::DriveConfig& config, Load& load, Dice& dice) {
  std::vector<Request> requests;
  const std::uint64_t page = config.geometry.page_size.count;
  const std::uint64_t filled = dice.percent(60)
                                   ? config.capacity().count
                                   : dice.from(0, config.capacity().count / page) * page;
  for (std::uint64_t offset = 0; offset < filled; offset += page) {
    requests.push_back({Operation::write, Bytes{offset}, Bytes{std::min(page, filled - offset)}});
  }
  const std::uint64_t overwrites = dice.from(0, 2 * config.logical_pages());
  for (std::uint64_t i = 0; i < overwrites; ++i) {
    const Request next = dice.percent(90) ? load.write() : load.next();
    if (next.operation == Operation::write || next.operation == Operation::trim) {
      requests.push_back(next);
    }
  }
  return requests;
}

}  // namespace

World random_world(std::uint64_t seed, Spread spread) {
  Dice dice(random_stream(seed, "test.world", 0));
  World world;
  world.config = random_drive(dice, spread);
  Load load(world.config, dice);
  if (dice.percent(70)) world.preparation = random_preparation(world.config, load, dice);
  const bool closed_loop = dice.percent(70);
  if (closed_loop) world.queue_depth = dice.from32(1, 40);
  const std::int64_t pause = dice.time(1'000, 800'000).count();
  Duration at{};
  const std::uint64_t count = dice.from(100, 900);
  for (std::uint64_t i = 0; i < count; ++i) {
    world.requests.push_back({load.next(), at});
    if (!closed_loop && !dice.percent(20)) at += dice.time(0, pause);
  }
  return world;
}

std::string describe(const workload::Request& request) {
  std::ostringstream text;
  text << workload::name(request.operation) << " of " << request.length / sector_size
       << " sectors at sector " << request.offset / sector_size;
  return text.str();
}

std::string describe(const World& world) {
  const drive::DriveConfig& config = world.config;
  const nand::Geometry& geometry = config.geometry;
  const nand::Timing& timing = config.timing;
  const drive::ControllerConfig& controller = config.controller;
  std::ostringstream text;
  text << geometry.channels << " channels x " << geometry.packages_per_channel << " packages x "
       << geometry.dies_per_package << " dies x " << geometry.planes_per_die << " planes, "
       << geometry.blocks_per_die << " blocks per die of " << geometry.pages_per_block
       << " pages of " << geometry.page_size.count << "; " << config.sectors << " sectors\n"
       << "read " << nanoseconds(timing.read_time) << ", program "
       << nanoseconds(timing.program_time) << ", erase " << nanoseconds(timing.erase_time)
       << ", transfer " << nanoseconds(timing.transfer_time(geometry)) << ", spread "
       << timing.spread_ppm << "\n"
       << (config.ftl.pool == ftl::PoolUnit::die ? "die" : "plane") << " pools, "
       << (config.ftl.gc_pacing == ftl::GcPacing::paced ? "paced" : "blocking") << ", reserved "
       << config.ftl.reserved_blocks_per_pool << "\n"
       << "slots " << controller.program_slots_per_channel << " of a channel, "
       << controller.program_slots << " in all; buffer "
       << controller.write_buffer / geometry.page_size << " pages, read-ahead "
       << controller.read_ahead_streams << " x " << controller.read_ahead / geometry.page_size
       << ", window " << controller.read_window / geometry.page_size << ", cut-through "
       << nanoseconds(controller.cut_through) << ", two planes " << controller.two_plane_reads
       << "\n"
       << "front " << nanoseconds(config.firmware.front_per_command) << ", back "
       << nanoseconds(config.firmware.back_per_run) << " per " << config.firmware.run_pages
       << " pages, " << config.firmware.program_queue_per_die << " programs per die; link rate "
       << config.link.rate << ", depth " << config.link.queue_depth << "; host overhead "
       << nanoseconds(config.host.command_overhead) << "\n"
       << world.preparation.size() << " requests of preparation, " << world.requests.size()
       << " requests, "
       << (world.queue_depth ? "queue depth " + std::to_string(*world.queue_depth)
                             : std::string("at their times"));
  return text.str();
}

}  // namespace x25sim::test
