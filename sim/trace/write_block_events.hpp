// What the writers of blktrace's events, binary and as text, have in common.
//
// A record has one time. Each request is written as four events of this time: queued, allocated,
// inserted and issued to the driver (Q, G, I, D), for tools that look for one or the other: fio
// replays the Q, btt wants them all, blkparse's reader here takes the D. When it was complete is
// not known, and no C is written. Process and processor are not known, either: all is of the
// process 1, called x25sim, on processor 0. Times are ns from the first record. Devices that are
// not called major,minor get numbers of the major 259.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/trace/device_numbers.hpp"
#include "sim/trace/writer.hpp"

namespace x25sim::trace {

inline constexpr std::string_view block_event_process = "x25sim";
inline constexpr std::uint32_t block_event_process_id = 1;

struct BlockEvent {
  std::string_view action;     // its letter
  std::uint32_t sequence = 0;  // from 1
  std::uint64_t time_ns = 0;
  std::uint32_t device = 0;  // 12 bits of major, 20 of minor number
};

class BlockEventWriter : public Writer {
 public:
  using Writer::Writer;

 protected:
  // Writes an event of `record`, whose offset and length are whole sectors.
  virtual void put_event(const BlockEvent& event, const Record& record) = 0;
  // The longest request that fits, in bytes.
  virtual std::uint64_t length_max() const = 0;
  // What becomes of a time before its predecessor's.
  virtual Backwards backwards() const = 0;

 private:
  bool put(const Record& record, std::string_view device_name) override;

  DeviceNumbers devices_;
  std::uint32_t sequence_ = 0;
};

}  // namespace x25sim::trace
