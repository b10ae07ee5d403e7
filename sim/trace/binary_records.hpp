// A file of records of one size, in little-endian byte order.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "nand/errors.hpp"
#include "sim/trace/byte_source.hpp"

namespace x25sim::trace {

// The little-endian number at `offset` of `bytes`. Requires: it lies within them.
template <std::unsigned_integral Number>
Number little_endian(std::span<const char> bytes, std::size_t offset) {
  static_assert(std::endian::native == std::endian::little);
  Number number{};
  std::memcpy(&number, bytes.subspan(offset, sizeof number).data(), sizeof number);
  return number;
}

// Cuts a source into records.
class BinaryRecords {
 public:
  explicit BinaryRecords(ByteSource source) : source_(std::move(source)) {}

  // The next `size` bytes, fewer at the end of the file only; they are valid until the next call of
  // this or take(). Requires: size is at most buffer_size.
  std::span<const char> peek(std::size_t size);
  // The same, which are then behind. None at the end of the file. Throws InputError, with the
  // record's number, if the file ends within it.
  std::optional<std::span<const char>> take(std::size_t size);

  // The number of the record that was taken last, from 1.
  std::int64_t number() const { return number_; }
  // Where that is.
  SourceLocation where() const { return {source_.name(), number_}; }

  static constexpr std::size_t buffer_size = 1u << 16;

 private:
  ByteSource source_;
  std::array<char, buffer_size> buffer_{};
  std::size_t begin_ = 0;  // of what has not been taken
  std::size_t end_ = 0;    // of what has been read
  std::int64_t number_ = 0;
};

}  // namespace x25sim::trace
