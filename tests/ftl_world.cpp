#include "tests/ftl_world.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sstream>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include "ftl/choices.hpp"
#include "ftl/placement.hpp"
#include "ftl/victim_policy.hpp"

namespace x25sim::test {

namespace {

constexpr std::uint64_t pages_most = 6'000;  // of a drive, so that thousands take seconds

std::uint32_t random_pages_per_block(Dice& dice) {
  // Validity is kept in words of 64 pages: blocks of about a word, of about two, of more.
  if (dice.percent(15)) return dice.from32(62, 67);
  if (dice.percent(10)) return dice.from32(126, 130);
  if (dice.percent(5)) return dice.from32(131, 300);
  return dice.percent(50) ? dice.from32(1, 5) : dice.from32(1, 40);
}

nand::Geometry random_geometry(Dice& dice) {
  nand::Geometry geometry;
  geometry.channels = dice.percent(40) ? 1 : dice.from32(1, 5);
  geometry.packages_per_channel = dice.percent(70) ? 1 : 2;
  geometry.dies_per_package = dice.percent(60) ? 1 : dice.from32(1, 3);
  geometry.planes_per_die = dice.percent(50) ? 1 : dice.from32(2, 4);
  geometry.blocks_per_die =
      geometry.planes_per_die * (dice.percent(50) ? dice.from32(1, 6) : dice.from32(3, 24));
  geometry.pages_per_block = random_pages_per_block(dice);
  return geometry;
}

std::uint32_t random_divisor(std::uint32_t number, Dice& dice) {
  for (;;) {
    const std::uint32_t divisor = dice.from32(1, number);
    if (number % divisor == 0) return divisor;
  }
}

// Mostly the simple choices, or few drives would have room for data.
ftl::Config random_config(const nand::Geometry& geometry, Dice& dice) {
  ftl::Config config;
  for (std::size_t i = 2; i > 0; --i) {
    std::swap(config.stripe_order[i], config.stripe_order[dice.from(0, i)]);
  }
  config.pool = dice.percent(50) ? ftl::PoolUnit::die : ftl::PoolUnit::plane;
  if (dice.percent(40)) config.superblock_dies = random_divisor(geometry.dies(), dice);
  if (dice.percent(60)) config.write_frontiers = ftl::WriteFrontiers{dice.from8(0, 3)};
  config.hot_writes = dice.from32(1, 15);
  config.hot_space_ppm = dice.from32(1, 999'999);
  config.hot_lbas_ppm = dice.from32(1, 999'999);
  const auto policies = ftl::victim_policies();
  config.gc_policy = policies[dice.from(0, policies.size() - 1)].policy;
  config.gc_choices = static_cast<std::uint32_t>(dice.up_to(20));
  config.gc_window_ppm = dice.percent(30) ? dice.from32(1, 1'000) : dice.from32(1'000, 1'000'000);
  config.gc_pacing = ftl::GcPacing{dice.from8(0, 2)};
  config.reserved_blocks_per_pool = dice.percent(60) ? 1 : dice.from32(2, 5);
  const bool high = config.gc_pacing == ftl::GcPacing::idle || dice.percent(40);
  if (high) config.gc_high_watermark = static_cast<std::uint32_t>(dice.up_to(6));
  config.wear_leveling = ftl::WearLeveling{dice.from8(0, 2)};
  config.wear_threshold = static_cast<std::uint32_t>(dice.up_to(40));
  if (dice.percent(25)) config.endurance_cycles = static_cast<std::uint32_t>(dice.up_to(60));
  config.firmware_area_ppm = dice.percent(60) ? 0 : dice.from32(1, 500'000);
  return config;
}

FtlSetup random_setup(Dice& dice) {
  FtlSetup setup;
  std::uint64_t most = 0;
  while (most == 0) {
    setup.geometry = random_geometry(dice);
    setup.config = random_config(setup.geometry, dice);
    if (setup.geometry.pages() > pages_most) continue;
    most = ftl::max_logical_pages(setup.geometry, setup.config);
  }
  setup.logical_pages = most;
  if (dice.percent(15)) {
    setup.logical_pages -= std::min<std::uint64_t>(most, setup.geometry.pages_per_block) / 2;
  } else if (dice.percent(10)) {
    setup.logical_pages = dice.from(1, std::min<std::uint64_t>(4, most));
  } else if (dice.percent(50)) {
    setup.logical_pages = dice.from(1, most);
  }
  return setup;
}

// ---- what is printed when the program stops; a signal handler can reach no other variables

char stop_line[1024];
std::size_t stop_line_size = 0;

constexpr std::array<int, 3> stop_signals{SIGABRT, SIGSEGV, SIGVTALRM};
std::array<struct sigaction, stop_signals.size()> handling_before;

void restore_handling() {
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    ::sigaction(stop_signals[i], &handling_before[i], nullptr);
  }
}

void on_stop(int signal) {
  // Nothing can be done about a line that cannot be written.
  if (::write(STDERR_FILENO, stop_line, stop_line_size) < 0) stop_line_size = 0;
  // Once this handler returns, the signal comes again, for whoever handled it before.
  restore_handling();
  ::raise(signal);
}

void set_timer(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

}  // namespace

std::uint64_t firmware_blocks(const FtlSetup& setup) {
  const std::uint64_t planes =
      setup.config.pool == ftl::PoolUnit::plane ? setup.geometry.planes_per_die : 1;
  const std::uint64_t blocks = setup.geometry.blocks_per_die / planes;
  return setup.geometry.dies() * planes * (blocks * setup.config.firmware_area_ppm / 1'000'000);
}

HostLoad::HostLoad(std::uint64_t logical_pages, Dice dice)
    : pages_(logical_pages),
      dice_(dice),
      partial_share_(dice_.percent(50) ? 0 : dice_.from(1, 100)),
      run_share_(dice_.percent(50) ? 0 : dice_.from(1, 100)),
      longest_run_(dice_.up_to(logical_pages)),
      trim_share_(dice_.percent(40) ? 0 : dice_.up_to(40)),
      long_trim_share_(dice_.percent(50) ? 0 : dice_.up_to(100)),
      whole_trim_share_(dice_.percent(70) ? 0 : dice_.up_to(30)),
      idle_share_(dice_.percent(50) ? 0 : dice_.up_to(20)),
      hot_share_(dice_.from(50, 100)),
      hot_first_(dice_.from(0, logical_pages - 1)),
      hot_pages_(dice_.up_to(logical_pages - hot_first_)),
      stride_(dice_.up_to(logical_pages)) {
  for (std::uint64_t& weight : weights_) {
    weight = dice_.percent(50) ? 0 : dice_.up_to(100);
    total_weight_ += weight;
  }
  if (total_weight_ == 0) total_weight_ = weights_[uniform] = 1;
  for (std::uint64_t& page : few_) page = dice_.from(0, pages_ - 1);
}

std::uint64_t HostLoad::place() {
  std::uint64_t draw = dice_.from(0, total_weight_ - 1);
  std::size_t kind = 0;
  while (draw >= weights_[kind]) draw -= weights_[kind++];
  switch (static_cast<Place>(kind)) {
    case hot_cold:
      if (dice_.percent(hot_share_)) return hot_first_ + dice_.from(0, hot_pages_ - 1);
      break;
    case sequential: return sequential_at_ = (sequential_at_ + 1) % pages_;
    case strided: return strided_at_ = (strided_at_ + stride_) % pages_;
    case few: return few_[dice_.from(0, few_.size() - 1)];
    case uniform:
    case place_count: break;
  }
  return dice_.from(0, pages_ - 1);
}

HostOperation HostLoad::clipped(HostOperation::Kind kind, std::uint64_t first,
                                std::uint64_t count) const {
  return {kind, Lpn{static_cast<std::uint32_t>(first)}, std::min(count, pages_ - first)};
}

HostOperation HostLoad::trim() {
  if (dice_.percent(whole_trim_share_)) return clipped(HostOperation::Kind::trim, 0, pages_);
  const std::uint64_t most = dice_.percent(long_trim_share_) ? pages_ : 8;
  return clipped(HostOperation::Kind::trim, place(), dice_.from(0, most));
}

HostOperation HostLoad::next() {
  if (dice_.percent(trim_share_)) return trim();
  if (dice_.percent(idle_share_)) {
    return {HostOperation::Kind::idle, {}, dice_.percent(20) ? 10 * pages_ : dice_.up_to(100)};
  }
  const std::uint64_t count = dice_.percent(run_share_) ? dice_.up_to(longest_run_) : 1;
  HostOperation operation = clipped(HostOperation::Kind::write, place(), count);
  if (dice_.percent(partial_share_)) operation.cause = ftl::Cause::rmw;
  return operation;
}

FtlWorld random_ftl_world(std::uint64_t seed) {
  Dice dice(random_stream(seed, "test.ftl_world", 0));
  FtlSetup setup = random_setup(dice);
  setup.seed = seed;
  const bool filled = dice.percent(60);
  const std::uint32_t batches = dice.from32(1, 16);
  const std::uint64_t pages_per_batch = dice.up_to(2 * setup.geometry.pages());
  return {setup, filled, batches, pages_per_batch,
          HostLoad(setup.logical_pages, Dice(random_stream(seed, "test.ftl_load", 0)))};
}

std::string describe(const FtlSetup& setup) {
  const nand::Geometry& geometry = setup.geometry;
  const ftl::Config& config = setup.config;
  const auto word = [](const auto& choices, auto choice) {
    return choices[static_cast<std::size_t>(choice)].name;
  };
  std::ostringstream text;
  text << geometry.channels << " channels x " << geometry.dies_per_channel() << " dies x "
       << geometry.planes_per_die << " planes, " << geometry.blocks_per_die << " blocks per die of "
       << geometry.pages_per_block << " pages, " << setup.logical_pages << " logical pages (of "
       << ftl::max_logical_pages(geometry, config) << "), " << word(ftl::pool_choices, config.pool)
       << " pools, superblocks of " << config.superblock_dies << ", stripe order";
  for (const ftl::StripeDimension dimension : config.stripe_order) {
    text << " " << static_cast<int>(dimension);
  }
  text << ", frontiers " << word(ftl::write_frontier_choices, config.write_frontiers) << " (writes "
       << config.hot_writes << ", space " << config.hot_space_ppm << ", LBAs "
       << config.hot_lbas_ppm << " ppm), " << ftl::victim_policy(config.gc_policy).name
       << " (choices " << config.gc_choices << ", window " << config.gc_window_ppm << " ppm), "
       << word(ftl::gc_pacing_choices, config.gc_pacing) << ", reserved "
       << config.reserved_blocks_per_pool << " + " << config.gc_high_watermark << ", wear "
       << word(ftl::wear_leveling_choices, config.wear_leveling) << " (threshold "
       << config.wear_threshold << "), endurance " << config.endurance_cycles << ", firmware area "
       << config.firmware_area_ppm << " ppm";
  return text.str();
}

std::string describe(const HostOperation& operation) {
  const std::string count = std::to_string(operation.count);
  const std::string pages = count + " pages from " + std::to_string(index(operation.first));
  switch (operation.kind) {
    case HostOperation::Kind::write: break;
    case HostOperation::Kind::trim: return std::string("trim of ") + pages;
    case HostOperation::Kind::idle: return std::string("idle for ") + count + " steps";
  }
  return (operation.cause == ftl::Cause::rmw ? "partial write of " : "write of ") + pages;
}

std::string reproduction(std::uint64_t seed) {
  return "X25SIM_WORLD=" + std::to_string(seed) + " build/x25sim_tests -tc=\"random worlds*\"";
}

LineOnStop::LineOnStop(const std::string& line) {
  change(line);
  struct sigaction handling {};
  handling.sa_handler = on_stop;
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    ::sigaction(stop_signals[i], &handling, &handling_before[i]);
  }
  set_timer(30);
}

LineOnStop::~LineOnStop() {
  set_timer(0);
  restore_handling();
}

void LineOnStop::change(const std::string& line) {
  stop_line_size = std::min(line.size(), sizeof stop_line - 1);
  std::memcpy(stop_line, line.data(), stop_line_size);
  stop_line[stop_line_size++] = '\n';
}

}  // namespace x25sim::test
