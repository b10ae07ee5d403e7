// blktrace's binary files, one for each processor, or what `blkparse -d` makes of several: events
// of 48 bytes, each followed by a payload, in the byte order of the traced machine.
//
//   magic (0x656174, version 7) 32 bits, sequence number 32, time in ns 64, first sector 64,
//   bytes 32, action 32, process 32, device 32, processor 32, error 16, size of the payload 16
//
// The lower half of the action is a number for what happened, the upper one a mask that says to
// what: bits for write, flush, sync, passthrough, notification, discard and forced unit access. A
// device is 12 bits of major and 20 of minor number. Only the events of one action are records
// (ReaderOptions::action; else D, issued to the driver); notifications, which carry names of
// processes and messages, never are. The processor's number is not looked at: there are files in
// which it isn't that of the file's name, which blkparse refuses. A request of 4 GiB and more does
// not fit the size's 32 bits, so that the kernel writes another one.
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <vector>

#include "nand/errors.hpp"
#include "sim/trace/blktrace_layout.hpp"
#include "sim/trace/block_event.hpp"
#include "sim/trace/formats.hpp"

namespace x25sim::trace {

namespace {

using namespace blktrace;

class BlktraceReader final : public Reader {
 public:
  BlktraceReader(ByteSource source, const ReaderOptions& options)
      : source_(std::move(source)),
        unit_ns_(options.time_unit_ns.value_or(1)),
        letter_(letter_of(options.action.value_or(default_action))) {}

  std::optional<Record> next() override {
    std::array<char, event_size> event{};
    for (;;) {
      const std::size_t size = read(event);
      if (size == 0) return std::nullopt;
      ++number_;
      if (size < event.size()) fail_at_end(event.size(), size);
      check_magic(event.data());
      pass_over(get<std::uint16_t>(event.data(), pdu_size_at));
      Record record;
      if (parse(event.data(), record)) return record;
    }
  }

  const DeviceNames& devices() const override { return devices_; }
  Notes notes() const override { return notes_; }
  // Behind a damaged event nothing can be found any more: none is passed over.
  std::uint64_t malformed() const override { return 0; }

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    throw InputError({source_.name(), 0},
                     fmt::format("record {}: expected {}, found {}", number_, expected, found));
  }

  [[noreturn]] void fail_at_end(std::size_t expected, std::size_t found) const {
    fail(fmt::format("{} bytes", expected),
         fmt::format("the end of the file after {} of them", found));
  }

  template <typename Integer>
  Integer get(const char* event, std::size_t at) const {
    std::array<char, sizeof(Integer)> bytes{};
    std::memcpy(bytes.data(), event + at, bytes.size());
    Integer value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t place = big_endian_ ? bytes.size() - 1 - i : i;
      const auto byte = static_cast<Integer>(static_cast<unsigned char>(bytes[i]));
      value = static_cast<Integer>(value | static_cast<Integer>(byte << (8 * place)));
    }
    return value;
  }

  // All of `buffer`, or as much as there is.
  std::size_t read(std::span<char> buffer) {
    std::size_t size = 0;
    while (size < buffer.size()) {
      if (begin_ == end_) {
        begin_ = 0;
        end_ = source_.read(buffer_);
        if (end_ == 0) break;
      }
      const std::size_t part = std::min(buffer.size() - size, end_ - begin_);
      std::memcpy(buffer.data() + size, buffer_.data() + begin_, part);
      begin_ += part;
      size += part;
    }
    return size;
  }

  // The byte order is that of the first event.
  void check_magic(const char* event) {
    const auto magic_of = [&] { return get<std::uint32_t>(event, magic_at) >> 8; };
    if (number_ == 1 && magic_of() != magic >> 8) big_endian_ = true;
    if (magic_of() != magic >> 8) {
      fail(fmt::format("an event of blktrace, which begins with {:#x}", magic >> 8),
           fmt::format("{:#010x}", get<std::uint32_t>(event, magic_at)));
    }
    const std::uint32_t found = get<std::uint32_t>(event, magic_at) & 0xff;
    if (found != version) {
      fail(fmt::format("version {} of blktrace's events", version),
           fmt::format("version {}", found));
    }
  }

  void pass_over(std::size_t size) {
    payload_.resize(size);
    const std::size_t found = read(payload_);
    if (found < size) fail_at_end(event_size + size, event_size + found);
  }

  bool parse(const char* event, Record& record) {
    const auto action = get<std::uint32_t>(event, action_at);
    const std::uint32_t mask = action >> mask_shift;
    if ((mask & notify_bit) != 0) {
      notes_.add("notifications passed over (names of processes, messages)", number_);
      return false;
    }
    const std::string_view letters = letters_of(action & action_mask);
    const bool taken = letters.size() == 1 && letters[0] == letter_;
    notes_.add(note_of_event(letters, taken), number_);
    if (!taken) return false;
    if (get<std::uint16_t>(event, error_at) != 0) notes_.add("completed with an error", number_);

    const auto time = get<std::uint64_t>(event, time_at);
    if (__builtin_mul_overflow(time, unit_ns_, &record.time_ns)) {
      fail(fmt::format("a time of which {} times is below 2^64", unit_ns_),
           fmt::format("{}", time));
    }
    record.line = number_;
    const auto device = get<std::uint32_t>(event, device_at);
    if (!device_ || *device_ != device) {
      device_ = device;
      index_ = devices_.index(
          fmt::format("{},{}", device >> minor_bits, device & ((1u << minor_bits) - 1)));
    }
    record.device = index_;
    set_range(event, mask, record);
    return true;
  }

  void set_range(const char* event, std::uint32_t mask, Record& record) const {
    const Bytes length{get<std::uint32_t>(event, bytes_at)};
    const auto sector = get<std::uint64_t>(event, sector_at);
    const bool passthrough = (mask & passthrough_bit) != 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const bool has_address = !passthrough && length.count > 0;
    if (has_address && (__builtin_mul_overflow(sector, sector_size.count, &begin) ||
                        __builtin_add_overflow(begin, length.count, &end))) {
      fail("a request whose last byte is below 2^64",
           fmt::format("sector {} and {} bytes", sector, length.count));
    }
    set_request(record, kind_of_mask(mask, length), Bytes{begin}, length);
  }

  static RequestKind kind_of_mask(std::uint32_t mask, Bytes length) {
    RequestKind request;
    const bool flush = (mask & flush_bit) != 0;
    if ((mask & passthrough_bit) != 0) {
      request.kind = Kind::other;
    } else if ((mask & discard_bit) != 0) {
      request.kind = Kind::trim;
    } else if ((mask & write_bit) != 0) {
      request.kind = Kind::write;
      request.flush_first = flush;
      request.durable = (mask & fua_bit) != 0;
    } else if (length.count > 0) {
      request.kind = Kind::read;
    } else {
      request.kind = flush ? Kind::flush : Kind::other;
    }
    return request;
  }

  ByteSource source_;
  std::uint64_t unit_ns_;
  char letter_;
  bool big_endian_ = false;
  std::int64_t number_ = 0;  // of the event, from 1
  DeviceNames devices_;
  std::optional<std::uint32_t> device_;  // of the last record
  std::uint32_t index_ = 0;              // of that device
  Notes notes_;
  std::vector<char> payload_;
  std::vector<char> buffer_ = std::vector<char>(1u << 16);
  std::size_t begin_ = 0;  // of what has not been handed out
  std::size_t end_ = 0;    // of what has been read
};

}  // namespace

std::unique_ptr<Reader> open_blktrace(ByteSource source, const ReaderOptions& options) {
  return std::make_unique<BlktraceReader>(std::move(source), options);
}

}  // namespace x25sim::trace
