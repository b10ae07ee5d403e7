// Several files of one trace as one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "sim/trace/reader.hpp"

namespace x25sim::trace {

// Merges by time, and by the order of the files where times are equal; each file's own order is
// kept, even where its clock runs backwards. A device of the same name is the same in all files.
class MergedReader final : public Reader {
 public:
  // Requires: at least one reader.
  explicit MergedReader(std::vector<std::unique_ptr<Reader>> readers);

  std::optional<Record> next() override;

  const DeviceNames& devices() const override { return devices_; }
  Notes notes() const override;
  std::uint64_t malformed() const override;

 private:
  void advance(std::uint32_t file);

  struct Later {
    bool operator()(const Record& a, const Record& b) const {
      return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.file > b.file;
    }
  };

  std::vector<std::unique_ptr<Reader>> readers_;
  std::priority_queue<Record, std::vector<Record>, Later> heads_;  // the next record of each file
  std::optional<std::uint32_t> last_file_;  // whose next record is still to be read
  DeviceNames devices_;
};

}  // namespace x25sim::trace
