#include "sim/config/drive_file.hpp"

#include <algorithm>
#include <map>
#include <system_error>

#include "nand/suggestion.hpp"
#include "sim/config/consistency.hpp"
#include "sim/config/data_directory.hpp"
#include "sim/config/part_file.hpp"
#include "sim/config/schema.hpp"

namespace x25sim::config {

namespace {

namespace fs = std::filesystem;

struct FileName {
  fs::path path;
  std::string shown_as;  // the same on every machine for the files that come with the program
};

bool file_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

FileName shipped(const std::string& relative) {
  return {data_directory("configs") / relative, "configs/" + relative};
}

bool is_path(const std::string& name_or_path) {
  return name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

FileName find_drive(const std::string& name_or_path) {
  if (is_path(name_or_path)) {
    if (!file_exists(name_or_path)) throw InputError({name_or_path}, "no such drive file");
    return {name_or_path, name_or_path};
  }
  const std::vector<std::string> names = drive_names();
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) {
    return shipped("drives/" + name_or_path + ".yaml");
  }
  throw InputError("unknown drive '" + name_or_path + "'; known drives, the nearest first: " +
                   joined(nearest_first(name_or_path, names)));
}

FileName find_part(const PartName& part, const FileName& drive_file) {
  const fs::path beside = drive_file.path.parent_path() / part.path;
  if (file_exists(beside)) {
    return {beside, (fs::path(drive_file.shown_as).parent_path() / part.path).string()};
  }
  FileName in_configs = shipped(part.path);
  if (file_exists(in_configs.path)) return in_configs;
  throw InputError(part.where,
                   "part '" + part.path + "' not found beside this file or in configs/");
}

Setting parse_override(const std::string& text) {
  const SourceLocation where{"--set " + text};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw InputError(where, "expected path.to.key=value, such as nand.read_time=50us");
  }
  const std::string key = text.substr(0, equals);
  if (find_key(key) == nullptr) throw InputError(where, unknown_key(key));
  return {key, text.substr(equals + 1), where, {}};
}

// Settings by key; a later one replaces an earlier one. Each is checked even if it is replaced.
class Settings {
 public:
  // Requires: known keys.
  void add(const std::vector<Setting>& settings) {
    drive::DriveConfig checked_only;
    for (const Setting& setting : settings) {
      assign(*find_key(setting.key), setting.value, setting.where, checked_only);
      by_key_[setting.key] = setting;
    }
  }

  // Assigns every key of the schema and returns the settings in the schema's order.
  std::vector<Setting> apply(const std::string& drive_file, drive::DriveConfig& config) const {
    std::vector<Setting> effective;
    for (const Key& key : schema()) {
      const auto found = by_key_.find(key.path);
      if (found == by_key_.end()) {
        throw InputError({drive_file}, std::string(key.path) + " is not set by any part");
      }
      Setting setting = found->second;
      assign(key, setting.value, setting.where, config);
      setting.value = value_text(key, config);
      effective.push_back(std::move(setting));
    }
    return effective;
  }

 private:
  std::map<std::string, Setting, std::less<>> by_key_;
};

}  // namespace

LoadedDrive load_drive(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  const FileName drive_file = find_drive(name_or_path);
  const PartFile own = read_part_file(drive_file.path, drive_file.shown_as, FileRole::drive);
  Settings settings;
  for (const PartName& part : own.parts) {
    const FileName part_file = find_part(part, drive_file);
    settings.add(read_part_file(part_file.path, part_file.shown_as, FileRole::part).settings);
  }
  settings.add(own.settings);
  for (const std::string& text : overrides) settings.add({parse_override(text)});

  LoadedDrive drive;
  drive.config.name = own.name.empty() ? drive_file.path.stem().string() : own.name;
  drive.description = own.description;
  drive.settings = settings.apply(drive_file.shown_as, drive.config);
  check_consistency(drive.config, drive.settings);
  return drive;
}

std::vector<std::string> drive_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(data_directory("configs") / "drives", error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<FittedParameter> fitted_parameters(const LoadedDrive& drive) {
  constexpr std::string_view prefix = "fitted:";
  std::vector<FittedParameter> fitted;
  for (const Setting& setting : drive.settings) {
    if (!setting.source.starts_with(prefix)) continue;
    const std::size_t start = setting.source.find_first_not_of(' ', prefix.size());
    if (start == std::string::npos) continue;
    const std::size_t end = setting.source.find_first_of(" ,;:", start);
    fitted.push_back({setting.key, setting.value, setting.source.substr(start, end - start)});
  }
  return fitted;
}

}  // namespace x25sim::config
