// A drive's configuration as text, with the arithmetic that follows from it.
#pragma once

#include <string>

#include "sim/config/drive_file.hpp"

namespace x25sim::config {

// Every setting with its source and its place, as YAML-like lines; then capacity, spare area, the
// bounds of each part of the drive and the terms of an unloaded read (sim/model/bounds.hpp).
std::string show_text(const LoadedDrive& drive);

}  // namespace x25sim::config
