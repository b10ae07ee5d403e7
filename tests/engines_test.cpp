// Two implementations of ARCHITECTURE.md, "The FTL" and "The timed drive", that share no code: the
// fast engine and the plain one must agree on every request's completion to the nanosecond, and on
// the state in which they leave the drive.
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/backend/runner.hpp"
#include "sim/drive/device.hpp"
#include "sim/drive/ssd.hpp"
#include "sim/kernel/kernel.hpp"
#include "tests/engines_world.hpp"
#include "tests/plain_engine.hpp"

namespace x25sim {

namespace {

using test::World;

// ---- the fast engine

// Stands between host and drive, and notes when each request passes.
class Tap final : public drive::Device, public drive::CompletionListener {
 public:
  explicit Tap(const kernel::Kernel& kernel) : kernel_(kernel) {}

  void connect(drive::CompletionListener& host, drive::Device& device) {
    host_ = &host;
    device_ = &device;
  }

  // When the requests arrived at the drive and were complete, in the order of arrival.
  const std::vector<plain::Times>& times() const { return times_; }

  Bytes capacity() const override { return device_->capacity(); }
  Bytes max_request(workload::Operation operation) const override {
    return device_->max_request(operation);
  }
  bool idle() const override { return device_->idle(); }

  void submit(std::uint64_t id, const workload::Request& request) override {
    under_way_[id] = times_.size();
    times_.push_back({{}, kernel_.now(), {}});
    device_->submit(id, request);
  }

  void on_complete(std::uint64_t id) override {
    times_.at(under_way_.at(id)).completed = kernel_.now();
    host_->on_complete(id);
  }

 private:
  const kernel::Kernel& kernel_;
  drive::CompletionListener* host_ = nullptr;
  drive::Device* device_ = nullptr;
  std::map<std::uint64_t, std::size_t> under_way_;
  std::vector<plain::Times> times_;
};

class ListSource final : public backend::RequestSource {
 public:
  explicit ListSource(const std::vector<backend::TimedRequest>& requests) : requests_(requests) {}

  std::optional<backend::TimedRequest> next() override {
    if (position_ == requests_.size()) return {};
    return requests_[position_++];
  }

 private:
  const std::vector<backend::TimedRequest>& requests_;
  std::size_t position_ = 0;
};

struct FastDrive {
  explicit FastDrive(const drive::DriveConfig& config)
      : runner(kernel, config.host.command_overhead), tap(kernel), ssd(config, kernel, tap) {
    tap.connect(runner, ssd);
    runner.attach(tap);
  }

  void run(const std::vector<backend::TimedRequest>& requests,
           std::optional<std::uint32_t> queue_depth) {
    ListSource source(requests);
    backend::Stream stream;
    stream.source = &source;
    stream.queue_depth = queue_depth;
    runner.run({stream});
    runner.drain();
    ssd.check_invariants();
  }

  kernel::Kernel kernel;
  backend::Runner runner;
  Tap tap;
  drive::Ssd ssd;
};

// ---- the plain engine

plain::Request translate(const workload::Request& request, Duration at) {
  plain::Request result;
  switch (request.operation) {
    case workload::Operation::read: result.operation = plain::Operation::read; break;
    case workload::Operation::write: result.operation = plain::Operation::write; break;
    case workload::Operation::trim: result.operation = plain::Operation::trim; break;
    case workload::Operation::flush: result.operation = plain::Operation::flush; break;
  }
  result.first_sector = request.offset / sector_size;
  result.sectors = request.length / sector_size;
  result.at = at;
  return result;
}

plain::FtlConfig translate(const ftl::Config& config) {
  plain::FtlConfig result;
  for (std::size_t i = 0; i < result.stripe_order.size(); ++i) {
    switch (config.stripe_order[i]) {
      case ftl::StripeDimension::channel: result.stripe_order[i] = plain::Dimension::channel; break;
      case ftl::StripeDimension::die: result.stripe_order[i] = plain::Dimension::die; break;
      case ftl::StripeDimension::plane: result.stripe_order[i] = plain::Dimension::plane; break;
    }
  }
  result.plane_pools = config.pool == ftl::PoolUnit::plane;
  result.paced = config.gc_pacing == ftl::GcPacing::paced;
  result.reserved_blocks = config.reserved_blocks_per_pool;
  result.firmware_area_ppm = config.firmware_area_ppm;
  return result;
}

plain::Config translate(const drive::DriveConfig& config) {
  const auto pages = [&config](Bytes bytes) {
    return static_cast<std::uint32_t>(bytes / config.geometry.page_size);
  };
  plain::Config result;
  result.sectors = config.sectors;
  result.geometry = config.geometry;
  result.timing = config.timing;
  result.ftl = translate(config.ftl);
  result.dies.slots_per_channel = config.controller.program_slots_per_channel;
  if (config.controller.program_slots != drive::no_limit) {
    result.dies.drive_slots = config.controller.program_slots;
  }
  result.dies.cut_through = config.controller.cut_through;
  result.dies.two_plane_reads = config.controller.two_plane_reads;
  result.buffer_pages = pages(config.controller.write_buffer);
  result.read_ahead_pages = pages(config.controller.read_ahead);
  result.read_ahead_streams = config.controller.read_ahead_streams;
  result.window_pages = pages(config.controller.read_window);
  result.front_per_command = config.firmware.front_per_command;
  result.back_per_run = config.firmware.back_per_run;
  result.run_pages = config.firmware.run_pages;
  result.trim_per_range = config.firmware.trim_per_range;
  result.program_queue_per_die = config.firmware.program_queue_per_die;
  result.link_rate = config.link.rate;
  result.frame_overhead = config.link.frame_overhead.count;
  result.data_fis_gap = config.link.data_fis_gap;
  result.queue_depth = config.link.queue_depth;
  result.command_overhead = config.host.command_overhead;
  return result;
}

// ---- comparison

// The first difference between the two, in words; empty if there is none.
class Comparison {
 public:
  const std::string& difference() const { return difference_; }

  template <typename T>
  void equal(const std::string& what, T fast, T plain) {
    if (fast == plain || !difference_.empty()) return;
    std::ostringstream text;
    text << what << ": fast " << fast << ", plain " << plain;
    difference_ = text.str();
  }
  void equal(const std::string& what, Time fast, Time plain) {
    equal(what, nanoseconds(fast), nanoseconds(plain));
  }
  void equal(const std::string& what, Duration fast, Duration plain) {
    equal(what, nanoseconds(fast), nanoseconds(plain));
  }

 private:
  std::string difference_;
};

void compare_times(Comparison& comparison, const World& world,
                   const std::vector<plain::Times>& fast, const std::vector<plain::Times>& plain) {
  comparison.equal("number of requests", fast.size(), plain.size());
  for (std::size_t i = 0; i < std::min(fast.size(), plain.size()); ++i) {
    const std::string what =
        "request " + std::to_string(i) + ", " + test::describe(world.requests[i].request) + ", ";
    comparison.equal(what + "issue", fast[i].arrived - world.config.host.command_overhead,
                     plain[i].issued);
    comparison.equal(what + "arrival", fast[i].arrived, plain[i].arrived);
    comparison.equal(what + "completion", fast[i].completed, plain[i].completed);
  }
}

void compare_state(Comparison& comparison, const drive::Ssd& fast, const plain::PlainDrive& plain) {
  const nand::Geometry& geometry = fast.config().geometry;
  for (std::uint32_t page = 0; page < fast.config().logical_pages(); ++page) {
    const Ppn place = plain.ftl().has_data(page) ? plain.ftl().location(page) : no_page;
    comparison.equal("place of logical page " + std::to_string(page),
                     index(fast.ftl().lookup(Lpn{page})), index(place));
  }
  for (std::uint32_t number = 0; number < geometry.blocks(); ++number) {
    const BlockId block{number};
    comparison.equal("erase count of " + geometry.name(block), fast.flash().erase_count(block),
                     plain.flash().erase_count(block));
    comparison.equal("programmed pages of " + geometry.name(block),
                     fast.flash().programmed_pages(block), plain.flash().programmed_pages(block));
  }
}

void compare_counts(Comparison& comparison, const drive::Counters& fast,
                    const plain::PlainDrive& plain) {
  const plain::Counts& counts = plain.counts();
  const plain::PlainFtl::Counts& ftl = plain.ftl().counts();
  const plain::Dies::Counts& dies = plain.dies().counts();
  using ftl::Cause;
  comparison.equal("host programs", fast.ftl.programs_of(Cause::host), counts.host_programs);
  comparison.equal("rmw programs", fast.ftl.programs_of(Cause::rmw), counts.rmw_programs);
  comparison.equal("gc programs", fast.ftl.programs_of(Cause::gc), ftl.gc_copies);
  comparison.equal("host reads", fast.ftl.reads_of(Cause::host), counts.host_reads);
  comparison.equal("rmw reads", fast.ftl.reads_of(Cause::rmw), counts.rmw_reads);
  comparison.equal("gc reads", fast.ftl.reads_of(Cause::gc), ftl.gc_copies);
  comparison.equal("erases", fast.ftl.erases, ftl.erases);
  comparison.equal("trimmed pages", fast.ftl.trimmed_pages, ftl.trimmed_pages);
  comparison.equal("unmapped", fast.unmapped_read_pages, counts.unmapped_read_pages);
  comparison.equal("read from the buffer", fast.buffer_read_pages, counts.buffer_read_pages);
  comparison.equal("read-ahead hits", fast.read_ahead_hit_pages, counts.read_ahead_hit_pages);
  comparison.equal("read ahead", fast.read_ahead_pages, counts.read_ahead_pages);
  comparison.equal("merged", fast.buffer_merged_pages, counts.buffer_merged_pages);
  comparison.equal("two-plane reads", fast.two_plane_reads, dies.two_plane_reads);
  comparison.equal("channel busy", fast.channel_busy, dies.channel_busy);
  comparison.equal("slot busy", fast.program_slot_busy, dies.slot_busy);
  comparison.equal("link busy", fast.link_busy, counts.link_busy);
  comparison.equal("front busy", fast.front_busy, counts.front_busy);
  comparison.equal("back busy", fast.back_busy, counts.back_busy);
}

// In how many worlds each thing happened: a comparison proves nothing about what never does.
using Marks = std::map<std::string, int>;

void mark(Marks& marks, const World& world, const plain::PlainDrive& drive) {
  const plain::Counts& counts = drive.counts();
  const plain::PlainFtl::Counts& ftl = drive.ftl().counts();
  const plain::Dies::Counts& dies = drive.dies().counts();
  marks["gc copies"] += ftl.gc_copies > 0;
  marks["erases"] += ftl.erases > 0;
  marks["trimmed pages"] += ftl.trimmed_pages > 0;
  marks["read-modify-write"] += counts.rmw_programs > 0;
  marks["merged pages"] += counts.buffer_merged_pages > 0;
  marks["second versions"] += counts.second_versions > 0;
  marks["capacities with part of a page"] +=
      world.config.capacity() % world.config.geometry.page_size > Bytes{0};
  marks["buffer reads"] += counts.buffer_read_pages > 0;
  marks["unmapped reads"] += counts.unmapped_read_pages > 0;
  marks["read ahead"] += counts.read_ahead_pages > 0;
  marks["stops of read-ahead"] += counts.read_ahead_stops > 0;
  marks["read-ahead hits"] += counts.read_ahead_hit_pages > 0;
  marks["two-plane reads"] += dies.two_plane_reads > 0;
  marks["reads in the FTL's order"] += dies.reads_in_ftl_order > 0;
  marks["withdrawn programs"] += dies.withdrawn_programs > 0;
  marks["waits for a drive slot"] += dies.waits_for_drive_slot > 0;
  marks["stops of dispatch"] += counts.dispatch_stops > 0;
  marks["closed loops"] += world.queue_depth.has_value();
  marks["recorded times"] += !world.queue_depth.has_value();
  marks["preparations"] += !world.preparation.empty();
}

// Runs a world on both engines; the first difference, in words.
std::string run_world(const World& world, Marks& marks) {
  FastDrive fast(world.config);
  plain::PlainDrive plain(translate(world.config));
  Comparison comparison;
  for (const workload::Request& request : world.preparation) {
    fast.ssd.apply(request);
    plain.prepare(translate(request, {}));
  }
  compare_state(comparison, fast.ssd, plain);
  compare_counts(comparison, fast.ssd.counters(), plain);
  if (!comparison.difference().empty()) return "prepared: " + comparison.difference();

  std::vector<plain::Request> requests;
  for (const backend::TimedRequest& timed : world.requests) {
    requests.push_back(translate(timed.request, timed.at));
  }
  const std::vector<plain::Times> times = plain.run(requests, world.queue_depth);
  fast.run(world.requests, world.queue_depth);
  compare_times(comparison, world, fast.tap.times(), times);
  compare_state(comparison, fast.ssd, plain);
  compare_counts(comparison, fast.ssd.counters(), plain);
  mark(marks, world, plain);
  return comparison.difference();
}

Marks compare_worlds(std::uint64_t first_seed, std::uint64_t count, test::Spread spread) {
  Marks marks;
  for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    const World world = test::random_world(seed, spread);
    INFO("seed " << seed << "\n" << test::describe(world));
    const std::string difference = run_world(world, marks);
    INFO(difference);
    CHECK(difference.empty());
  }
  return marks;
}

// Writes of whole pages, of which the drive cannot change the order: where a page comes again, a
// flush sees to it that its earlier version has left the write buffer and they do not merge.
std::vector<backend::TimedRequest> writes_in_order(const World& world, std::uint64_t seed) {
  test::Dice dice(random_stream(seed, "test.writes", 0));
  const Bytes page = world.config.geometry.page_size;
  const std::uint64_t pages = world.config.capacity() / page;
  std::vector<backend::TimedRequest> requests;
  std::set<std::uint64_t> since_flush;
  for (std::uint64_t count = 3 * pages + world.config.geometry.pages(); count > 0; --count) {
    const std::uint64_t number =
        dice.percent(50) ? dice.from(0, pages - 1) : dice.from(0, pages / 4);
    if (!since_flush.insert(number).second) {
      requests.push_back({{workload::Operation::flush, {}, {}}, {}});
      since_flush = {number};
    }
    requests.push_back({{workload::Operation::write, page * number, page}, {}});
  }
  return requests;
}

}  // namespace

TEST_CASE("the fast engine and the plain one agree to the nanosecond") {
  const Marks marks = compare_worlds(1, 240, test::Spread::some);
  for (const auto& entry : marks) {
    INFO(entry.first);
    CHECK(entry.second >= 10);
  }
}

TEST_CASE("the engines settle ties alike") { compare_worlds(1'001, 60, test::Spread::none); }

TEST_CASE("the engines agree over five thousand further worlds" * doctest::test_suite("long")) {
  compare_worlds(10'001, 4'500, test::Spread::some);
  compare_worlds(20'001, 500, test::Spread::none);
}

TEST_CASE("pages written in the same order leave the same state with and without the clock") {
  for (std::uint64_t seed = 2'001; seed < 2'021; ++seed) {
    const World world = test::random_world(seed, test::Spread::some);
    const std::vector<backend::TimedRequest> writes = writes_in_order(world, seed);
    FastDrive timed(world.config);
    timed.run(writes, 1);
    FastDrive functional(world.config);
    for (const backend::TimedRequest& write : writes) functional.ssd.apply(write.request);
    functional.ssd.check_invariants();

    const drive::Ssd& a = timed.ssd;
    const drive::Ssd& b = functional.ssd;
    INFO("seed " << seed << "\n" << test::describe(world));
    bool same_map = true;
    for (std::uint32_t page = 0; page < world.config.logical_pages(); ++page) {
      same_map = same_map && a.ftl().lookup(Lpn{page}) == b.ftl().lookup(Lpn{page});
    }
    CHECK(same_map);
    bool same_wear = true;
    for (std::uint32_t block = 0; block < world.config.geometry.blocks(); ++block) {
      same_wear = same_wear &&
                  a.flash().erase_count(BlockId{block}) == b.flash().erase_count(BlockId{block});
    }
    CHECK(same_wear);
    CHECK(a.counters().ftl == b.counters().ftl);
    CHECK(a.counters().host_write == b.counters().host_write);
    CHECK(a.counters().ftl.erases > 0);
    CHECK(a.counters().ftl.write_amplification_gc() == b.counters().ftl.write_amplification_gc());
  }
}

}  // namespace x25sim
