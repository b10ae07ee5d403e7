#include "sim/trace/binary_records.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "nand/check.hpp"

namespace x25sim::trace {

std::span<const char> BinaryRecords::peek(std::size_t size) {
  X25_CHECK(size <= buffer_size);
  if (end_ - begin_ < size) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    while (end_ < size) {
      const std::size_t more = source_.read(std::span(buffer_).subspan(end_));
      if (more == 0) break;
      end_ += more;
    }
  }
  return std::span(buffer_).subspan(begin_, std::min(size, end_ - begin_));
}

std::optional<std::span<const char>> BinaryRecords::take(std::size_t size) {
  const std::span<const char> record = peek(size);
  if (record.empty()) return std::nullopt;
  ++number_;
  begin_ += record.size();
  if (record.size() < size) {
    throw InputError(where(),
                     fmt::format("expected a record of {} bytes, found the end of the file "
                                 "after {} of them",
                                 size, record.size()));
  }
  return record;
}

}  // namespace x25sim::trace
