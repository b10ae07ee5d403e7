// What a host sees of a block device in simulated time.
#pragma once

#include <cstdint>

#include "nand/units.hpp"
#include "sim/workload/request.hpp"

namespace x25sim::drive {

class CompletionListener {
 public:
  virtual ~CompletionListener() = default;
  // The request that was submitted as `id` is complete, now.
  virtual void on_complete(std::uint64_t id) = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual Bytes capacity() const = 0;
  // The longest request of an operation that one command can carry.
  virtual Bytes max_request(workload::Operation operation) const = 0;
  // The request arrives at the device, now; the listener will hear of it. Requires: it lies within
  // the capacity, is a multiple of sectors, not empty unless a flush, not above max_request().
  virtual void submit(std::uint64_t id, const workload::Request& request) = 0;
  // Nothing is under way: no request, no buffered page, no flash operation.
  virtual bool idle() const = 0;
};

}  // namespace x25sim::drive
