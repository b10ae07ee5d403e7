// What the traces of Linux's block layer (blktrace, blkparse, ftrace, biosnoop) have in common:
// letters for actions, and the RWBS string that says what kind of request an event is of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nand/units.hpp"
#include "sim/trace/reader.hpp"
#include "sim/trace/record.hpp"

namespace x25sim::trace {

// Q, I, D or C.
char letter_of(Action action);

// The note under which a reader counts an event of the action with these letters: as a record
// (taken), or passed over. An action that blkparse does not have is counted as another one.
std::string_view note_of_event(std::string_view action, bool taken);

// Whether blkparse has an action of these letters, UT and the messages' m included.
bool is_action(std::string_view letters);

// The kind of request that an RWBS string stands for, such as FWFS.
struct RequestKind {
  Kind kind = Kind::other;
  bool flush_first = false;
  bool durable = false;
};

// The kernel writes, in this order: F for a flush before the request; one of R, W, D (discard), DE
// (secure erase), F (flush) or N (none of them); F for forced unit access; then A (read ahead), B
// (barrier, of kernels before 2.6.37), S (synchronous), M (metadata). A flush alone is FN or FF.
// None for a string that is not of this form.
std::optional<RequestKind> request_kind(std::string_view rwbs);

// Sets all but time, device and line of `record`. Requires: offset + length is below 2^64. A
// request without data has no address in these traces, whatever they print for it; a write without
// data that asks for a flush is one.
void set_request(Record& record, const RequestKind& kind, Bytes offset, Bytes length);

// The RWBS string of `record`. What it can't say is not in it: a read without data is an N.
std::string rwbs_of(const Record& record);

}  // namespace x25sim::trace
