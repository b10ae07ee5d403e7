#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/data_directory.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/config/part_file.hpp"
#include "sim/config/schema.hpp"
#include "tests/program.hpp"

using namespace x25sim;
using namespace x25sim::config;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> shipped_drives{"x25-e-32", "x25-m-g1-80", "x25-m-g2-160",
                                              "x25-m-g2-80", "x25-v-40"};

// Everything that an X25-V has but its own file.
const std::string v_parts =
    "parts:\n"
    "  - nand/l63a-34nm-mlc.yaml\n"
    "  - controllers/pc29as21ba0.yaml\n"
    "  - firmware/g2.yaml\n"
    "  - hosts/sata-3g-ahci.yaml\n";
const std::string v_hardware =  // six lines
    "controller:\n"
    "  populated_channels: 5\n"
    "  packages_per_channel: 1\n"
    "  dies_per_package: 2\n"
    "drive:\n"
    "  sectors: 78165360\n";

std::string error_of(const std::string& drive, const std::vector<std::string>& overrides = {}) {
  try {
    load_drive(drive, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// The error of a file that holds the parts of an X25-V in lines 1 to 5 and `own` from line 6 on;
// the file's name is cut off.
std::string error_in_file(const std::string& own) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("drive.yaml", v_parts + own);
  const std::string error = error_of(file);
  return error.starts_with(file) ? error.substr(file.size()) : error;
}

const Setting& setting(const LoadedDrive& drive, std::string_view key) {
  return *std::find_if(drive.settings.begin(), drive.settings.end(),
                       [key](const Setting& candidate) { return candidate.key == key; });
}

// Keys whose values differ.
std::vector<std::string> differences(const LoadedDrive& a, const LoadedDrive& b) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < a.settings.size(); ++i) {
    if (a.settings[i].value != b.settings[i].value) keys.push_back(a.settings[i].key);
  }
  return keys;
}

}  // namespace

TEST_CASE("every shipped drive loads and is called as its file") {
  const std::vector<std::string> names = drive_names();
  for (const std::string& name : shipped_drives) {
    CAPTURE(name);
    CHECK(std::count(names.begin(), names.end(), name) == 1);
    const LoadedDrive drive = load_drive(name, {});
    CHECK(drive.config.name == name);
    CHECK_FALSE(drive.description.empty());
    CHECK(drive.settings.size() == schema().size());
  }
}

TEST_CASE("the drives have the dies and the capacity of their hardware") {
  const auto config = [](const char* name) { return load_drive(name, {}).config; };
  constexpr std::uint64_t gibibyte = 1u << 30;
  CHECK(config("x25-v-40").geometry.dies() == 10);
  CHECK(config("x25-m-g2-80").geometry.dies() == 20);
  CHECK(config("x25-m-g2-160").geometry.dies() == 40);
  CHECK(config("x25-m-g1-80").geometry.dies() == 40);
  CHECK(config("x25-e-32").geometry.dies() == 40);
  CHECK(config("x25-v-40").geometry.raw_size().count == 40 * gibibyte);
  CHECK(config("x25-m-g2-80").geometry.raw_size().count == 80 * gibibyte);
  CHECK(config("x25-m-g2-160").geometry.raw_size().count == 160 * gibibyte);
  CHECK(config("x25-m-g1-80").geometry.raw_size().count == 80 * gibibyte);
  CHECK(config("x25-e-32").geometry.raw_size().count == 40 * gibibyte);
  CHECK(config("x25-v-40").sectors == 78'165'360);
  CHECK(config("x25-m-g2-80").sectors == 156'301'488);
  CHECK(config("x25-m-g2-160").sectors == 312'581'808);
  CHECK(config("x25-m-g1-80").sectors == 156'301'488);
  CHECK(config("x25-e-32").sectors == 62'500'000);
}

TEST_CASE("siblings differ only in what differs in the hardware") {
  const LoadedDrive v = load_drive("x25-v-40", {});
  const LoadedDrive m80 = load_drive("x25-m-g2-80", {});
  const LoadedDrive m160 = load_drive("x25-m-g2-160", {});
  CHECK(differences(v, m80) ==
        std::vector<std::string>{"controller.populated_channels", "drive.sectors"});
  CHECK(v.config.name != m80.config.name);
  CHECK(differences(m80, m160) == std::vector<std::string>{"controller.dies_per_package",
                                                           "controller.program_slots_per_channel",
                                                           "controller.program_slots",
                                                           "drive.sectors"});
  // The same values come from the same lines of the same files.
  for (const Setting& one : v.settings) {
    const Setting& other = setting(m80, one.key);
    if (one.where.file != "configs/drives/x25-v-40.yaml") {
      CHECK(one.where.text() == other.where.text());
    }
  }
  // The X25-E is the G1 with other flash.
  for (const std::string& key :
       differences(load_drive("x25-m-g1-80", {}), load_drive("x25-e-32", {}))) {
    CAPTURE(key);
    CHECK((key.starts_with("nand.") || key == "drive.sectors"));
  }
}

TEST_CASE("every value in configs/ has a source, and only calibrate rows are fitted to") {
  const std::set<std::string> calibrate{"P13", "P14", "P17", "P24", "P25",
                                        "P29", "P40", "P52", "P53"};
  const std::vector<std::string> prefixes{"datasheet: ", "fitted: P", "assumed: ", "derived: "};
  std::size_t files = 0;
  for (const char* folder : {"nand", "controllers", "firmware", "hosts", "drives"}) {
    for (const auto& entry : fs::directory_iterator(config::data_directory("configs") / folder)) {
      const FileRole role = std::string_view(folder) == "drives" ? FileRole::drive : FileRole::part;
      const PartFile file = read_part_file(entry.path(), entry.path().filename().string(), role);
      LoadedDrive sources_only;
      sources_only.settings = file.settings;
      for (const Setting& value : file.settings) {
        CAPTURE(value.where.text());
        CAPTURE(value.source);
        CHECK(std::any_of(prefixes.begin(), prefixes.end(), [&value](const std::string& prefix) {
          return value.source.starts_with(prefix);
        }));
      }
      std::set<std::string> rows;
      for (const FittedParameter& parameter : fitted_parameters(sources_only)) {
        CHECK(calibrate.contains(parameter.row));
        CHECK(rows.insert(parameter.row).second);  // one parameter a row
      }
      ++files;
    }
  }
  CHECK(files >= 16);
}

TEST_CASE("fitted parameters name their rows, unless --set replaces them") {
  const auto rows = [](const LoadedDrive& drive) {
    std::vector<std::string> result;
    for (const FittedParameter& parameter : fitted_parameters(drive)) {
      result.push_back(parameter.key + " " + parameter.row);
    }
    return result;
  };
  using Rows = std::vector<std::string>;
  CHECK(rows(load_drive("x25-v-40", {})) ==
        Rows{"nand.read_time P14", "firmware.back_per_run P13", "firmware.firmware_area P53"});
  CHECK(rows(load_drive("x25-m-g1-80", {})) ==
        Rows{"firmware.back_per_run P52", "firmware.firmware_area P40"});
  const LoadedDrive changed = load_drive("x25-m-g2-160", {"nand.read_time=40us"});
  CHECK(rows(changed) == Rows{"controller.program_slots P29", "firmware.back_per_run P13",
                              "firmware.firmware_area P53"});
  CHECK(fitted_parameters(changed).front().value == "25");
  CHECK(setting(changed, "nand.read_time").source.empty());
}

TEST_CASE("effective settings fed back as --set give the same configuration") {
  for (const std::string& name : shipped_drives) {
    const LoadedDrive original = load_drive(name, {});
    std::vector<std::string> overrides;
    for (const Setting& value : original.settings) {
      overrides.push_back(value.key + "=" + value.value);
    }
    for (const std::string& base : shipped_drives) {
      LoadedDrive copy = load_drive(base, overrides);
      copy.config.name = name;
      CHECK(copy.config == original.config);
      CHECK(differences(copy, original).empty());
    }
  }
}

TEST_CASE("--set changes any key and is checked") {
  const LoadedDrive drive = load_drive(
      "x25-v-40", {"nand.read_time=50us", "nand.erase_time= 2 ms ", "controller.two_plane_reads=no",
                   "controller.program_slots=7", "firmware.stripe_order=die,channel",
                   "firmware.pool=plane", "nand.read_time=45 us"});
  CHECK(drive.config.timing.read_time == 45us);  // the later one wins
  CHECK(drive.config.timing.erase_time == 2ms);
  CHECK_FALSE(drive.config.controller.two_plane_reads);
  CHECK(drive.config.controller.program_slots == 7);
  CHECK(setting(drive, "firmware.stripe_order").value == "[die, channel]");
  CHECK(drive.config.ftl.pool == ftl::PoolUnit::plane);
  CHECK(setting(drive, "nand.read_time").where.text() == "--set nand.read_time=45 us");

  CHECK(error_of("x25-v-40", {"nand.read_time=60"}) ==
        "--set nand.read_time=60: nand.read_time: expected a duration such as \"60 us\", found "
        "\"60\"");
  CHECK(error_of("x25-v-40", {"nand.raed_time=60us"}) ==
        "--set nand.raed_time=60us: unknown key 'nand.raed_time', did you mean 'nand.read_time'?");
  CHECK(error_of("x25-v-40", {"controller.read_time=60us"}) ==
        "--set controller.read_time=60us: unknown key 'controller.read_time', did you mean "
        "'nand.read_time'?");
  CHECK(error_of("x25-v-40", {"nand.read_time"}) ==
        "--set nand.read_time: expected path.to.key=value, such as nand.read_time=50us");
  CHECK(error_of("x25-v-40", {"nand.read_time="}) ==
        "--set nand.read_time=: nand.read_time: expected a duration such as \"60 us\", found "
        "nothing");
  CHECK(error_of("x25-v-40", {"nonsense=1"}) == "--set nonsense=1: unknown key 'nonsense'");
}

TEST_CASE("every key of the schema refuses what it cannot mean, and names itself") {
  for (const Key& key : schema()) {
    const std::string path(key.path);
    CAPTURE(path);
    const std::string text = path + "=0x10 bananas";
    const std::string start = "--set " + text + ": " + path + ": expected ";
    CHECK(error_of("x25-v-40", {text}).starts_with(start));
    CHECK_FALSE(key.description.empty());
  }
}

TEST_CASE("values of the wrong kind or out of range") {
  CHECK(error_in_file("nand:\n  read_time: 60\n") ==
        ":7: nand.read_time: expected a duration such as \"60 us\", found \"60\"");
  CHECK(error_in_file("nand:\n  read_time: 0.5 ns\n") ==
        ":7: nand.read_time: expected a duration such as \"60 us\" in whole nanoseconds, found "
        "\"0.5 ns\"");
  CHECK(error_in_file("nand:\n\n  read_time: 2 s\n") ==
        ":8: nand.read_time: expected 1 ns to 1 s, found \"2 s\"");
  CHECK(error_in_file("nand:\n  read_time:\n") ==
        ":7: nand.read_time: expected a duration such as \"60 us\", found nothing");
  CHECK(error_in_file("nand:\n  read_time: [1 us, 2 us]\n") ==
        ":7: nand.read_time: expected a duration such as \"60 us\", found \"[1 us, 2 us]\"");
  CHECK(error_in_file("nand:\n  read_time: {low: 1 us}\n") ==
        ":7: nand.read_time: expected a duration such as \"60 us\", found \"{...}\"");
  CHECK(error_in_file("nand:\n  spare_bytes: 218\n") ==
        ":7: nand.spare_bytes: expected an amount of data such as \"256 KiB\", found \"218\"");
  CHECK(error_in_file("controller:\n  channels: ten\n") ==
        ":7: controller.channels: expected a whole number from 1 to 256, found \"ten\"");
  CHECK(error_in_file("controller:\n  program_slots: 0\n") ==
        ":7: controller.program_slots: expected a whole number from 1 to 65535 or none, found "
        "\"0\"");
  CHECK(error_in_file("controller:\n  two_plane_reads: maybe\n") ==
        ":7: controller.two_plane_reads: expected on or off, found \"maybe\"");
  CHECK(error_in_file("firmware:\n  pool: block\n") ==
        ":7: firmware.pool: expected die or plane, found \"block\"");
  CHECK(error_in_file("firmware:\n  firmware_area: 1.75\n") ==
        ":7: firmware.firmware_area: expected a percentage such as \"7.5 %\", found \"1.75\"");
  CHECK(error_in_file("firmware:\n  stripe_order: [channel, channel]\n") ==
        ":7: firmware.stripe_order: expected a list such as \"[channel, die]\" of channel, die, "
        "plane, found \"[channel, channel]\"");
  CHECK(error_in_file("link:\n  rate: 3 GB/s\n") ==
        ":7: link.rate: expected a bit rate such as \"3 Gb/s\", found \"3 GB/s\"");
  CHECK(error_in_file("link:\n  queue_depth: 33\n") ==
        ":7: link.queue_depth: expected a whole number from 1 to 32, found \"33\"");
}

TEST_CASE("a wrong value is an error even where a later file replaces it") {
  const test::TemporaryFolder folder;
  folder.write("part.yaml", "nand:\n  read_time: 60\n");
  const std::string file =
      folder.write("drive.yaml", "parts: [part.yaml, nand/l63a-34nm-mlc.yaml]\n" + v_hardware);
  CHECK(error_of(file) == folder.file("part.yaml") +
                              ":2: nand.read_time: expected a duration such as \"60 us\", found "
                              "\"60\"");
}

TEST_CASE("stripe orders") {
  using enum ftl::StripeDimension;
  const auto order = [](const std::string& text) {
    return load_drive("x25-v-40", {"firmware.stripe_order=" + text}).config.ftl.stripe_order;
  };
  CHECK(order("[channel, die]") == StripeOrder{channel, die, plane});
  CHECK(order("[die,channel,plane]") == StripeOrder{die, channel, plane});
  CHECK(order("plane, channel, die") == StripeOrder{plane, channel, die});
  for (const char* text : {"[]", "[channel]", "[channel, plane]", "[channel, die, die]",
                           "[channel, die, plane, plane]", "[channel, die,]", "channel die"}) {
    CAPTURE(text);
    CHECK(error_of("x25-v-40", {std::string("firmware.stripe_order=") + text}) != "no error");
  }
}

TEST_CASE("unknown and doubled keys") {
  CHECK(error_in_file("nand:\n  raed_time: 60 us\n") ==
        ":7: unknown key 'nand.raed_time', did you mean 'nand.read_time'?");
  CHECK(error_in_file("nadn:\n  read_time: 60 us\n") ==
        ":6: unknown key 'nadn', did you mean 'nand'?");
  CHECK(error_in_file("discription: x\n") ==
        ":6: unknown key 'discription', did you mean 'description'?");
  CHECK(error_in_file("nand:\n  read_time: 1 us\n  read_time: 2 us\n") ==
        ":8: 'nand.read_time' is set twice in this file, first in line 7");
  CHECK(error_in_file("nand: {read_time: 1 us}\nnand: {erase_time: 2 ms}\n") ==
        ":7: 'nand' is set twice in this file, first in line 6");
  CHECK(error_in_file("nand: 5\n") == ":6: nand: expected keys with their values below it");
  CHECK(error_in_file("name:\n") == ":6: name: expected text");
}

TEST_CASE("files that are missing, not YAML or not a configuration") {
  const test::TemporaryFolder folder;
  const auto drive = [&folder](const std::string& text) {
    const std::string file = folder.write("drive.yaml", text);
    const std::string error = error_of(file);
    return error.starts_with(file) ? error.substr(file.size()) : error;
  };
  CHECK(error_of(folder.file("none.yaml")) == folder.file("none.yaml") + ": no such drive file");
  CHECK(error_of(folder.file("")) == folder.file("") + ": cannot read this file: Is a directory");
  CHECK(drive("parts:\n  - nand/none.yaml\n") ==
        ":2: part 'nand/none.yaml' not found beside this file or in configs/");
  CHECK(drive("parts: nand/slc-50nm.yaml\n") ==
        ":1: parts: expected a list of files such as \"nand/slc-50nm.yaml\"");
  CHECK(drive("nand:\n  read_time: \"60 us\" x\n").starts_with(":2: not readable as YAML: "));
  CHECK(drive("nand:\n  read_time: 60 us\n read_time: 1\n").starts_with(":3: not readable as "));
  CHECK(drive("") == ": expected a configuration, found nothing");
  CHECK(drive("# nothing\n") == ": expected a configuration, found nothing");
  CHECK(drive("just words\n") == ":1: expected sections such as \"nand:\", each with its keys");
  CHECK(drive("nand: {}\n---\nnand: {}\n") == ":3: expected one YAML document, found a second one");
  CHECK(drive(std::string(2u << 20, '#')) == ": expected a configuration of at most 1 MiB");
  CHECK(drive(std::string(100'000, '[')).starts_with(":1: not readable as YAML: "));
}

TEST_CASE("a part is not a drive, and a key that no part sets is missed") {
  const test::TemporaryFolder folder;
  folder.write("part.yaml", "nand: {}\nparts: []\n");
  CHECK(error_of(folder.write("drive.yaml", "parts: [part.yaml]\n")) ==
        folder.file("part.yaml") + ":2: 'parts' belongs in a drive's file, not in its parts");
  const std::string file = folder.write("drive.yaml", "parts: [nand/slc-50nm.yaml]\n" + v_hardware);
  CHECK(error_of(file) == file + ": controller.channels is not set by any part");
}

TEST_CASE("unknown drives list the known ones, the nearest first") {
  CHECK(error_of("x25-v-4").starts_with(
      "unknown drive 'x25-v-4'; known drives, the nearest first: x25-v-40, "));
  CHECK(error_of("x25-m-g1-160")
            .starts_with(
                "unknown drive 'x25-m-g1-160'; known drives, the nearest first: x25-m-g2-160, "));
}

TEST_CASE("a drive file of one's own: parts beside it come first, its own sections last") {
  const test::TemporaryFolder folder;
  folder.write("nand/slc-50nm.yaml", "nand: {read_time: 30 us}  # assumed: mine\n");
  const std::string file = folder.write(
      "mine.yaml", v_parts + "  - nand/slc-50nm.yaml\n" + v_hardware +
                       "nand:\n  # derived: a\n  # b\n"
                       "  erase_time: '1 ms'\n  program_time: 1 us # assumed: it's # odd\n");
  const LoadedDrive drive = load_drive(file, {});
  CHECK(drive.config.name == "mine");
  CHECK(drive.config.timing.read_time == 30us);
  CHECK(drive.config.timing.erase_time == 1ms);
  CHECK(drive.config.geometry.pages_per_block == 128);  // from L63A: the other part was not read
  CHECK(setting(drive, "nand.read_time").where.text() == folder.file("nand/slc-50nm.yaml") + ":1");
  CHECK(setting(drive, "nand.read_time").source == "assumed: mine");
  CHECK(setting(drive, "nand.erase_time").source == "derived: a b");
  CHECK(setting(drive, "nand.program_time").source == "assumed: it's # odd");
  CHECK(setting(drive, "nand.pages_per_block").where.file == "configs/nand/l63a-34nm-mlc.yaml");
}

TEST_CASE("the host at 1.5 Gb/s replaces the other") {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("slow.yaml", v_parts + "  - hosts/sata-1.5g-promise.yaml\n" + v_hardware);
  const LoadedDrive slow = load_drive(file, {});
  CHECK(differences(slow, load_drive("x25-v-40", {})) == std::vector<std::string>{"link.rate"});
  CHECK(slow.config.link.rate == 1'500'000'000);
}
