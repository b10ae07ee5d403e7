// Where on the device a job works: offset, size and io_size of a job file in bytes.
#pragma once

#include <cstdint>

#include "nand/random.hpp"
#include "nand/units.hpp"
#include "sim/workload/fio_options.hpp"

namespace x25sim::workload {

// Sets offset, size and io_size of `job`, the copy number `copy` of the draft's one, for a device
// of `device_size` bytes; sizes in a range of `filesize` are drawn from `random`. Percentages of
// offset are rounded up and those of size down to a multiple of the smallest block size
// (offset_align, if given, for those of offset), and a size in percent ends at the device's end; a
// `filesize` is the end of the region, and `size` then only what is done in it; all as in fio.
// Throws InputError at the option's place, or at the section's if no option is to blame, for a
// region that does not lie within the device or is smaller than one block, and for zones and steps
// that do not fit into it. A job that repeats a log has no region of its own and gets the whole
// device.
void resolve_region(const JobDraft& draft, std::uint32_t copy, Bytes device_size, Random& random,
                    Job& job);

}  // namespace x25sim::workload
