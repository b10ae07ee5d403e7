// Drives as YAML files: a drive names its parts (flash, controller, firmware, host) and overrides
// little; the command line may override any key.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/config/setting.hpp"
#include "sim/drive/config.hpp"

namespace x25sim::config {

struct LoadedDrive {
  drive::DriveConfig config;
  std::string description;
  // Every key of the schema, in its order, with the value in its canonical spelling.
  std::vector<Setting> settings;
};

// Loads a drive of configs/drives by name, or a file if the argument has a '/' or ends in ".yaml".
// Part files are looked for beside the drive's file, then in configs/. Parts apply in their order,
// then the drive's own sections, then `overrides` ("path.to.key=value", a later one wins). A drive
// without `name` is called as its file. Throws InputError, located in the file or "--set ...", for
// anything unknown, missing, of the wrong kind, out of range, or that does not fit together.
LoadedDrive load_drive(const std::string& name_or_path, const std::vector<std::string>& overrides);

// Names of the drives in configs/drives, sorted.
std::vector<std::string> drive_names();

// A value that was fitted to a published figure, as its comment says.
struct FittedParameter {
  std::string key;
  std::string value;
  std::string row;  // id of the figure: "P13"
};

// All values whose source reads "fitted: PNN"; values given with --set have no source.
std::vector<FittedParameter> fitted_parameters(const LoadedDrive& drive);

}  // namespace x25sim::config
