// The dies and channels of a drive in time.
//
// Models: a die performs one array operation at a time (two planes together count as one) and keeps
// read data in its registers until they have crossed the channel; a channel carries one transfer at
// a time; program slots. Does not model: cache reads and programs, suspend, partial-page transfers.
//
// Order on a die: reads of the host, of read-ahead and for read-modify-write first, in order of
// arrival; then the FTL's operations in the order in which it decided them. A read of a page that
// an FTL operation still has to bring there takes its turn among those. A page that the FTL copies
// to another die is programmed there when it has crossed the channel. Order on a channel: data out
// of dies before data into dies, each in order of arrival.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ftl/counters.hpp"
#include "nand/array.hpp"
#include "sim/drive/busy.hpp"
#include "sim/drive/config.hpp"
#include "sim/drive/ring.hpp"
#include "sim/drive/span_observer.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/measure/histogram.hpp"

namespace x25sim::drive {

struct FlashOperation {
  enum class Kind : std::uint8_t { read_host, read_ahead, read_rmw, read_gc, program, erase };

  std::uint32_t target = 0;    // physical page; of an erase, the block
  std::uint32_t position = 0;  // the client's: which page of its command; of a copy: which
  std::uint16_t owner = 0;     // the client's: command or buffer slot
  Kind kind = Kind::read_host;
};
static_assert(sizeof(FlashOperation) == 12);

// Is told what the flash has done.
class FlashClient {
 public:
  virtual ~FlashClient() = default;
  // A page of a host read or of read-ahead is so far across its channel that the link may send it.
  virtual void on_page_sendable(const FlashOperation& operation) = 0;
  // The old contents of a page to be modified are in the write buffer.
  virtual void on_page_fetched(const FlashOperation& operation) = 0;
  // A page of the write buffer is on flash.
  virtual void on_page_programmed(const FlashOperation& operation) = 0;
};

class FlashScheduler {
 public:
  static constexpr std::uint16_t no_owner = 0xffff;
  static constexpr std::uint16_t idle_owner = 0xfffe;  // of garbage collection in idle time

  // Channel c's events are leaf `first_leaf` + c, die d's are leaf `first_leaf` + channels + d.
  // `max_reads`: most reads that are queued at once.
  FlashScheduler(const DriveConfig& config, kernel::Kernel& kernel, nand::FlashArray& array,
                 FlashClient& client, std::uint32_t max_reads);

  static std::uint32_t leaves(const DriveConfig& config) {
    return config.geometry.channels + config.geometry.dies();
  }
  void set_first_leaf(std::uint32_t leaf) { first_leaf_ = leaf; }
  void set_observer(SpanObserver* observer) { observer_ = observer; }
  void on_event(std::uint32_t number);

  // Queues a read; `in_order`: after the FTL operations that are queued on the die. Idle dies begin
  // their reads at start_reads(), so that reads which are queued together can be paired.
  void read(const FlashOperation& operation, bool in_order);
  void start_reads();

  // The FTL's sink. Programs for the host belong to the buffer slot set before, all other
  // operations to `owner`: no_owner or idle_owner.
  void set_program_owner(std::uint16_t slot) { program_owner_ = slot; }
  void set_collection_owner(std::uint16_t owner) { collection_owner_ = owner; }
  void read(Ppn page, ftl::Cause cause);
  void program(Ppn page, ftl::Cause cause);
  void erase(BlockId block);

  // Whether FTL operations are queued or under way on the die.
  bool has_ftl_operations(DieId die) const {
    return !dies_[index(die)].ftl_operations.empty() || dies_[index(die)].ftl_operation_active;
  }
  // Host pages queued or under way on the die.
  std::uint32_t host_programs(DieId die) const { return dies_[index(die)].host_programs; }
  bool idle() const { return active_dies_ == 0; }

  Duration program_slot_busy(Time now) const { return slot_busy_.total(now); }
  Duration channel_busy(Time now) const { return channel_busy_.total(now); }
  Duration die_busy(Time now) const { return die_busy_.total(now); }
  std::uint64_t two_plane_reads() const { return two_plane_reads_; }
  // How long garbage collection held up the host's programs: on one die, from the beginning of its
  // first operation to that of the next program for the host. Of collection in idle time only what
  // the host's program found there counts, from when it came.
  const measure::LatencyHistogram& gc_pauses() const { return gc_pauses_; }
  void clear_gc_pauses() { gc_pauses_ = {}; }

 private:
  enum class DieState : std::uint8_t {
    idle,
    reading,
    waiting_out,  // data in the registers, waiting for the channel
    sending,
    waiting_in,  // a program waits for the channel and a program slot
    receiving,
    programming,
    erasing,
  };

  struct Die {
    Die(std::size_t max_reads, std::size_t max_ftl_operations)
        : reads(max_reads), ftl_operations(max_ftl_operations) {}

    DieState state = DieState::idle;
    bool ftl_operation_active = false;  // `operation` came from `ftl_operations`
    std::uint8_t pages = 0;             // of `operation`: 2 in a two-plane read
    std::uint8_t pages_sent = 0;
    std::uint32_t host_programs = 0;
    std::optional<Time> gc_start;  // of the garbage collection that holds up the host's programs
    std::array<FlashOperation, 2> operation;
    Ring<FlashOperation> reads;
    Ring<FlashOperation> ftl_operations;
  };

  struct Channel {
    explicit Channel(std::size_t dies) : out(dies), in(dies) {}

    std::uint32_t die = no_die;  // whose transfer is under way
    bool sendable_due = false;   // the next event is the cut-through point, not the end
    Time end{};
    std::uint32_t slots_in_use = 0;
    bool waits_for_drive_slot = false;
    Ring<std::uint32_t> out;  // dies with data for the controller
    Ring<std::uint32_t> in;   // dies that want data to program
  };

  // A page on its way from one die to another, by FlashOperation::position.
  struct Copy {
    bool fetched = false;
    std::uint32_t waiting_die = no_die;  // that has nothing else to do before it
  };

  static constexpr std::uint32_t no_die = 0xffffffff;
  static constexpr std::uint32_t no_copy = 0xffffffff;

  std::uint32_t channel_leaf(std::uint32_t channel) const { return first_leaf_ + channel; }
  std::uint32_t die_leaf(std::uint32_t die) const { return first_leaf_ + geometry_.channels + die; }
  std::uint32_t channel_of(std::uint32_t die) const {
    return index(geometry_.channel_of(DieId{die}));
  }

  void queue_ftl_operation(std::uint32_t number, const FlashOperation& operation);
  std::uint32_t begin_copy();
  bool has_data(std::uint32_t number, FlashOperation& operation);
  void fetch_copy(std::uint32_t number);
  void start_next(std::uint32_t number);
  void note_gc(Die& die, const FlashOperation& operation);
  void start_read(std::uint32_t number, const FlashOperation& operation);
  void pair_read(Die& die);
  void withdraw_program(std::uint32_t number);
  void finish_array_operation(std::uint32_t number);
  void finish_transfer(std::uint32_t number);
  void grant(std::uint32_t number);
  void begin_sending(std::uint32_t number, std::uint32_t die_number);
  void begin_receiving(std::uint32_t number, std::uint32_t die_number);
  void release_slot(std::uint32_t number);
  void observe(Resource resource, std::uint32_t number, const char* what, Duration duration,
               std::uint32_t detail);

  const nand::Geometry geometry_;
  const nand::Timing timing_;
  const Duration transfer_time_;
  const Duration cut_through_;
  const bool two_plane_reads_allowed_;
  const bool copies_cross_dies_;
  const std::uint32_t slots_per_channel_;
  const std::uint32_t slots_;
  kernel::Kernel& kernel_;
  nand::FlashArray& array_;
  FlashClient& client_;
  SpanObserver* observer_ = nullptr;
  std::uint32_t first_leaf_ = 0;
  std::uint16_t program_owner_ = no_owner;
  std::uint16_t collection_owner_ = no_owner;
  std::vector<Die> dies_;
  std::vector<Channel> channels_;
  std::vector<Copy> copies_;
  std::vector<std::uint32_t> free_copies_;
  std::uint32_t copy_ = no_copy;              // the page that the FTL read last
  std::vector<std::uint32_t> dies_to_start_;  // dies of reads queued since the last start_reads()
  Ring<std::uint32_t> drive_slot_waiters_;    // channels whose first program lacks a drive slot
  std::uint32_t active_dies_ = 0;
  BusyTime slot_busy_;
  BusyTime channel_busy_;
  BusyTime die_busy_;  // a program that waits for channel and slot does not count
  std::uint64_t two_plane_reads_ = 0;
  measure::LatencyHistogram gc_pauses_;
};

}  // namespace x25sim::drive
