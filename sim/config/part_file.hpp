// One YAML file of a configuration, as text: what it sets, where and with which source. Values are
// not looked at here; the schema reads them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/config/setting.hpp"

namespace x25sim::config {

// Drive files have a name, a description and parts beside their sections; part files do not.
enum class FileRole : std::uint8_t { drive, part };

struct PartName {
  std::string path;  // as written
  SourceLocation where;
};

struct PartFile {
  std::string name;         // empty if not given
  std::string description;  // empty if not given
  std::vector<PartName> parts;
  std::vector<Setting> settings;  // in file order, every key known and set once
};

// Reads `path`; messages and locations call it `shown_as`. Throws InputError for a file that is
// missing, unreadable or not YAML, an unknown key, and a key that is set twice.
PartFile read_part_file(const std::filesystem::path& path, const std::string& shown_as,
                        FileRole role);

}  // namespace x25sim::config
