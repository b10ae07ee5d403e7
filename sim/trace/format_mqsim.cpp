// The ASCII traces of MQSim: five columns (five_columns.hpp), where operation 2 is the zone erase
// of its ZNS variant.
//
// Times are in ns whatever MQSim's configuration says. MQSim itself takes anything but 0 for a
// read, cuts numbers at the first character that is none, and stops at the first line that has not
// five fields: all of these are errors here. An erase may have the length 0. MQSim folds addresses
// beyond its device back into it; here they are kept, and --out-of-range decides.
#include "sim/trace/five_columns.hpp"
#include "sim/trace/formats.hpp"

namespace x25sim::trace {

std::unique_ptr<Reader> open_mqsim(ByteSource source, const ReaderOptions& options) {
  return std::make_unique<TextReader>(
      std::move(source), std::make_unique<FiveColumns>(options, "zone erase"), options);
}

}  // namespace x25sim::trace
