// Rules that need more than one key.
#pragma once

#include <vector>

#include "sim/config/setting.hpp"
#include "sim/drive/config.hpp"

namespace x25sim::config {

// Throws InputError, located at a setting that is to blame, if the parts of `config` do not fit
// together: impossible geometry, more channels populated than there are, more sectors than the
// flash can offer, buffers or a cut-through that drive or link cannot work with.
void check_consistency(const drive::DriveConfig& config, const std::vector<Setting>& settings);

}  // namespace x25sim::config
