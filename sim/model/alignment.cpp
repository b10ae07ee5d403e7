#include "sim/model/alignment.hpp"

#include "nand/check.hpp"

namespace x25sim::model {

Alignment alignment(Bytes offset, Bytes length, Bytes page) {
  X25_CHECK(length.count > 0);
  X25_CHECK(page.count > 0);
  const Bytes end = offset + length;
  X25_CHECK(end > offset);
  const std::uint64_t pages = (end - Bytes{1}) / page - offset / page + 1;
  const std::uint64_t at_begin = (offset % page).count > 0 ? 1 : 0;
  const std::uint64_t at_end = (end % page).count > 0 ? 1 : 0;
  const std::uint64_t partial = pages == 1 ? at_begin | at_end : at_begin + at_end;
  const double programmed = static_cast<double>(pages) * static_cast<double>(page.count);
  return {pages, partial, programmed / static_cast<double>(length.count)};
}

}  // namespace x25sim::model
