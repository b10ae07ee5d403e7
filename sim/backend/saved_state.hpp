// Drives in files: an aged drive is made once and measured often.
#pragma once

#include <string>
#include <vector>

#include "sim/drive/counters.hpp"
#include "sim/drive/ssd.hpp"

namespace x25sim::backend {

// Writes the drive and what the steps of its preparation did. The file is complete or not there.
// Throws SystemError. Requires: the drive is idle, and nothing was submitted to it yet.
void save_state(const std::string& path, drive::Ssd& drive,
                const std::vector<drive::DriveReport>& steps);

// Brings `drive` into the state of the file, and returns the steps of its preparation. The drive
// then goes on exactly as the one that was saved. What lies on the flash, and how the firmware lays
// it out, must be the same in both configurations; times, buffers, the link and the policy of
// garbage collection may differ. Throws InputError and SystemError. Requires: a new drive.
std::vector<drive::DriveReport> load_state(const std::string& path, drive::Ssd& drive);

}  // namespace x25sim::backend
