// Where the devices of a trace stand on the drive that it is replayed on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nand/units.hpp"
#include "sim/trace/device_names.hpp"
#include "sim/trace/extents.hpp"
#include "sim/trace/record.hpp"

namespace x25sim::trace {

struct DeviceChoice {
  enum class Policy : std::uint8_t {
    separate,  // each has a region of its own, one behind the other in order of appearance
    pool,      // all share one address space
    refuse,    // a second one is an error
    named,     // the records of one are taken, all others skipped
  };

  Policy policy = Policy::separate;
  std::string name;  // of `named`
};

// Reads "separate", "pool" or "refuse"; anything else is the name of a device.
DeviceChoice device_choice(const std::string& text);

// A device of the trace on the drive.
struct DeviceRegion {
  std::string name;
  std::uint64_t records = 0;
  Bytes offset;  // of its byte 0
  Bytes length;  // up to its highest byte, in whole units of region_alignment
};

class DeviceRule {
 public:
  // Regions begin and end at multiples of it, so that requests keep the alignment they had.
  static constexpr Bytes region_alignment{std::uint64_t{1} << 20};

  // `survey` outlives the rule. It is asked when a second device appears, as the first one starts
  // at 0 however long it is.
  DeviceRule(DeviceChoice choice, FileNames names, Survey& survey)
      : choice_(std::move(choice)), names_(std::move(names)), survey_(survey) {}

  // Moves `record` to the region of its device, one of `devices`. False if it is of a device that
  // was not asked for. Throws InputError with its line if the device is refused, and if the regions
  // do not fit 64 bits.
  bool apply(Record& record, const DeviceNames& devices);

  // Behind the last byte that the trace's requests touch where their devices stand. Asks the
  // survey.
  Bytes extent();

  // The devices whose records were taken so far, in order of appearance.
  std::vector<DeviceRegion> regions(const DeviceNames& devices) const;

  // Whether records of more than one device were taken.
  bool several() const { return several_; }

 private:
  bool takes(const Record& record, const DeviceNames& devices);
  void lay_out();

  DeviceChoice choice_;
  FileNames names_;
  Survey& survey_;
  std::optional<std::uint32_t> first_;  // device of the first record
  bool several_ = false;
  // Of the regions, by device, as soon as there are several.
  std::vector<Bytes> offsets_, lengths_;
  std::vector<std::uint64_t> records_;  // by device, of those taken
  Extents seen_;                        // of the records taken
};

}  // namespace x25sim::trace
