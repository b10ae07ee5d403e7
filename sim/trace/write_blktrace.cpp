// Writes the events in write_block_events.hpp as blktrace's binary file of processor 0, in
// little-endian byte order. The first event names the process. Times never go backwards: the tools
// sort by them.
#include <algorithm>
#include <array>
#include <iterator>

#include "sim/trace/blktrace_layout.hpp"
#include "sim/trace/write_block_events.hpp"

namespace x25sim::trace {

namespace {

using namespace blktrace;

constexpr std::size_t process_name_size = 16;

class BlktraceWriter final : public BlockEventWriter {
 public:
  explicit BlktraceWriter(std::ostream& stream) : BlockEventWriter(stream) {
    Bits bits{};
    fill(bits, {}, notify_bit << mask_shift);
    put_integer<std::uint16_t>(bits, pdu_size_at, process_name_size);
    put_bits(bits);
    std::array<char, process_name_size> name{};
    std::copy(block_event_process.begin(), block_event_process.end(), name.begin());
    out().write(name.data(), std::ssize(name));
  }

 private:
  using Bits = std::array<char, event_size>;

  template <typename Integer>
  static void put_integer(Bits& bits, std::size_t at, Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      bits[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
    }
  }

  static void fill(Bits& bits, const BlockEvent& event, std::uint32_t action) {
    put_integer(bits, magic_at, magic | version);
    put_integer(bits, sequence_at, event.sequence);
    put_integer(bits, time_at, event.time_ns);
    put_integer(bits, action_at, action);
    put_integer(bits, process_at, block_event_process_id);
    put_integer(bits, device_at, event.device);
  }

  void put_bits(const Bits& bits) { out().write(bits.data(), std::ssize(bits)); }

  void put_event(const BlockEvent& event, const Record& record) override {
    const std::uint32_t mask =
        file_system_bit | (event.action == "D" ? issue_bit : queue_bit) | mask_of(record);
    Bits bits{};
    fill(bits, event, mask << mask_shift | number_of(event.action));
    if (record.length.count > 0) {
      put_integer<std::uint64_t>(bits, sector_at, record.offset / sector_size);
      put_integer(bits, bytes_at, static_cast<std::uint32_t>(record.length.count));
    }
    put_bits(bits);
  }

  // As the kernel sets it: a discard is a write, too, and a flush alone has no direction.
  static std::uint32_t mask_of(const Record& record) {
    switch (record.kind) {
      case Kind::read: return read_bit;
      case Kind::write:
        return write_bit | (record.flush_first ? flush_bit : 0) | (record.durable ? fua_bit : 0);
      case Kind::trim: return write_bit | discard_bit;
      case Kind::flush: return flush_bit;
      case Kind::other: break;
    }
    return 0;
  }

  std::uint64_t length_max() const override { return 0xffffffff; }
  Backwards backwards() const override { return Backwards::lifted; }
};

}  // namespace

std::unique_ptr<Writer> write_blktrace(std::ostream& out) {
  return std::make_unique<BlktraceWriter>(out);
}

}  // namespace x25sim::trace
