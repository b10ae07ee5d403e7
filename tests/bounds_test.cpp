#include "sim/model/bounds.hpp"

#include <chrono>
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "sim/config/drive_file.hpp"
#include "sim/config/show.hpp"
#include "sim/drive/sata_link.hpp"

using namespace x25sim;
using namespace std::chrono_literals;

namespace {

using config::load_drive;

drive::DriveConfig configuration(const std::string& name,
                                 const std::vector<std::string>& overrides = {}) {
  return load_drive(name, overrides).config;
}

double megabytes(double bytes_per_second) { return bytes_per_second * 1e-6; }

std::string error_of(const std::vector<std::string>& overrides) {
  try {
    load_drive("x25-v-40", overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a page crosses its channel in (4096 + 218 + 7) x 25 ns") {
  CHECK(model::page_transfer_time(configuration("x25-v-40")) == 108'025ns);
  CHECK(model::page_transfer_time(configuration("x25-v-40", {"nand.command_address_cycles=0"})) ==
        107'850ns);
}

TEST_CASE("sequential writes: two slots per channel at the datasheet's times") {
  // 4096 B / (107.85 + 900) us = 4.064 MB/s; 4096 B / (107.85 + 900 + 3000 / 128) us = 3.972 MB/s.
  const auto v = configuration("x25-v-40", {"nand.command_address_cycles=0"});
  CHECK(megabytes(model::program_slot_rate(v, false)) == doctest::Approx(4.0641).epsilon(1e-4));
  CHECK(megabytes(model::program_slot_rate(v, true)) == doctest::Approx(3.9718).epsilon(1e-4));
  CHECK(model::program_slots(v) == 10);
  CHECK(megabytes(model::sequential_write_bound(v, false)) ==
        doctest::Approx(40.641).epsilon(1e-4));
  CHECK(megabytes(model::sequential_write_bound(v, true)) == doctest::Approx(39.718).epsilon(1e-4));
  // Exactly half of the drive with twice the channels.
  CHECK(model::sequential_write_bound(configuration("x25-m-g2-80"), true) ==
        2 * model::sequential_write_bound(configuration("x25-v-40"), true));
}

TEST_CASE("program slots: the least of the channels' caps, the drive's cap and the dies") {
  CHECK(model::program_slots(configuration("x25-m-g2-80")) == 20);
  CHECK(model::program_slots(configuration("x25-m-g2-160")) == 25);
  CHECK(model::program_slots(configuration("x25-m-g1-80")) == 20);
  CHECK(model::program_slots(
            configuration("x25-v-40", {"controller.program_slots_per_channel=9"})) == 10);
}

TEST_CASE("reads: five channels stop short of the link, ten do not") {
  const auto v = configuration("x25-v-40");
  const auto m = configuration("x25-m-g2-80");
  // 5 x 4096 B / 108.025 us, and 8192 B / ((8192 + 4 + 90) B at 300 MB/s + 2.5 us).
  CHECK(megabytes(model::channel_read_bound(v)) == doctest::Approx(189.59).epsilon(1e-4));
  CHECK(megabytes(model::channel_read_bound(m)) == doctest::Approx(379.17).epsilon(1e-4));
  CHECK(megabytes(model::link_data_bound(v)) == doctest::Approx(271.98).epsilon(1e-4));
  CHECK(megabytes(model::link_data_bound(configuration("x25-v-40", {"link.data_fis_gap=0us"}))) ==
        doctest::Approx(296.6).epsilon(1e-4));
}

TEST_CASE("firmware stages") {
  const auto m = configuration("x25-m-g2-80");
  CHECK(model::front_rate(m) == doctest::Approx(50'000));
  CHECK(megabytes(model::back_rate(m)) == doctest::Approx(37.236).epsilon(1e-4));
  const auto free = configuration(
      "x25-m-g2-80", {"firmware.front_per_command=0 us", "firmware.back_per_run=0 us"});
  CHECK(std::isinf(model::front_rate(free)));
  CHECK(std::isinf(model::back_rate(free)));
}

TEST_CASE("an unloaded read is the sum of its terms") {
  const model::ReadLatency latency = model::unloaded_read_latency(configuration("x25-m-g2-80"));
  CHECK(latency.host == 29us);
  CHECK(latency.command == 733ns);  // 2 x (20 + 90) B x 10 / 3 ns = 733.33
  CHECK(latency.front == 20us);
  CHECK(latency.array_read == 30us);
  CHECK(latency.transfer == 108'025ns);
  CHECK(latency.cut_through == 12us);
  // (28 + 90) + (4096 + 4 + 90) + (8 + 90) B: 14,686.67 ns, with the 0.33 carried over.
  CHECK(latency.data == 14'687ns + 2'500ns);
  CHECK(latency.total() == 192'945ns);

  const auto two_frames = configuration(
      "x25-m-g2-80", {"nand.page_bytes=16 KiB", "drive.sectors=1000000", "link.rate=10 Gb/s",
                      "link.frame_overhead=0 B", "controller.cut_through=0 us"});
  CHECK(model::unloaded_read_latency(two_frames).data == 28ns + 2 * (8'196ns + 2'500ns) + 8ns);
}

TEST_CASE("show prints the settings with their places, and the arithmetic") {
  const auto drive = load_drive("x25-v-40", {"nand.read_time=40us", "firmware.back_per_run=0 us"});
  const std::string text = config::show_text(drive);
  const auto shows = [&text](const std::string& words) {
    CAPTURE(words);
    CHECK(text.find(words) != std::string::npos);
  };
  shows("name: x25-v-40\n");
  for (const config::Setting& setting : drive.settings) {
    shows(setting.key.substr(setting.key.find('.') + 1) + ": " + setting.value + " ");
    shows(setting.where.text());
    shows(setting.source);
  }
  shows("(--set nand.read_time=40us)");
  shows("42949672960 B = 42.950 GB = 40.000 GiB");
  shows("40020664320 B = 40.021 GB = 37.272 GiB");
  // T: 10 dies x (8192 - 143 of the firmware - 1 reserved) x 128; U: 78,165,360 / 8.
  shows("10301440");
  shows("9770670");
  shows("5.15 %");
  shows("5.43 %");
  shows("40.63 MB/s = 10 slots x rate");
  shows("39.71 MB/s = the lower of that and 10 dies x rate with erases");
  shows("no limit = 4096 B / 0 ns");
  CHECK(text.find("inf") == std::string::npos);
}

TEST_CASE("parts that do not fit together are blamed on a key") {
  CHECK(error_of({"controller.populated_channels=11"}) ==
        "--set controller.populated_channels=11: controller.populated_channels: expected at most "
        "10 populated channels on a controller with as many, found 11");
  CHECK(error_of({"controller.channels=4"})
            .starts_with(
                "--set controller.channels=4: controller.populated_channels: expected at most 4 "));
  CHECK(error_of({"nand.planes_per_die=3"}) ==
        "--set nand.planes_per_die=3: nand.blocks_per_die: expected blocks per die to be a "
        "multiple of planes per die (3), found 8192");
  CHECK(error_of({"nand.page_bytes=1000 B"}) ==
        "--set nand.page_bytes=1000 B: nand.page_bytes: expected page bytes to be a multiple of "
        "512 up to 32768, found 1000");
  CHECK(error_of({"nand.blocks_per_die=16777216"})
            .starts_with("--set nand.blocks_per_die=16777216: nand.blocks_per_die: expected at "
                         "most 4294967295 pages"));
  CHECK(error_of({"controller.write_buffer=6 KiB"}) ==
        "--set controller.write_buffer=6 KiB: controller.write_buffer: expected a multiple of the "
        "page (4 KiB) of at least 8 KiB, found 6 KiB");
  CHECK(error_of({"controller.write_buffer=4 KiB"}).ends_with("at least 8 KiB, found 4 KiB"));
  CHECK(error_of({"controller.write_buffer=512 MiB"})
            .ends_with("expected at most 65534 pages of 4 KiB, found 131072"));
  CHECK(
      error_of({"controller.read_ahead=1000 B"}) ==
      "--set controller.read_ahead=1000 B: controller.read_ahead: expected a multiple of the page "
      "(4 KiB), at most 65534 pages over all streams, found 1000 B for each of 4 streams");
  CHECK(error_of({"controller.read_ahead=1 MiB", "controller.read_ahead_streams=256"})
            .starts_with("--set controller.read_ahead=1 MiB: controller.read_ahead: "));
  CHECK(error_of({"controller.read_window=4 KiB"}) ==
        "--set controller.read_window=4 KiB: controller.read_window: expected a multiple of the "
        "page (4 KiB) from 8 KiB to 256 KiB, found 4 KiB");
  CHECK(error_of({"controller.read_window=260 KiB"}).ends_with("found 260 KiB"));
  CHECK(
      error_of({"link.rate=6 Gb/s"}) ==
      "--set link.rate=6 Gb/s: controller.cut_through: expected at most 6.826 us, as a page takes "
      "6.826 us on the link and 108.025 us on its channel, found 12 us");
  CHECK(error_of({"link.rate=6 Gb/s", "controller.cut_through=6us"}) == "no error");
  CHECK(error_of({"firmware.reserved_blocks_per_pool=8048"}) ==
        "--set firmware.reserved_blocks_per_pool=8048: firmware.reserved_blocks_per_pool: expected "
        "a pool with room for data, found 8049 of its 8049 usable blocks reserved; two more are "
        "needed");
}

TEST_CASE("the user capacity fits the flash to the sector") {
  // 10 dies x ((8192 - 143 - 2) x 128 - 1) pages x 8 sectors: a block is reserved for garbage
  // collection, and one for static data.
  CHECK(error_of({"drive.sectors=82401200"}) == "no error");
  CHECK(error_of({"drive.sectors=82401201"}) ==
        "--set drive.sectors=82401201: drive.sectors: expected at most 82401200 sectors for "
        "42949672960 bytes of flash (10 dies in 5 channels; the firmware keeps 1.75 % of each die "
        "and 2 blocks of each pool), found 82401201");
  CHECK(error_of({"controller.populated_channels=4"})
            .starts_with("configs/drives/x25-v-40.yaml:15: drive.sectors: expected at most "
                         "65920960 sectors for "));
  CHECK(error_of({"controller.populated_channels=4", "drive.sectors=62520592"}) == "no error");
}
