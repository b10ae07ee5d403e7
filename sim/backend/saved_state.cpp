#include "sim/backend/saved_state.hpp"

#include <cstddef>
#include <span>
#include <string_view>

#include "ftl/choices.hpp"
#include "nand/errors.hpp"
#include "nand/state_archive.hpp"
#include "sim/backend/state_file.hpp"

namespace x25sim::backend {

namespace {

class SavingArchive final : public StateArchive {
 public:
  explicit SavingArchive(StateWriter& writer) : writer_(writer) {}

  bool loading() const override { return false; }
  void reject(const std::string& reason) const override {
    throw InputError("the drive's state can't be saved: " + reason);
  }

 private:
  void exchange(std::string_view tag, void* data, std::size_t element_size,
                std::size_t count) override {
    writer_.write_array(tag, std::span(static_cast<const std::byte*>(data), element_size * count));
  }

  StateWriter& writer_;
};

class LoadingArchive final : public StateArchive {
 public:
  explicit LoadingArchive(StateReader& reader) : reader_(reader) {}

  bool loading() const override { return true; }
  void reject(const std::string& reason) const override {
    throw InputError({reader_.path()},
                     "expected the state of a drive that works, found that " + reason);
  }

 private:
  void exchange(std::string_view tag, void* data, std::size_t element_size,
                std::size_t count) override {
    reader_.read_array(tag, std::span(static_cast<std::byte*>(data), element_size * count));
  }

  StateReader& reader_;
};

struct Quantity {
  std::string_view key;
  std::string value;
};

// What must be the same when a drive is saved and when it is loaded.
std::vector<Quantity> shape_of(const drive::DriveConfig& config) {
  const nand::Geometry& geometry = config.geometry;
  const ftl::Config& ftl = config.ftl;
  const auto name = [](const auto& choices, auto value) {
    return std::string(choices[static_cast<std::size_t>(value)].name);
  };
  const auto dimension = [](ftl::StripeDimension value) {
    return std::string(ftl::stripe_dimension_names[static_cast<std::size_t>(value)]);
  };
  const auto ppm = [](std::uint32_t value) { return std::to_string(value) + " ppm"; };
  return {{"nand.page_bytes", std::to_string(geometry.page_size.count)},
          {"nand.pages_per_block", std::to_string(geometry.pages_per_block)},
          {"nand.blocks_per_die", std::to_string(geometry.blocks_per_die)},
          {"nand.planes_per_die", std::to_string(geometry.planes_per_die)},
          {"controller.populated_channels", std::to_string(geometry.channels)},
          {"controller.packages_per_channel", std::to_string(geometry.packages_per_channel)},
          {"controller.dies_per_package", std::to_string(geometry.dies_per_package)},
          {"drive.sectors", std::to_string(config.sectors)},
          {"firmware.stripe_order", dimension(ftl.stripe_order[0]) + ", " +
                                        dimension(ftl.stripe_order[1]) + ", " +
                                        dimension(ftl.stripe_order[2])},
          {"firmware.pool", name(ftl::pool_choices, ftl.pool)},
          {"firmware.superblock_dies", std::to_string(ftl.superblock_dies)},
          {"firmware.write_frontiers", name(ftl::write_frontier_choices, ftl.write_frontiers)},
          {"firmware.hot_space", ppm(ftl.hot_space_ppm)},
          {"firmware.hot_lbas", ppm(ftl.hot_lbas_ppm)},
          {"firmware.reserved_blocks_per_pool", std::to_string(ftl.reserved_blocks_per_pool)},
          {"firmware.wear_leveling", name(ftl::wear_leveling_choices, ftl.wear_leveling)},
          {"firmware.firmware_area", ppm(ftl.firmware_area_ppm)}};
}

void write_shape(StateWriter& writer, const drive::DriveConfig& config) {
  for (const Quantity& quantity : shape_of(config)) {
    writer.write_text("key", quantity.key);
    writer.write_text("value", quantity.value);
  }
}

void check_shape(StateReader& reader, const drive::DriveConfig& config) {
  for (const Quantity& expected : shape_of(config)) {
    const std::string key = reader.read_text("key");
    const std::string found = reader.read_text("value");
    if (key == expected.key && found == expected.value) continue;
    throw InputError({reader.path()}, "expected the state of a drive like " + config.name +
                                          ", with " + std::string(expected.key) + " " +
                                          expected.value + ", found one with " + key + " " + found);
  }
}

void exchange(StateArchive& archive, drive::DriveReport& step) {
  archive.value("counters", step.counters);
  archive.value("space", step.space);
  for (std::uint32_t* number : {&step.wear.min, &step.wear.max, &step.steady.rounds}) {
    archive.value("number", *number);
  }
  for (double* real : {&step.wear.mean, &step.wear.stddev, &step.steady.spare_range}) {
    archive.value("real", *real);
  }
  std::uint8_t judged = step.steady.window.has_value() ? 1 : 0;
  archive.value("judged", judged);
  if (judged == 0) return;
  if (!step.steady.window) step.steady.window.emplace();
  measure::SteadyStateWindow& window = *step.steady.window;
  for (double* real : {&window.average, &window.range, &window.slope, &window.excursion}) {
    archive.value("real", *real);
  }
  std::uint8_t steady = window.steady ? 1 : 0;
  archive.value("steady", steady);
  window.steady = steady != 0;
}

}  // namespace

void save_state(const std::string& path, drive::Ssd& drive,
                const std::vector<drive::DriveReport>& steps) {
  StateWriter writer(path);
  write_shape(writer, drive.config());
  SavingArchive archive(writer);
  std::uint64_t count = steps.size();
  archive.value("steps", count);
  for (drive::DriveReport step : steps) {
    writer.write_text("step", step.name);
    exchange(archive, step);
  }
  drive.exchange(archive);
  writer.commit();
}

std::vector<drive::DriveReport> load_state(const std::string& path, drive::Ssd& drive) {
  StateReader reader(path);
  check_shape(reader, drive.config());
  LoadingArchive archive(reader);
  std::uint64_t count = 0;
  archive.value("steps", count);
  std::vector<drive::DriveReport> steps;
  for (std::uint64_t i = 0; i < count; ++i) {
    drive::DriveReport& step = steps.emplace_back();
    step.name = reader.read_text("step");
    exchange(archive, step);
  }
  drive.exchange(archive);
  reader.finish();
  return steps;
}

}  // namespace x25sim::backend
