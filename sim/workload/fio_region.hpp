// Where on the device a job works: offset, size and io_size of a job file in bytes.
#pragma once

#include "nand/units.hpp"
#include "sim/workload/fio_options.hpp"

namespace x25sim::workload {

// Sets offset, size and io_size of draft.job for a device of `device_size` bytes. Percentages of
// offset are rounded up and those of size down to a multiple of the smallest block size, and a size
// in percent ends at the device's end; all as in fio. Throws InputError at the option's line, or at
// the section's if no option is to blame, for a region that does not lie within the device or is
// smaller than one block.
void resolve_region(JobDraft& draft, Bytes device_size);

}  // namespace x25sim::workload
