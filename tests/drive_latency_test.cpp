// Unloaded latencies equal the sum of their parts, to the nanosecond.
#include <doctest/doctest.h>
#include <optional>
#include <vector>

#include "sim/backend/runner.hpp"
#include "sim/drive/ssd.hpp"
#include "sim/kernel/kernel.hpp"

using namespace x25sim;
using namespace std::chrono_literals;

namespace {

using ftl::StripeDimension;
using workload::Operation;
using workload::Request;

constexpr std::uint64_t page = 4096;
constexpr Duration read_time = 50us;
constexpr Duration program_time = 900us;
constexpr Duration transfer_time{(4096 + 218 + 7) * 25};
constexpr Duration front = 20us;
constexpr Duration gap = 2500ns;
constexpr std::uint64_t overhead = 90;  // bytes of each frame beside its content

drive::DriveConfig drive_with(std::uint32_t channels, std::uint32_t dies, std::uint32_t planes,
                              std::array<StripeDimension, 3> order) {
  drive::DriveConfig config;
  config.sectors = 64 * 8;
  config.geometry.channels = channels;
  config.geometry.dies_per_package = dies;
  config.geometry.planes_per_die = planes;
  config.geometry.blocks_per_die = 16 * planes;
  config.geometry.pages_per_block = 8;
  config.geometry.spare_size = Bytes{218};
  config.timing = {read_time, program_time, 3ms, 25ns, 7, 0};
  config.ftl.pool = ftl::PoolUnit::plane;
  config.ftl.stripe_order = order;
  config.controller.write_buffer = Bytes{64 * page};
  config.controller.read_ahead = Bytes{16 * page};
  config.controller.read_window = Bytes{32 * page};
  config.firmware = {front, 110us, 16, 100us, 8};
  config.link = {3'000'000'000, Bytes{overhead}, gap, 32};
  config.host.command_overhead = 29us;
  return config;
}

constexpr auto c = StripeDimension::channel;
constexpr auto d = StripeDimension::die;
constexpr auto p = StripeDimension::plane;

class OneRequest final : public backend::RequestSource {
 public:
  explicit OneRequest(const Request& request) : request_(request) {}
  std::optional<backend::TimedRequest> next() override {
    if (!request_) return {};
    const Request request = *request_;
    request_.reset();
    return backend::TimedRequest{request, {}};
  }

 private:
  std::optional<Request> request_;
};

// Latencies of `request` on a drive on which `prepared` was written before.
measure::DirectionStatistics latency_of(const drive::DriveConfig& config, const Request& request,
                                        std::optional<Request> prepared) {
  kernel::Kernel kernel;
  backend::Runner runner(kernel, config.host.command_overhead);
  drive::Ssd ssd(config, kernel, runner);
  runner.attach(ssd);
  if (prepared) ssd.apply(*prepared);
  OneRequest source(request);
  auto statistics = runner.run({{&source, 1, {}, {}, 0}});
  runner.drain();
  ssd.check_invariants();
  return statistics[0].direction[static_cast<std::size_t>(request.operation)];
}

// Occupation of the link by frames of these contents and `data_frames` data frames, 10 / 3 ns a
// byte.
Duration link_time(std::vector<std::uint64_t> contents, std::int64_t data_frames) {
  std::uint64_t bytes = 0;
  for (const std::uint64_t content : contents) bytes += content + overhead;
  return Duration{static_cast<std::int64_t>(bytes * 10 / 3)} + gap * data_frames;
}

// What the link carries for a read or write of up to 8 KiB: the command and its release, DMA setup,
// one data frame, set device bits.
Duration link_time(std::uint64_t payload) { return link_time({20, 20, 28, payload + 4, 8}, 1); }

Duration read_latency(const drive::DriveConfig& config, std::uint64_t pages) {
  const auto read = latency_of(config, {Operation::read, Bytes{0}, Bytes{pages * page}},
                               Request{Operation::write, Bytes{0}, Bytes{pages * page}});
  REQUIRE(read.requests == 1);
  CHECK(read.completion.min() == read.completion.max());
  CHECK(read.submission.max() == config.host.command_overhead);
  CHECK(read.total.max() == config.host.command_overhead + read.completion.max());
  return read.completion.max();
}

}  // namespace

TEST_CASE("a read of one page takes link, firmware, tR and one transfer") {
  CHECK(read_latency(drive_with(2, 2, 2, {c, d, p}), 1) ==
        link_time(page) + front + read_time + transfer_time);
}

TEST_CASE("cut-through lets the link send that much before the transfer ends") {
  drive::DriveConfig config = drive_with(2, 2, 2, {c, d, p});
  config.controller.cut_through = 12us;
  CHECK(read_latency(config, 1) == link_time(page) + front + read_time + transfer_time - 12us);
}

TEST_CASE("two pages on two planes of one die share tR and take two transfers") {
  CHECK(read_latency(drive_with(1, 1, 2, {p, d, c}), 2) ==
        link_time(2 * page) + front + read_time + 2 * transfer_time);
}

TEST_CASE("two pages on two planes take tR each where two-plane reads are off") {
  drive::DriveConfig config = drive_with(1, 1, 2, {p, d, c});
  config.controller.two_plane_reads = false;
  CHECK(read_latency(config, 2) == link_time(2 * page) + front + 2 * (read_time + transfer_time));
}

TEST_CASE("two pages on one plane take tR and a transfer each") {
  CHECK(read_latency(drive_with(1, 1, 1, {c, d, p}), 2) ==
        link_time(2 * page) + front + 2 * (read_time + transfer_time));
}

TEST_CASE("two pages on two dies of one channel share tR and wait for each other's transfer") {
  CHECK(read_latency(drive_with(1, 2, 1, {d, c, p}), 2) ==
        link_time(2 * page) + front + read_time + 2 * transfer_time);
}

TEST_CASE("two pages on two channels take no longer than one") {
  CHECK(read_latency(drive_with(2, 1, 1, {c, d, p}), 2) ==
        link_time(2 * page) + front + read_time + transfer_time);
}

TEST_CASE("latency moves with tR for mapped pages, and not at all for pages without data") {
  drive::DriveConfig config = drive_with(2, 2, 2, {c, d, p});
  const Duration before = read_latency(config, 1);
  config.timing.read_time = 10 * read_time;
  CHECK(read_latency(config, 1) == before + 9 * read_time);
  const auto unmapped = latency_of(config, {Operation::read, Bytes{0}, Bytes{page}}, {});
  CHECK(unmapped.completion.max() == link_time(page) + front);
}

TEST_CASE("a write is acknowledged from the buffer, before any program") {
  const auto write =
      latency_of(drive_with(2, 2, 2, {c, d, p}), {Operation::write, Bytes{0}, Bytes{page}}, {});
  CHECK(write.completion.max() == link_time(page) + front);
}

TEST_CASE("without the write cache a write is complete when its pages are on flash") {
  drive::DriveConfig config = drive_with(2, 2, 2, {c, d, p});
  config.controller.write_cache = false;
  const auto one = latency_of(config, {Operation::write, Bytes{0}, Bytes{page}}, {});
  // The frames are those of an acknowledged write; set device bits just comes last.
  const Duration on_flash = front + 110us + transfer_time + program_time;
  CHECK(one.completion.max() >= link_time(page) + on_flash - 1ns);
  CHECK(one.completion.max() <= link_time(page) + on_flash + 1ns);
  // The second page has a die of its own, on another channel.
  const auto two = latency_of(config, {Operation::write, Bytes{0}, Bytes{2 * page}}, {});
  CHECK(two.completion.max() >= link_time(2 * page) + on_flash - 1ns);
  CHECK(two.completion.max() <= link_time(2 * page) + on_flash + 1ns);
}

TEST_CASE("longer requests take longer, and move more bytes a second while striping helps") {
  const drive::DriveConfig config = drive_with(2, 2, 2, {c, d, p});
  const Duration one = read_latency(config, 1);
  const Duration eight = read_latency(config, 8);
  CHECK(eight > one);
  CHECK(eight < 8 * one);
}

TEST_CASE("a flush waits for the program, and a trim for its ranges") {
  const drive::DriveConfig config = drive_with(1, 1, 1, {c, d, p});
  kernel::Kernel kernel;
  backend::Runner runner(kernel, config.host.command_overhead);
  drive::Ssd ssd(config, kernel, runner);
  runner.attach(ssd);
  OneRequest write({Operation::write, Bytes{0}, Bytes{page}});
  runner.run({{&write, 1, {}, {}, 0}});
  const Time acknowledged = kernel.now();
  OneRequest flush({Operation::flush, Bytes{0}, Bytes{0}});
  runner.run({{&flush, 1, {}, {}, 0}});
  // The back stage, the transfer and the program follow the acknowledgement; the flush's own
  // command, sent meanwhile, ends with a status frame.
  const Duration written = 110us + transfer_time + program_time;
  CHECK(kernel.now() - acknowledged >= written);
  CHECK(kernel.now() - acknowledged <= written + link_time({20}, 0) + 1ns);
  CHECK(ssd.flash().is_programmed(ssd.ftl().lookup(Lpn{0})));

  const Time before = kernel.now();
  OneRequest trim({Operation::trim, Bytes{0}, Bytes{page}});
  runner.run({{&trim, 1, {}, {}, 0}});
  const Duration trimmed = config.host.command_overhead + link_time({20, 20, 4, 516, 20}, 1) +
                           front + config.firmware.trim_per_range;
  CHECK(kernel.now() - before >= trimmed - 1ns);  // what the link carried over from before
  CHECK(kernel.now() - before <= trimmed + 1ns);
  CHECK(ssd.ftl().lookup(Lpn{0}) == no_page);
  ssd.check_invariants();
}
