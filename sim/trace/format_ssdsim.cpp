// The ASCII traces of SSDsim (Huazhong University): five columns (five_columns.hpp), where
// operation 2, which some variants of it add, is a trim.
//
// Times are in ns: so reads the simulator, whatever the tool that made the file believed. Files
// whose times are in units of 100 ns or in microseconds exist; --time-unit is for them.
#include "sim/trace/five_columns.hpp"
#include "sim/trace/formats.hpp"

namespace x25sim::trace {

std::unique_ptr<Reader> open_ssdsim(ByteSource source, const ReaderOptions& options) {
  return std::make_unique<TextReader>(std::move(source),
                                      std::make_unique<FiveColumns>(options, "trim"), options);
}

}  // namespace x25sim::trace
