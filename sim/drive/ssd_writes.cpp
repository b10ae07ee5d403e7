// Writes of the drive: receiving data, the back stage of the firmware, dispatch to the FTL.
#include <algorithm>

#include "sim/drive/ssd.hpp"

namespace x25sim::drive {

// Asks the host for the next data of the oldest write command, if the buffer has room for them.
void Ssd::receive_data() {
  if (data_requested_ || receiving_.empty()) return;
  Command& command = commands_[receiving_.front()];
  const std::uint32_t pages = std::min(pages_per_transfer_, command.pages - command.pages_sent);
  const bool full = buffer_.available() < pages;
  if (full != (buffer_full_.in_use() > 0)) {
    full ? buffer_full_.begin(kernel_.now()) : buffer_full_.end(kernel_.now());
  }
  if (full) return;
  buffer_.reserve(pages);
  data_requested_ = true;
  command.pages_sent += pages;
  queue_transfer({receiving_.front(), Transfer::write_data, pages});
}

void Ssd::finish_write_data(const LinkJob& job) {
  Command& command = commands_[job.command];
  for (std::uint32_t i = 0; i < job.pages; ++i) {
    const std::uint32_t position = command.pages_done + i;
    const Lpn page{command.first_page + position};
    read_ahead_.invalidate(page);
    ftl_.prefetch(page);
    if (buffer_.insert(page, sectors_in_page(command, position))) {
      ++counters_.buffer_merged_pages;
    }
    if (!config_.controller.write_cache) {
      waiting_for_program_[buffer_.find(page)].push_back(job.command);
    }
  }
  command.pages_done += job.pages;
  data_requested_ = false;
  if (command.pages_done == command.pages) {
    receiving_.pop();
    if (config_.controller.write_cache) {
      complete(job.command);
    } else {
      complete_if_programmed(job.command);
    }
  }
  start_back();
  receive_data();
}

// The back stage works on one run of consecutive pages at a time, and on none while the flash has
// no room for the pages that it has worked on.
void Ssd::start_back() {
  if (back_active_ || !dispatch_.empty() || !buffer_.has_waiting()) return;
  run_.clear();
  buffer_.take_run(config_.firmware.run_pages, run_);
  back_active_ = true;
  const Duration duration = config_.firmware.back_per_run;
  back_start_ = kernel_.now();
  back_load_ = buffer_.has_waiting() ? duration
                                     : duration * static_cast<Duration::rep>(run_.size()) /
                                           config_.firmware.run_pages;
  observe(Resource::firmware_back, "map update", duration, run_.size());
  kernel_.schedule(first_leaf_ + back_resource, kernel_.now() + duration);
}

void Ssd::finish_back() {
  back_active_ = false;
  counters_.back_busy += back_load_;
  for (const std::uint32_t slot : run_) dispatch_.push(slot);
  dispatch();
}

// Hands pages to the FTL, in order, until a die has as many as it may have waiting.
void Ssd::dispatch() {
  while (!dispatch_.empty()) {
    if (die_is_full_ && flash_.host_programs(full_die_) >= config_.firmware.program_queue_per_die) {
      return;
    }
    die_is_full_ = false;
    const std::uint32_t slot = dispatch_.pop();
    if (buffer_.is_complete(slot)) {
      program_page(slot);
      continue;
    }
    const Lpn page = buffer_.page(slot);
    const Ppn physical = ftl_.lookup(page);
    if (physical == no_page) {
      buffer_.complete(slot);
      program_page(slot);
    } else {
      read_flash(page, {index(physical), 0, static_cast<std::uint16_t>(slot),
                        FlashOperation::Kind::read_rmw});
      flash_.start_reads();
    }
  }
  start_back();
}

void Ssd::program_page(std::uint32_t slot) {
  buffer_.begin_program(slot);
  flash_.set_program_owner(static_cast<std::uint16_t>(slot));
  const Lpn page = buffer_.page(slot);
  ftl_.write(page, buffer_.cause(slot), flash_);
  count_host_page();
  full_die_ = config_.geometry.die_of(ftl_.lookup(page));
  die_is_full_ = flash_.host_programs(full_die_) >= config_.firmware.program_queue_per_die;
}

void Ssd::on_page_fetched(const FlashOperation& operation) {
  buffer_.complete(operation.owner);
  dispatch_.push(operation.owner);
  dispatch();
}

// Reports a write that is on flash.
void Ssd::complete_if_programmed(std::uint16_t number) {
  const Command& command = commands_[number];
  if (command.pages_done < command.pages || command.pages_programmed < command.pages) return;
  queue_transfer({number, Transfer::write_status, 0});
}

void Ssd::on_page_programmed(const FlashOperation& operation) {
  buffer_.release(operation.owner);
  if (!config_.controller.write_cache) {
    for (const std::uint16_t number : waiting_for_program_[operation.owner]) {
      ++commands_[number].pages_programmed;
      complete_if_programmed(number);
    }
    waiting_for_program_[operation.owner].clear();
  }
  dispatch();
  receive_data();
  serve_drained();
}

}  // namespace x25sim::drive
