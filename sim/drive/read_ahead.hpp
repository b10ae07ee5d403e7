// Read-ahead: pages read from flash before the host asks for them.
//
// Models: detection of sequential streams, a buffer of pages each used once. Does not model:
// backward or strided streams.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nand/ids.hpp"
#include "sim/drive/page_index.hpp"

namespace x25sim::drive {

class ReadAhead {
 public:
  // Follows `streams` streams, each `pages` pages ahead; none where either is 0.
  ReadAhead(std::uint32_t streams, std::uint32_t pages);

  struct Range {
    std::uint32_t first = 0;  // logical pages [first, end)
    std::uint32_t end = 0;
  };

  // A read of sectors [first_sector, end_sector) has been served; its last page is `end_page` - 1.
  // Returns the pages to read in advance: none unless the read continued a stream.
  Range on_read(std::uint64_t first_sector, std::uint64_t end_sector, std::uint32_t end_page);

  enum class Claim : std::uint8_t { absent, present, arriving };
  // Command `owner` wants `page` as its page number `position`. A page that is present is thereby
  // used up; of one that is arriving arrived() will tell the owner.
  Claim claim(Lpn page, std::uint16_t owner, std::uint32_t position);

  bool contains(Lpn page) const { return index_.find(page) != PageIndex::none; }

  // Room for a page that will be read; pages that nobody came for make way, oldest first. The slot,
  // or nothing if the oldest slot is still in use; the stream just continued then goes on from this
  // page with its next read.
  std::optional<std::uint16_t> allocate(Lpn page);

  struct Waiter {
    std::uint16_t owner;
    std::uint32_t position;
  };
  // The page of slot `number` has arrived; who waits for it, if somebody does.
  std::optional<Waiter> arrived(std::uint16_t number);

  // The contents of `page` have changed.
  void invalidate(Lpn page);
  // The contents of any page may have changed.
  void invalidate_all();

 private:
  struct Stream {
    std::uint64_t next_sector = ~std::uint64_t{0};
    std::uint32_t read_to = 0;  // pages before this one have been read in advance
    std::uint64_t used = 0;
  };
  enum class State : std::uint8_t {
    unused,
    arriving,
    claimed,  // arriving, and somebody waits
    stale,    // arriving, and of no use any more
    present,
  };
  struct Slot {
    Lpn page = no_logical_page;
    State state = State::unused;
    Waiter waiter{};
  };

  void discard(std::uint32_t number);

  std::uint32_t pages_ahead_;
  std::vector<Stream> streams_;
  std::vector<Slot> slots_;
  PageIndex index_;  // slots that are arriving or present
  std::uint32_t next_slot_ = 0;
  std::uint64_t reads_ = 0;
};

}  // namespace x25sim::drive
