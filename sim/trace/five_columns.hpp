// The five columns that the traces of MQSim and SSDsim share, between blanks, one request a line:
//
//   time, device, first sector, number of sectors, operation
//
// Times are integers, in ns; a sector has 512 bytes; operation 0 writes and 1 reads. Variants of
// both simulators add an operation 2, which takes data away. DiskSim's five columns look the same
// and are not: its time is in ms and its operation a hexadecimal bit field (format_disksim.cpp).
#pragma once

#include <string_view>

#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

class FiveColumns final : public LineFormat {
 public:
  // `erasing` is what operation 2 is called.
  FiveColumns(const ReaderOptions& options, std::string_view erasing);

  bool parse(const Line& line, Record& record) override;

 private:
  Kind kind_of(const Line& line, std::string_view field) const;

  std::uint64_t unit_ns_;
  std::string_view erasing_;
};

}  // namespace x25sim::trace
