// What a report says beside what was measured.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nand/units.hpp"
#include "sim/model/workload_theory.hpp"

namespace x25sim::report {

// A drive's effective configuration: dotted keys, as "nand.read_time", and their values as text.
// No key is the beginning of another one's path.
using Configuration = std::vector<std::pair<std::string, std::string>>;

struct DriveContext {
  Bytes page_size;  // of the flash, > 0
  Configuration configuration;
  // What theory says of the run's writes; none where nobody asked it.
  std::optional<model::WorkloadTheory> theory = {};
};

struct ReportContext {
  std::string version;  // of the program, without its name
  std::uint64_t seed = 0;
  std::vector<DriveContext> drives;  // one for each drive of the result, in its order
  bool json_plus = false;            // with the bins of the histograms
  // The only hidden input of a report: everything else in it follows from the run.
  std::chrono::system_clock::time_point wall_clock = std::chrono::system_clock::now();
};

}  // namespace x25sim::report
