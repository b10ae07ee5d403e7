// The dies and channels of ARCHITECTURE.md, "The timed drive", once more and plainly: one queue of
// events, a function in each, and every queue searched from its beginning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "nand/geometry.hpp"
#include "nand/timing.hpp"
#include "nand/units.hpp"
#include "tests/plain_ftl.hpp"

namespace x25sim::plain {

// What happens when, in the order of time, then of the resource's number, then of scheduling.
class Events {
 public:
  Time now() const { return now_; }

  void after(Duration delay, std::uint32_t resource, std::function<void()> action) {
    events_.emplace(Key{now_ + delay, resource, ++scheduled_}, std::move(action));
  }

  void run_all() {
    while (!events_.empty()) {
      const auto first = events_.begin();
      now_ = std::get<Time>(first->first);
      const std::function<void()> action = std::move(first->second);
      events_.erase(first);
      action();
    }
  }

 private:
  using Key = std::tuple<Time, std::uint32_t, std::uint64_t>;

  std::map<Key, std::function<void()>> events_;
  Time now_{};
  std::uint64_t scheduled_ = 0;
};

struct DieConfig {
  std::uint32_t slots_per_channel = 2;
  std::optional<std::uint32_t> drive_slots;
  Duration cut_through{};
  bool two_plane_reads = true;
};

// A flash operation on its way through its die, and whom to tell.
struct DieOperation {
  FlashStep step;
  std::function<void()> sendable;  // of a read for the host: the link may start to send the page
  std::function<void()> crossed;   // of a read: the page has crossed the channel
  std::function<void()> done;      // of a program
};

class Dies {
 public:
  struct Counts {
    std::uint64_t two_plane_reads = 0;
    std::uint64_t reads_in_ftl_order = 0;
    std::uint64_t withdrawn_programs = 0;
    std::uint64_t waits_for_drive_slot = 0;
    Duration channel_busy{};
    Duration slot_busy{};
  };

  // Channels and dies have the resource numbers from `first_resource` on.
  Dies(const nand::Geometry& geometry, const nand::Timing& timing, const DieConfig& config,
       Events& events, PlainFlash& flash, std::uint32_t first_resource)
      : geometry_(geometry),
        timing_(timing),
        config_(config),
        events_(events),
        flash_(flash),
        first_resource_(first_resource),
        channels_(geometry.channels),
        dies_(geometry.dies()) {}

  const Counts& counts() const { return counts_; }

  bool idle() const {
    return std::all_of(dies_.begin(), dies_.end(), [](const Die& die) {
      return die.phase == Phase::idle && die.reads.empty() && die.decided.empty();
    });
  }

  // A read of a host command, of read-ahead or of read-modify-write; begin_reads() lets it begin.
  void queue_read(DieOperation operation) {
    const std::uint32_t number = index(geometry_.die_of(operation.step.page));
    Die& die = dies_[number];
    if (is_yet_to_be_programmed(die, operation.step.page)) {
      ++counts_.reads_in_ftl_order;
      die.decided.push_back(std::move(operation));
    } else {
      die.reads.push_back(std::move(operation));
    }
  }

  // Call when all reads are queued that belong together: then idle dies can pair them.
  void begin_reads() {
    for (std::uint32_t number = 0; number < dies_.size(); ++number) {
      if (dies_[number].reads.empty()) continue;
      withdraw_program(number);
      start(number);
    }
  }

  // The next operation of the FTL.
  void queue_decided(DieOperation operation) {
    const BlockId block = operation.step.kind == StepKind::erase
                              ? operation.step.block
                              : geometry_.block_of(operation.step.page);
    const std::uint32_t number = index(geometry_.die_of(block));
    dies_[number].decided.push_back(std::move(operation));
    start(number);
  }

 private:
  enum class Phase : std::uint8_t {
    idle,
    reading,
    sending,
    asking,
    receiving,
    programming,
    erasing
  };

  struct Die {
    Phase phase = Phase::idle;
    std::vector<DieOperation> current;  // two of a two-plane read, else one
    std::size_t pages_sent = 0;         // of them
    std::deque<DieOperation> reads;
    std::deque<DieOperation> decided;  // by the FTL, in its order
  };

  struct Channel {
    bool busy = false;
    std::deque<std::uint32_t> out;  // dies that have a page to send
    std::deque<std::uint32_t> in;   // dies that want to program
    std::uint32_t slots_used = 0;
  };

  std::uint32_t channel_of(std::uint32_t die) const { return die / geometry_.dies_per_channel(); }
  std::uint32_t resource_of_channel(std::uint32_t channel) const {
    return first_resource_ + channel;
  }
  std::uint32_t resource_of_die(std::uint32_t die) const {
    return first_resource_ + geometry_.channels + die;
  }

  Duration array_time(Duration base, Ppn page) const {
    return nand::spread_time(base, timing_.spread_ppm, page,
                             flash_.erase_count(geometry_.block_of(page)));
  }

  bool is_yet_to_be_programmed(const Die& die, Ppn page) const {
    const auto prepares = [&](const DieOperation& operation) {
      if (operation.step.kind == StepKind::program) return operation.step.page == page;
      return operation.step.kind == StepKind::erase &&
             operation.step.block == geometry_.block_of(page);
    };
    return std::any_of(die.current.begin(), die.current.end(), prepares) ||
           std::any_of(die.decided.begin(), die.decided.end(), prepares);
  }

  // A program that waits for its channel or a slot lets an arriving read go first.
  void withdraw_program(std::uint32_t number) {
    Die& die = dies_[number];
    if (die.phase != Phase::asking) return;
    ++counts_.withdrawn_programs;
    std::deque<std::uint32_t>& in = channels_[channel_of(number)].in;
    in.erase(std::find(in.begin(), in.end(), number));
    die.decided.push_front(std::move(die.current.front()));
    die.current.clear();
    die.phase = Phase::idle;
  }

  void start(std::uint32_t number) {
    Die& die = dies_[number];
    if (die.phase != Phase::idle) return;
    if (!die.reads.empty()) {
      take(die, die.reads, 0);
      take_other_plane(die);
      start_reading(number);
      return;
    }
    if (die.decided.empty()) return;
    take(die, die.decided, 0);
    switch (die.current.front().step.kind) {
      case StepKind::read: start_reading(number); return;
      case StepKind::program:
        die.phase = Phase::asking;
        channels_[channel_of(number)].in.push_back(number);
        use_channel(channel_of(number));
        return;
      case StepKind::erase:
        die.phase = Phase::erasing;
        events_.after(timing_.erase_time, resource_of_die(number),
                      [this, number] { finish_erase(number); });
        return;
    }
  }

  static void take(Die& die, std::deque<DieOperation>& queue, std::size_t position) {
    const auto place = queue.begin() + static_cast<std::ptrdiff_t>(position);
    die.current.push_back(std::move(*place));
    queue.erase(place);
  }

  void take_other_plane(Die& die) {
    if (!config_.two_plane_reads) return;
    const Ppn first = die.current.front().step.page;
    for (std::size_t i = 0; i < std::min<std::size_t>(8, die.reads.size()); ++i) {
      const Ppn other = die.reads[i].step.page;
      if (geometry_.plane_of(geometry_.block_of(other)) !=
              geometry_.plane_of(geometry_.block_of(first)) &&
          geometry_.page_in_block(other) == geometry_.page_in_block(first)) {
        take(die, die.reads, i);
        ++counts_.two_plane_reads;
        return;
      }
    }
  }

  void start_reading(std::uint32_t number) {
    Die& die = dies_[number];
    die.phase = Phase::reading;
    Duration longest{};
    for (const DieOperation& operation : die.current) {
      flash_.read(operation.step.page);
      longest = std::max(longest, array_time(timing_.read_time, operation.step.page));
    }
    events_.after(longest, resource_of_die(number), [this, number] { finish_reading(number); });
  }

  void finish_reading(std::uint32_t number) {
    Die& die = dies_[number];
    die.phase = Phase::sending;
    die.pages_sent = 0;
    ask_to_send(number);
  }

  void ask_to_send(std::uint32_t number) {
    channels_[channel_of(number)].out.push_back(number);
    use_channel(channel_of(number));
  }

  // Data out of dies first, then data into dies.
  void use_channel(std::uint32_t number) {
    Channel& channel = channels_[number];
    if (channel.busy) return;
    if (!channel.out.empty()) {
      const std::uint32_t die = channel.out.front();
      channel.out.pop_front();
      start_sending(number, die);
      return;
    }
    if (channel.in.empty() || channel.slots_used == config_.slots_per_channel) return;
    if (config_.drive_slots && drive_slots_used_ == *config_.drive_slots) {
      const auto place = std::find(slot_queue_.begin(), slot_queue_.end(), number);
      if (place == slot_queue_.end()) {
        ++counts_.waits_for_drive_slot;
        slot_queue_.push_back(number);
      }
      return;
    }
    const std::uint32_t die = channel.in.front();
    channel.in.pop_front();
    start_receiving(number, die);
  }

  void start_sending(std::uint32_t number, std::uint32_t die) {
    const Duration transfer = timing_.transfer_time(geometry_);
    channels_[number].busy = true;
    counts_.channel_busy += transfer;
    // A die sends the pages of a two-plane read in the order in which they were queued.
    const DieOperation& operation = dies_[die].current[dies_[die].pages_sent];
    const Duration cut = operation.sendable ? config_.cut_through : Duration{};
    if (cut == Duration{}) {
      events_.after(transfer, resource_of_channel(number),
                    [this, number, die] { finish_sending(number, die); });
      return;
    }
    events_.after(transfer - cut, resource_of_channel(number), [this, number, die, cut] {
      events_.after(cut, resource_of_channel(number),
                    [this, number, die] { finish_sending(number, die); });
      const auto sendable = std::exchange(dies_[die].current[dies_[die].pages_sent].sendable, {});
      sendable();
    });
  }

  void finish_sending(std::uint32_t number, std::uint32_t die_number) {
    channels_[number].busy = false;
    Die& die = dies_[die_number];
    const DieOperation sent = std::move(die.current[die.pages_sent]);
    if (++die.pages_sent < die.current.size()) {
      channels_[number].out.push_back(die_number);
    } else {
      finish(die_number);
    }
    use_channel(number);
    if (sent.sendable) sent.sendable();  // unless it was cut through
    if (sent.crossed) sent.crossed();
  }

  void start_receiving(std::uint32_t number, std::uint32_t die) {
    const Duration transfer = timing_.transfer_time(geometry_);
    channels_[number].busy = true;
    counts_.channel_busy += transfer;
    ++channels_[number].slots_used;
    ++drive_slots_used_;
    dies_[die].phase = Phase::receiving;
    const Time slot_taken = events_.now();
    events_.after(transfer, resource_of_channel(number), [this, number, die, slot_taken] {
      channels_[number].busy = false;
      dies_[die].phase = Phase::programming;
      const Ppn page = dies_[die].current.front().step.page;
      events_.after(array_time(timing_.program_time, page), resource_of_die(die),
                    [this, die, slot_taken] { finish_program(die, slot_taken); });
      use_channel(number);
    });
  }

  void finish_program(std::uint32_t number, Time slot_taken) {
    const DieOperation operation = std::move(dies_[number].current.front());
    flash_.program(operation.step.page);
    counts_.slot_busy += events_.now() - slot_taken;
    free_slot(channel_of(number));
    finish(number);
    if (operation.done) operation.done();
  }

  // The channels that lacked a drive slot asked for it before this one can ask for another.
  void free_slot(std::uint32_t number) {
    --channels_[number].slots_used;
    --drive_slots_used_;
    while (!slot_queue_.empty() && drive_slots_used_ < *config_.drive_slots) {
      const std::uint32_t first = slot_queue_.front();
      slot_queue_.pop_front();
      use_channel(first);
    }
    use_channel(number);
  }

  void finish_erase(std::uint32_t number) {
    flash_.erase(dies_[number].current.front().step.block);
    finish(number);
  }

  // The die goes on before the rest of the drive hears of what has ended.
  void finish(std::uint32_t number) {
    dies_[number].current.clear();
    dies_[number].phase = Phase::idle;
    start(number);
  }

  nand::Geometry geometry_;
  nand::Timing timing_;
  DieConfig config_;
  Events& events_;
  PlainFlash& flash_;
  std::uint32_t first_resource_;
  std::vector<Channel> channels_;
  std::vector<Die> dies_;
  std::uint32_t drive_slots_used_ = 0;
  std::deque<std::uint32_t> slot_queue_;  // channels that lack a drive slot
  Counts counts_;
};

}  // namespace x25sim::plain
