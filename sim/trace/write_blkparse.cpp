// Writes the text that blkparse would print of the events in write_block_events.hpp.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "sim/trace/blktrace_layout.hpp"
#include "sim/trace/block_event.hpp"
#include "sim/trace/line.hpp"
#include "sim/trace/write_block_events.hpp"

namespace x25sim::trace {

namespace {

class BlkparseWriter final : public BlockEventWriter {
 public:
  using BlockEventWriter::BlockEventWriter;

 private:
  void put_event(const BlockEvent& event, const Record& record) override {
    fmt::print(out(), "{:>3},{:<3} {:>2} {:>8} {:>5}.{:09} {:>5} {:>2} {:>3} ",
               event.device >> blktrace::minor_bits, event.device & blktrace::minor_max, 0,
               event.sequence, event.time_ns / second_ns, event.time_ns % second_ns,
               block_event_process_id, event.action, rwbs_of(record));
    if (record.length.count > 0) {
      fmt::print(out(), "{} + {} ", record.offset / sector_size, record.length / sector_size);
    }
    fmt::print(out(), "[{}]\n", block_event_process);
  }

  std::uint64_t length_max() const override { return ~std::uint64_t{0}; }
  Backwards backwards() const override { return Backwards::kept; }
};

}  // namespace

std::unique_ptr<Writer> write_blkparse(std::ostream& out) {
  return std::make_unique<BlkparseWriter>(out);
}

}  // namespace x25sim::trace
