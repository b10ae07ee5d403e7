// Reads of the drive: looking pages up, reading ahead, sending.
#include <algorithm>

#include "sim/drive/ssd.hpp"

namespace x25sim::drive {

// Looks up the command's pages as far as its window reaches.
void Ssd::request_pages(std::uint16_t number) {
  Command& command = commands_[number];
  const std::uint32_t limit = std::min(command.pages, command.pages_done + window_pages_);
  if (command.pages_requested == limit) return;
  while (command.pages_requested < limit) {
    const std::uint32_t position = command.pages_requested++;
    if (look_up(command, number, position)) command.ready |= std::uint64_t{1} << (position % 64);
  }
  if (command.pages_requested == command.pages) read_in_advance(command);
  flash_.start_reads();
  send_pages(number);
}

// Finds the page, and asks flash for it where need be; whether it can be sent right away.
bool Ssd::look_up(Command& command, std::uint16_t number, std::uint32_t position) {
  const Lpn page{command.first_page + position};
  const std::uint32_t slot = buffer_.find(page);
  const Ppn physical = ftl_.lookup(page);
  if (slot != WriteBuffer::none &&
      (physical == no_page || buffer_.covers(slot, sectors_in_page(command, position)))) {
    ++counters_.buffer_read_pages;
    return true;
  }
  switch (read_ahead_.claim(page, number, position)) {
    case ReadAhead::Claim::present: ++counters_.read_ahead_hit_pages; return true;
    case ReadAhead::Claim::arriving: ++counters_.read_ahead_hit_pages; return false;
    case ReadAhead::Claim::absent: break;
  }
  if (physical == no_page) {
    ++counters_.unmapped_read_pages;
    return true;
  }
  read_flash(page, {index(physical), position, number, FlashOperation::Kind::read_host});
  return false;
}

// Reads a page from where the map says it is. If garbage collection is still on its way to put it
// there, the read waits its turn behind that.
void Ssd::read_flash(Lpn page, const FlashOperation& operation) {
  const Ppn physical = ftl_.lookup(page);
  const BlockId block = config_.geometry.block_of(physical);
  const bool pending =
      flash_.has_ftl_operations(config_.geometry.die_of(block)) &&
      (ftl_.erase_count(block) != array_.erase_count(block) || !array_.is_programmed(physical));
  const auto cause =
      operation.kind == FlashOperation::Kind::read_rmw ? ftl::Cause::rmw : ftl::Cause::host;
  ++counters_.ftl.reads[static_cast<std::size_t>(cause)];
  flash_.read(operation, pending);
}

void Ssd::read_in_advance(const Command& command) {
  const workload::Request& request = command.request;
  const ReadAhead::Range range = read_ahead_.on_read(
      request.offset / sector_size, (request.offset + request.length) / sector_size,
      command.first_page + command.pages);
  const auto end =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(range.end, ftl_.logical_pages()));
  for (std::uint32_t number = range.first; number < end; ++number) {
    const Lpn page{number};
    const Ppn physical = ftl_.lookup(page);
    if (physical == no_page || buffer_.find(page) != WriteBuffer::none ||
        read_ahead_.contains(page)) {
      continue;
    }
    const auto slot = read_ahead_.allocate(page);
    if (!slot) return;
    ++counters_.read_ahead_pages;
    read_flash(page, {index(physical), 0, *slot, FlashOperation::Kind::read_ahead});
  }
}

void Ssd::on_page_sendable(const FlashOperation& operation) {
  std::uint16_t number = operation.owner;
  std::uint32_t position = operation.position;
  if (operation.kind == FlashOperation::Kind::read_ahead) {
    const auto waiter = read_ahead_.arrived(operation.owner);
    if (!waiter) return;
    number = waiter->owner;
    position = waiter->position;
  }
  commands_[number].ready |= std::uint64_t{1} << (position % 64);
  send_pages(number);
}

// Asks for the link when the next pages in order are there.
void Ssd::send_pages(std::uint16_t number) {
  Command& command = commands_[number];
  if (command.pages_sent != command.pages_done || command.pages_sent == command.pages) return;
  const std::uint32_t pages = std::min(pages_per_transfer_, command.pages - command.pages_sent);
  for (std::uint32_t i = 0; i < pages; ++i) {
    if ((command.ready >> ((command.pages_sent + i) % 64) & 1) == 0) return;
  }
  command.pages_sent += pages;
  queue_transfer({number, Transfer::read_data, pages});
}

void Ssd::finish_read_data(const LinkJob& job) {
  Command& command = commands_[job.command];
  for (std::uint32_t i = 0; i < job.pages; ++i) {
    command.ready &= ~(std::uint64_t{1} << ((command.pages_done + i) % 64));
  }
  command.pages_done += job.pages;
  if (command.pages_done == command.pages) {
    complete(job.command);
    return;
  }
  request_pages(job.command);
  send_pages(job.command);
}

}  // namespace x25sim::drive
