// What SCSI commands do, as their operation codes say (SCSI Block Commands, SBC-4).
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/trace/record.hpp"

namespace x25sim::trace {

// Read and write in their forms of 6, 10, 12, 16 bytes, writes that verify among them; UNMAP is a
// trim, SYNCHRONIZE CACHE a flush. WRITE SAME is `other`: its code does not tell whether it writes
// or unmaps.
constexpr Kind kind_of_scsi(std::uint64_t operation_code) {
  switch (operation_code) {
    case 0x08:
    case 0x28:
    case 0xa8:
    case 0x88: return Kind::read;
    case 0x0a:
    case 0x2a:
    case 0xaa:
    case 0x8a: return Kind::write;
    case 0x2e:
    case 0xae:
    case 0x8e: return Kind::write;
    case 0x42: return Kind::trim;
    case 0x35:
    case 0x91: return Kind::flush;
    default: return Kind::other;
  }
}

// What is noted of a record whose kind is `other`.
inline constexpr std::string_view other_scsi_note =
    "SCSI command that is neither read, write, unmap nor flush";

// What is noted of a trim: UNMAP has its ranges in its data, which no trace of commands has.
inline constexpr std::string_view unmap_note =
    "UNMAP, whose ranges are not in the trace: block and length are the command's";

}  // namespace x25sim::trace
