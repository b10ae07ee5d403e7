// The traces against which DiskSim is validated, one request a line in six columns between blanks:
//
//   R or W, Hit, Miss, Doub or Trip, first sector, number of sectors, service time, gap
//
// Both times are microseconds with a fraction. The traced disk had one request at a time: the next
// one was issued `gap` after the completion of this one. Recorded times are therefore sums, each
// term rounded to ns: that of the first record is 0, and each other is that of its predecessor,
// plus the predecessor's service time, plus its gap. They are those of the traced disk, not of a
// simulated one.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

constexpr std::array<std::string_view, 4> outcomes{"Hit", "Miss", "Doub", "Trip"};

class DisksimValidateFormat final : public LineFormat {
 public:
  explicit DisksimValidateFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(microsecond_ns)) {}

  bool parse(const Line& line, Record& record) override {
    const Fields fields = line.at_blanks();
    line.expect_fields(fields, 6, "R or W, Hit or Miss, sector, sectors, service time, gap");
    record.kind = line.read_or_write(fields[0]);
    if (std::find(outcomes.begin(), outcomes.end(), fields[1]) == outcomes.end()) {
      line.fail("Hit, Miss, Doub or Trip", fmt::format("'{}'", fields[1]));
    }
    line.set_sectors(record, fields[2], fields[3]);
    const std::uint64_t service_ns = line.fraction(fields[4], "service time", unit_ns_);
    const std::uint64_t gap_ns = line.fraction(fields[5], "gap to the next request", unit_ns_);
    std::uint64_t following_ns = 0;
    if (__builtin_add_overflow(next_ns_, service_ns, &following_ns) ||
        __builtin_add_overflow(following_ns, gap_ns, &following_ns)) {
      line.fail("times whose sum is below 2^64 ns", fmt::format("'{}'", line.text()));
    }
    if (first_) {
      notes().add("times are sums of the traced disk's service times and gaps", line.number());
    }
    first_ = false;
    record.time_ns = next_ns_;
    next_ns_ = following_ns;
    return true;
  }

 private:
  std::uint64_t unit_ns_;
  std::uint64_t next_ns_ = 0;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Reader> open_disksim_validate(ByteSource source, const ReaderOptions& options) {
  return open_text<DisksimValidateFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
