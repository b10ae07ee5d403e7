#include "sim/drive/flash_scheduler.hpp"

#include <algorithm>
#include <utility>

#include "nand/check.hpp"

namespace x25sim::drive {

namespace {

using Kind = FlashOperation::Kind;

// How many queued reads a die looks through for one that another plane can perform with the first.
constexpr std::size_t pairing_reach = 8;

// Operations that one host page makes the FTL queue at most, as a rule: it may clean a whole
// victim, every page by a read and a program. The queues grow where more come together.
std::size_t usual_ftl_operations(const DriveConfig& config) {
  return 2 * std::size_t{config.geometry.pages_per_block} + 2;
}

bool goes_to_host(const FlashOperation& operation) {
  return operation.kind == Kind::read_host || operation.kind == Kind::read_ahead;
}

bool is_for_host(const FlashOperation& operation) {
  return operation.owner != FlashScheduler::no_owner &&
         operation.owner != FlashScheduler::idle_owner;
}

const char* label(Kind kind) {
  switch (kind) {
    case Kind::read_host: return "read";
    case Kind::read_ahead: return "read ahead";
    case Kind::read_rmw: return "read for modify";
    case Kind::read_gc: return "gc read";
    case Kind::program: return "program";
    case Kind::erase: return "erase";
  }
  return "";
}

}  // namespace

FlashScheduler::FlashScheduler(const DriveConfig& config, kernel::Kernel& kernel,
                               nand::FlashArray& array, FlashClient& client,
                               std::uint32_t max_reads)
    : geometry_(config.geometry),
      timing_(config.timing),
      transfer_time_(config.timing.transfer_time(config.geometry)),
      cut_through_(config.controller.cut_through),
      two_plane_reads_allowed_(config.controller.two_plane_reads &&
                               config.geometry.planes_per_die > 1),
      copies_cross_dies_(config.ftl.superblock_dies > 1),
      slots_per_channel_(config.controller.program_slots_per_channel),
      slots_(config.controller.program_slots),
      kernel_(kernel),
      array_(array),
      client_(client),
      drive_slot_waiters_(config.geometry.channels) {
  dies_to_start_.reserve(max_reads);
  dies_.reserve(geometry_.dies());
  for (std::uint32_t die = 0; die < geometry_.dies(); ++die) {
    dies_.emplace_back(max_reads, usual_ftl_operations(config) + max_reads);
  }
  channels_.reserve(geometry_.channels);
  for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) {
    channels_.emplace_back(geometry_.dies_per_channel());
  }
}

void FlashScheduler::observe(Resource resource, std::uint32_t number, const char* what,
                             Duration duration, std::uint32_t detail) {
  if (observer_ != nullptr) {
    observer_->on_span({resource, number, what, kernel_.now(), duration, detail});
  }
}

void FlashScheduler::on_event(std::uint32_t number) {
  if (number >= geometry_.channels) {
    finish_array_operation(number - geometry_.channels);
    return;
  }
  Channel& channel = channels_[number];
  if (!channel.sendable_due) {
    finish_transfer(number);
    return;
  }
  channel.sendable_due = false;
  kernel_.schedule(channel_leaf(number), channel.end);
  const Die& die = dies_[channel.die];
  client_.on_page_sendable(die.operation[die.pages_sent]);
}

void FlashScheduler::read(const FlashOperation& operation, bool in_order) {
  const std::uint32_t number = index(geometry_.die_of(Ppn{operation.target}));
  if (in_order) {
    queue_ftl_operation(number, operation);
    return;
  }
  dies_[number].reads.push(operation);
  dies_to_start_.push_back(number);
}

void FlashScheduler::start_reads() {
  for (const std::uint32_t number : dies_to_start_) {
    const Die& die = dies_[number];
    if (die.reads.empty()) continue;  // performed together with an earlier one
    if (die.state == DieState::waiting_in) withdraw_program(number);
    if (die.state == DieState::idle) start_next(number);
  }
  dies_to_start_.clear();
}

void FlashScheduler::read(Ppn page, ftl::Cause /*cause*/) {
  copy_ = copies_cross_dies_ ? begin_copy() : no_copy;
  queue_ftl_operation(index(geometry_.die_of(page)),
                      {index(page), copy_, collection_owner_, Kind::read_gc});
}

void FlashScheduler::program(Ppn page, ftl::Cause cause) {
  const bool for_host = cause == ftl::Cause::host || cause == ftl::Cause::rmw;
  const std::uint32_t number = index(geometry_.die_of(page));
  Die& die = dies_[number];
  if (for_host) {
    ++die.host_programs;
    const bool finds_idle_collection =
        die.ftl_operation_active
            ? die.operation[0].owner == idle_owner
            : !die.ftl_operations.empty() && die.ftl_operations.front().owner == idle_owner;
    if (finds_idle_collection && !die.gc_start) die.gc_start = kernel_.now();
  }
  queue_ftl_operation(number, {index(page), for_host ? no_copy : copy_,
                               for_host ? program_owner_ : collection_owner_, Kind::program});
}

void FlashScheduler::erase(BlockId block) {
  queue_ftl_operation(index(geometry_.die_of(block)),
                      {index(block), 0, collection_owner_, Kind::erase});
}

void FlashScheduler::queue_ftl_operation(std::uint32_t number, const FlashOperation& operation) {
  Die& die = dies_[number];
  die.ftl_operations.push(operation);
  if (die.state == DieState::idle) start_next(number);
}

std::uint32_t FlashScheduler::begin_copy() {
  if (free_copies_.empty()) {
    free_copies_.push_back(static_cast<std::uint32_t>(copies_.size()));
    copies_.emplace_back();
  }
  const std::uint32_t number = free_copies_.back();
  free_copies_.pop_back();
  copies_[number] = {};
  return number;
}

// Whether a program can begin on die `number`; not while the page that it is a copy of is still to
// come from another die.
bool FlashScheduler::has_data(std::uint32_t number, FlashOperation& operation) {
  if (operation.kind != Kind::program || operation.position == no_copy) return true;
  Copy& copy = copies_[operation.position];
  if (!copy.fetched) {
    copy.waiting_die = number;
    return false;
  }
  free_copies_.push_back(std::exchange(operation.position, no_copy));
  return true;
}

// The page of a copy has crossed the channel.
void FlashScheduler::fetch_copy(std::uint32_t number) {
  copies_[number].fetched = true;
  const std::uint32_t die = copies_[number].waiting_die;
  if (die != no_die && dies_[die].state == DieState::idle) start_next(die);
}

// A program that has not begun to transfer gives way to a read: it goes back to the head of its
// queue and asks for the channel again later.
void FlashScheduler::withdraw_program(std::uint32_t number) {
  Die& die = dies_[number];
  Ring<std::uint32_t>& in = channels_[channel_of(number)].in;
  std::size_t position = 0;
  while (in[position] != number) ++position;
  in.take(position);
  die.ftl_operations.push_front(die.operation[0]);
  die.ftl_operation_active = false;
  die.state = DieState::idle;
  --active_dies_;
}

void FlashScheduler::start_next(std::uint32_t number) {
  Die& die = dies_[number];
  if (!die.reads.empty()) {
    die.ftl_operation_active = false;
    start_read(number, die.reads.pop());
    return;
  }
  if (die.ftl_operations.empty()) return;
  note_gc(die, die.ftl_operations.front());
  if (!has_data(number, die.ftl_operations.front())) return;
  die.ftl_operation_active = true;
  const FlashOperation operation = die.ftl_operations.pop();
  switch (operation.kind) {
    case Kind::read_host:
    case Kind::read_ahead:
    case Kind::read_rmw:
    case Kind::read_gc: start_read(number, operation); break;
    case Kind::program:
      ++active_dies_;
      die.operation[0] = operation;
      die.state = DieState::waiting_in;
      channels_[channel_of(number)].in.push(number);
      grant(channel_of(number));
      break;
    case Kind::erase:
      ++active_dies_;
      die.operation[0] = operation;
      die.state = DieState::erasing;
      die_busy_.begin(kernel_.now());
      observe(Resource::die, number, label(Kind::erase), timing_.erase_time, operation.target);
      kernel_.schedule(die_leaf(number), kernel_.now() + timing_.erase_time);
      break;
  }
}

void FlashScheduler::note_gc(Die& die, const FlashOperation& operation) {
  if (operation.owner == no_owner && !die.gc_start) die.gc_start = kernel_.now();
  if (operation.kind == Kind::program && is_for_host(operation) && die.gc_start) {
    gc_pauses_.add(kernel_.now() - *die.gc_start);
    die.gc_start.reset();
  }
}

void FlashScheduler::start_read(std::uint32_t number, const FlashOperation& operation) {
  Die& die = dies_[number];
  ++active_dies_;
  die_busy_.begin(kernel_.now());
  die.operation[0] = operation;
  die.pages = 1;
  die.pages_sent = 0;
  const Ppn page{operation.target};
  if (two_plane_reads_allowed_ && !die.ftl_operation_active) pair_read(die);
  if (die.pages == 2) {
    array_.read_two_planes(page, Ppn{die.operation[1].target});
    ++two_plane_reads_;
  } else {
    array_.read(page);
  }
  die.state = DieState::reading;
  Duration duration{};  // until the slower of two planes is ready
  for (std::uint8_t i = 0; i < die.pages; ++i) {
    const Ppn target{die.operation[i].target};
    const std::uint32_t erases = array_.erase_count(geometry_.block_of(target));
    duration = std::max(duration,
                        nand::spread_time(timing_.read_time, timing_.spread_ppm, target, erases));
  }
  observe(Resource::die, number, label(operation.kind), duration, operation.target);
  kernel_.schedule(die_leaf(number), kernel_.now() + duration);
}

// Adds the first queued read that another plane of the die can perform at the same time.
void FlashScheduler::pair_read(Die& die) {
  const std::size_t reach = std::min(die.reads.size(), pairing_reach);
  for (std::size_t i = 0; i < reach; ++i) {
    if (nand::can_pair(geometry_, Ppn{die.operation[0].target}, Ppn{die.reads[i].target})) {
      die.operation[1] = die.reads.take(i);
      die.pages = 2;
      return;
    }
  }
}

void FlashScheduler::finish_array_operation(std::uint32_t number) {
  Die& die = dies_[number];
  const std::uint32_t channel = channel_of(number);
  const FlashOperation operation = die.operation[0];
  switch (die.state) {
    case DieState::reading:
      die.state = DieState::waiting_out;
      channels_[channel].out.push(number);
      grant(channel);
      return;
    case DieState::programming:
      array_.program(Ppn{operation.target});
      release_slot(channel);
      break;
    case DieState::erasing: array_.erase(BlockId{operation.target}); break;
    case DieState::idle:
    case DieState::waiting_out:
    case DieState::sending:
    case DieState::waiting_in:
    case DieState::receiving: X25_CHECK(false, "an array operation ended that never began");
  }
  --active_dies_;
  die_busy_.end(kernel_.now());
  die.state = DieState::idle;
  die.ftl_operation_active = false;
  start_next(number);
  if (operation.kind == Kind::program && is_for_host(operation)) {
    --die.host_programs;
    client_.on_page_programmed(operation);
  }
}

void FlashScheduler::finish_transfer(std::uint32_t number) {
  Channel& channel = channels_[number];
  const std::uint32_t die_number = channel.die;
  Die& die = dies_[die_number];
  channel.die = no_die;
  channel_busy_.end(kernel_.now());
  if (die.state == DieState::receiving) {
    die.state = DieState::programming;
    const Ppn page{die.operation[0].target};
    const Duration duration = nand::spread_time(timing_.program_time, timing_.spread_ppm, page,
                                                array_.erase_count(geometry_.block_of(page)));
    observe(Resource::die, die_number, label(Kind::program), duration, index(page));
    kernel_.schedule(die_leaf(die_number), kernel_.now() + duration);
    grant(number);
    return;
  }
  const FlashOperation operation = die.operation[die.pages_sent++];
  if (die.pages_sent < die.pages) {
    die.state = DieState::waiting_out;
    channel.out.push(die_number);
  } else {
    --active_dies_;
    die_busy_.end(kernel_.now());
    die.state = DieState::idle;
    die.ftl_operation_active = false;
    start_next(die_number);
  }
  grant(number);
  if (operation.kind == Kind::read_gc && operation.position != no_copy) {
    fetch_copy(operation.position);
  }
  if (operation.kind == Kind::read_rmw) client_.on_page_fetched(operation);
  if (goes_to_host(operation) && cut_through_ == Duration{}) client_.on_page_sendable(operation);
}

// Lets the next transfer begin if the channel is free.
void FlashScheduler::grant(std::uint32_t number) {
  Channel& channel = channels_[number];
  if (channel.die != no_die) return;
  if (!channel.out.empty()) {
    begin_sending(number, channel.out.pop());
    return;
  }
  if (channel.in.empty() || channel.slots_in_use == slots_per_channel_) return;
  if (slot_busy_.in_use() < slots_) {
    begin_receiving(number, channel.in.pop());
  } else if (!channel.waits_for_drive_slot) {
    channel.waits_for_drive_slot = true;
    drive_slot_waiters_.push(number);
  }
}

void FlashScheduler::begin_sending(std::uint32_t number, std::uint32_t die_number) {
  Channel& channel = channels_[number];
  Die& die = dies_[die_number];
  const FlashOperation& operation = die.operation[die.pages_sent];
  die.state = DieState::sending;
  channel.die = die_number;
  channel.end = kernel_.now() + transfer_time_;
  channel.sendable_due = goes_to_host(operation) && cut_through_ > Duration{};
  channel_busy_.begin(kernel_.now());
  observe(Resource::channel, number, label(operation.kind), transfer_time_, operation.target);
  kernel_.schedule(channel_leaf(number),
                   channel.sendable_due ? channel.end - cut_through_ : channel.end);
}

void FlashScheduler::begin_receiving(std::uint32_t number, std::uint32_t die_number) {
  Channel& channel = channels_[number];
  Die& die = dies_[die_number];
  die.state = DieState::receiving;
  die_busy_.begin(kernel_.now());
  channel.die = die_number;
  ++channel.slots_in_use;
  slot_busy_.begin(kernel_.now());
  channel_busy_.begin(kernel_.now());
  observe(Resource::channel, number, label(Kind::program), transfer_time_, die.operation[0].target);
  kernel_.schedule(channel_leaf(number), kernel_.now() + transfer_time_);
}

// Frees a program slot and gives it to whoever has waited longest for one.
void FlashScheduler::release_slot(std::uint32_t number) {
  --channels_[number].slots_in_use;
  slot_busy_.end(kernel_.now());
  while (!drive_slot_waiters_.empty() && slot_busy_.in_use() < slots_) {
    const std::uint32_t waiting = drive_slot_waiters_.pop();
    channels_[waiting].waits_for_drive_slot = false;
    grant(waiting);
  }
  grant(number);
}

}  // namespace x25sim::drive
