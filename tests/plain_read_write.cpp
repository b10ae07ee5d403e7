// The plain drive's reads, read-ahead, write buffer and back stage.
#include <algorithm>
#include <utility>

#include "tests/plain_engine.hpp"

namespace x25sim::plain {

// ---- reads

void PlainDrive::look_up_pages(std::size_t number) {
  Command& command = commands_.at(number);
  while (command.looked_up < command.pages &&
         command.looked_up < command.crossed + config_.window_pages) {
    look_up(number, command.looked_up++);
    if (command.looked_up == command.pages) note_for_read_ahead(command);
  }
  dies_.begin_reads();
  send_ready_pages(number);
}

void PlainDrive::look_up(std::size_t number, std::uint64_t position) {
  Command& command = commands_.at(number);
  const std::uint64_t page = command.first_page + position;
  const Slot* slot = buffered(page);
  if (slot != nullptr &&
      (slot->complete || covers(slot->written, wanted_sectors(command.request, page)) ||
       !ftl_.has_data(page))) {
    ++counts_.buffer_read_pages;
    command.ready[position] = true;
    return;
  }
  if (claim_read_ahead(number, position)) return;
  if (!ftl_.has_data(page)) {
    ++counts_.unmapped_read_pages;
    command.ready[position] = true;
    return;
  }
  ++counts_.host_reads;
  DieOperation read{{StepKind::read, ftl_.location(page), {}}, {}, {}, {}};
  read.sendable = [this, number, position] {
    commands_.at(number).ready[position] = true;
    send_ready_pages(number);
  };
  dies_.queue_read(read);
}

bool PlainDrive::claim_read_ahead(std::size_t number, std::uint64_t position) {
  Command& command = commands_.at(number);
  for (AheadSlot& slot : ahead_) {
    if (slot.page != command.first_page + position) continue;
    ++counts_.read_ahead_hit_pages;
    slot.page.reset();
    if (slot.arriving) {
      slot.waiting = [this, number, position] {
        commands_.at(number).ready[position] = true;
        send_ready_pages(number);
      };
    } else {
      command.ready[position] = true;
    }
    return true;
  }
  return false;
}

void PlainDrive::send_ready_pages(std::size_t number) {
  Command& command = commands_.at(number);
  if (command.asked > command.crossed) return;  // one turn at a time
  const std::uint64_t pages = std::min(pages_per_turn(), command.pages - command.asked);
  for (std::uint64_t i = 0; i < pages; ++i) {
    if (!command.ready[command.asked + i]) return;
  }
  Turn turn = data_turn(command, pages);
  command.asked += pages;
  turn.ended = [this, number, pages] {
    Command& sent = commands_.at(number);
    sent.crossed += pages;
    if (sent.crossed == sent.pages) return complete(number);
    look_up_pages(number);
  };
  ask_link(std::move(turn));
}

void PlainDrive::note_for_read_ahead(const Command& command) {
  if (ahead_.empty()) return;
  const Request& request = command.request;
  const std::uint64_t end = request.first_sector + request.sectors;
  const std::uint64_t end_page = command.first_page + command.pages;
  const std::uint64_t now = ++stream_uses_;
  for (ReadStream& stream : streams_) {
    if (stream.end != request.first_sector) continue;
    stream = {end, std::max(stream.ahead, end_page), now};
    const std::uint64_t pages = divide_up(config_.sectors, sectors_per_page());
    read_ahead(stream, stream.ahead, std::min(end_page + config_.read_ahead_pages, pages));
    return;
  }
  *std::min_element(streams_.begin(), streams_.end(), [](const ReadStream& a, const ReadStream& b) {
    return a.used < b.used;
  }) = {end, end_page, now};
}

void PlainDrive::read_ahead(ReadStream& stream, std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t page = first; page < end; ++page) {
    if (ftl_.has_data(page) && buffered(page) == nullptr && !is_read_ahead(page)) {
      if (ahead_[ahead_place_].arriving) {
        ++counts_.read_ahead_stops;
        return;
      }
      fill_ahead_slot(ahead_place_, page);
      ahead_place_ = (ahead_place_ + 1) % ahead_.size();
    }
    stream.ahead = page + 1;
  }
}

void PlainDrive::fill_ahead_slot(std::size_t place, std::uint64_t page) {
  ++counts_.read_ahead_pages;
  ++counts_.host_reads;
  ahead_[place] = {page, true, {}};
  DieOperation read{{StepKind::read, ftl_.location(page), {}}, {}, {}, {}};
  read.sendable = [this, place] {
    ahead_[place].arriving = false;
    const std::function<void()> waiting = std::exchange(ahead_[place].waiting, {});
    if (waiting) waiting();
  };
  dies_.queue_read(read);
}

bool PlainDrive::is_read_ahead(std::uint64_t page) const {
  return std::any_of(ahead_.begin(), ahead_.end(),
                     [page](const AheadSlot& slot) { return slot.page == page; });
}

void PlainDrive::forget_read_ahead(std::uint64_t page) {
  for (AheadSlot& slot : ahead_) {
    if (slot.page == page) slot.page.reset();
  }
}

// ---- writes

void PlainDrive::fetch_data() {
  if (data_asked_ || receiving_.empty()) return;
  const std::size_t number = receiving_.front();
  Command& command = commands_.at(number);
  const std::uint64_t pages = std::min(pages_per_turn(), command.pages - command.asked);
  if (buffer_.size() + slots_reserved_ + pages > config_.buffer_pages) return;
  slots_reserved_ += pages;
  data_asked_ = true;
  Turn turn = data_turn(command, pages);
  command.asked += pages;
  if (command.asked == command.pages) receiving_.pop_front();
  turn.ended = [this, number, pages] { take_data(number, pages); };
  ask_link(std::move(turn));
}

void PlainDrive::take_data(std::size_t number, std::uint64_t pages) {
  Command& command = commands_.at(number);
  data_asked_ = false;
  slots_reserved_ -= pages;
  for (std::uint64_t i = 0; i < pages; ++i) buffer_page(command, command.crossed + i);
  command.crossed += pages;
  if (command.crossed == command.pages) complete(number);
  fetch_data();
  start_run();
}

void PlainDrive::buffer_page(const Command& command, std::uint64_t position) {
  const std::uint64_t page = command.first_page + position;
  const std::vector<bool> written = wanted_sectors(command.request, page);
  forget_read_ahead(page);
  Slot* previous = buffered(page);
  if (previous != nullptr && !previous->handed_to_flash) {
    ++counts_.buffer_merged_pages;
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written[i]) previous->written[i] = true;
    }
    return;
  }
  const std::uint64_t slot = ++slots_taken_;
  // The rest of a page comes from its previous version, if that is still here.
  buffer_[slot] = {page, written, previous != nullptr, false, false};
  waiting_pages_.push_back(slot);
  if (previous == nullptr) return;
  previous->outdated = true;
  ++counts_.second_versions;
}

void PlainDrive::start_run() {
  if (back_busy_ || !dispatch_queue_.empty() || waiting_pages_.empty()) return;
  std::vector<std::uint64_t> run;
  while (!waiting_pages_.empty() && run.size() < config_.run_pages) {
    const std::uint64_t slot = waiting_pages_.front();
    if (!run.empty() && buffer_.at(slot).page != buffer_.at(run.back()).page + 1) break;
    waiting_pages_.pop_front();
    run.push_back(slot);
  }
  back_busy_ = true;
  // Where no page is left waiting, a longer run would have taken the same time.
  const auto share = static_cast<std::int64_t>(run.size());
  counts_.back_busy += waiting_pages_.empty() ? config_.back_per_run * share / config_.run_pages
                                              : config_.back_per_run;
  events_.after(config_.back_per_run, back, [this, run] {
    back_busy_ = false;
    dispatch_queue_.insert(dispatch_queue_.end(), run.begin(), run.end());
    dispatch();
  });
}

void PlainDrive::dispatch() {
  while (!dispatch_queue_.empty() && !full_die_) {
    const std::uint64_t number = dispatch_queue_.front();
    dispatch_queue_.pop_front();
    const Slot& slot = buffer_.at(number);
    if (slot.complete || is_whole(slot.written) || !ftl_.has_data(slot.page)) {
      program(number);
    } else {
      fetch_rest(number);
    }
  }
  start_run();
}

void PlainDrive::fetch_rest(std::uint64_t number) {
  ++counts_.rmw_reads;
  DieOperation read{{StepKind::read, ftl_.location(buffer_.at(number).page), {}}, {}, {}, {}};
  read.crossed = [this, number] {
    buffer_.at(number).complete = true;
    dispatch_queue_.push_back(number);
    dispatch();
  };
  dies_.queue_read(read);
  dies_.begin_reads();
}

void PlainDrive::program(std::uint64_t number) {
  Slot& slot = buffer_.at(number);
  slot.handed_to_flash = true;
  slot.complete = true;  // what was never written is zero
  ++(is_whole(slot.written) ? counts_.host_programs : counts_.rmw_programs);
  std::vector<FlashStep> steps;
  ftl_.write(slot.page, [&steps](const FlashStep& step) { steps.push_back(step); });
  const std::uint32_t die = index(config_.geometry.die_of(steps.back().page));
  if (++host_pages_[die] >= config_.program_queue_per_die) {
    full_die_ = die;
    ++counts_.dispatch_stops;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    DieOperation operation{steps[i], {}, {}, {}};
    if (i + 1 == steps.size()) {
      operation.done = [this, number, die] {
        buffer_.erase(number);
        if (--host_pages_[die] < config_.program_queue_per_die && full_die_ == die) {
          full_die_.reset();
        }
        fetch_data();
        dispatch();
        check_buffer_is_empty();
      };
    }
    dies_.queue_decided(operation);
  }
}

}  // namespace x25sim::plain
