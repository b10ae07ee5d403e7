// The binary traces of CloudPhysics, taken from VMware's virtual SCSI disks; records in
// little-endian byte order, of 32 bytes in version 1 and 40 in version 2:
//
//   version 1              version 2
//    0  serial number  32   0  operation code 16    SCSI operation code
//    4  length         32   2  version        16    of which the upper 8 bits count
//    8  segments       32   4  serial number  32
//   12  operation code 16   8  length         32    in bytes
//   14  version        16  12  segments       32
//   16  block          64  16  block          64    of 512 bytes
//   24  time           64  24  time           64    in us
//                          32  response time  64    of the traced machine, in us
//
// Which version it is, the first two records tell. An UNMAP has its ranges in its data, which is
// not in the trace: what the record says of block and length is kept, and that is noted.
#include <algorithm>
#include <fmt/format.h>

#include "sim/trace/binary_records.hpp"
#include "sim/trace/formats.hpp"
#include "sim/trace/line.hpp"
#include "sim/trace/scsi.hpp"

namespace x25sim::trace {

namespace {

// Where the fields are; 0 for the response time where there is none.
struct Layout {
  std::uint32_t version;
  std::size_t size, version_at, operation_code_at, length_at, block_at, time_at, response_at;
};
constexpr Layout version_1{1, 32, 14, 12, 4, 16, 24, 0};
constexpr Layout version_2{2, 40, 2, 0, 8, 16, 24, 32};

std::uint32_t version_of(std::span<const char> record, const Layout& layout) {
  return little_endian<std::uint16_t>(record, layout.version_at) >> 8;
}

// Whether the first records, one or two of them, are of that layout.
bool begins_with(std::span<const char> bytes, const Layout& layout) {
  if (bytes.size() < layout.size) return false;
  const std::size_t records = std::min<std::size_t>(bytes.size() / layout.size, 2);
  for (std::size_t i = 0; i < records; ++i) {
    const auto record = bytes.subspan(i * layout.size, layout.size);
    if (version_of(record, layout) != layout.version) return false;
  }
  return true;
}

class VscsiReader final : public Reader {
 public:
  VscsiReader(ByteSource source, const ReaderOptions& options)
      : records_(std::move(source)),
        unit_ns_(options.time_unit_ns.value_or(microsecond_ns)),
        skip_malformed_(options.skip_malformed) {
    const auto first = records_.peek(2 * version_2.size);
    if (first.empty()) return;
    if (begins_with(first, version_2)) {
      layout_ = version_2;
    } else if (!begins_with(first, version_1)) {
      fail(
          "expected vscsi records of version 1 (32 bytes) or 2 (40 bytes), found neither in the "
          "first two; libCacheSim's oracleGeneral files, which look alike, have no operations and "
          "can't drive a disk");
    }
    devices_.index("");
  }

  std::optional<Record> next() override {
    for (;;) {
      try {
        const auto bytes = records_.take(layout_.size);
        if (!bytes) return std::nullopt;
        const Record record = parse(*bytes);
        notes_.add_odd_sizes(record);
        return record;
      } catch (const InputError&) {
        if (!skip_malformed_) throw;
        ++malformed_;
        notes_.add(damaged_note, records_.number());
      }
    }
  }

  const DeviceNames& devices() const override { return devices_; }
  Notes notes() const override { return notes_; }
  std::uint64_t malformed() const override { return malformed_; }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(records_.where(), message);
  }

  Record parse(std::span<const char> bytes) {
    Record record;
    record.line = records_.number();
    if (version_of(bytes, layout_) != layout_.version) {
      fail(fmt::format("expected a record of version {}, found version {}", layout_.version,
                       version_of(bytes, layout_)));
    }
    const auto code = little_endian<std::uint16_t>(bytes, layout_.operation_code_at);
    record.kind = kind_of_scsi(code);
    if (record.kind == Kind::other) notes_.add(other_scsi_note, record.line);
    if (record.kind == Kind::trim) notes_.add(unmap_note, record.line);
    record.length = Bytes{little_endian<std::uint32_t>(bytes, layout_.length_at)};
    const auto block = little_endian<std::uint64_t>(bytes, layout_.block_at);
    const auto time = little_endian<std::uint64_t>(bytes, layout_.time_at);
    std::uint64_t end = 0;
    if (__builtin_mul_overflow(block, sector_size.count, &record.offset.count) ||
        __builtin_add_overflow(record.offset.count, record.length.count, &end)) {
      fail(
          fmt::format("expected a request whose last byte is below 2^64, found block {} and {} "
                      "bytes",
                      block, record.length.count));
    }
    if (__builtin_mul_overflow(time, unit_ns_, &record.time_ns)) {
      fail(fmt::format("expected a time below 2^64 ns, found {} times {} ns", time, unit_ns_));
    }
    if (layout_.response_at > 0) {
      const auto response = little_endian<std::uint64_t>(bytes, layout_.response_at);
      // Garbage is no reason to refuse the request.
      if (response < Record::unknown_response / unit_ns_) record.response_ns = response * unit_ns_;
    }
    return record;
  }

  BinaryRecords records_;
  Layout layout_ = version_1;
  std::uint64_t unit_ns_;
  bool skip_malformed_;
  DeviceNames devices_;
  Notes notes_;
  std::uint64_t malformed_ = 0;
};

}  // namespace

std::unique_ptr<Reader> open_vscsi(ByteSource source, const ReaderOptions& options) {
  return std::make_unique<VscsiReader>(std::move(source), options);
}

}  // namespace x25sim::trace
