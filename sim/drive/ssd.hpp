// One solid-state drive: from the commands of the host to the operations of the flash.
//
// Models: native command queuing; two serial firmware stages, one before the data of a command and
// one behind the write buffer; the SATA link; write buffer; read-ahead; the FTL; the flash.
// The life of each command is told in ARCHITECTURE.md, "The timed drive". Does not model: the
// controller's memory beside these buffers, power states, errors.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "ftl/page_ftl.hpp"
#include "nand/array.hpp"
#include "sim/drive/busy.hpp"
#include "sim/drive/config.hpp"
#include "sim/drive/counters.hpp"
#include "sim/drive/device.hpp"
#include "sim/drive/flash_scheduler.hpp"
#include "sim/drive/read_ahead.hpp"
#include "sim/drive/ring.hpp"
#include "sim/drive/sata_link.hpp"
#include "sim/drive/span_observer.hpp"
#include "sim/drive/steady_history.hpp"
#include "sim/drive/write_buffer.hpp"
#include "sim/kernel/kernel.hpp"

namespace x25sim::drive {

class Ssd final : public Device, public kernel::Actor, private FlashClient {
 public:
  // `config` is consistent (config::load_drive sees to that). `seed`: of the firmware's random
  // choices.
  Ssd(const DriveConfig& config, kernel::Kernel& kernel, CompletionListener& listener,
      std::uint64_t seed = 1);
  Ssd(const Ssd&) = delete;
  Ssd& operator=(const Ssd&) = delete;

  const DriveConfig& config() const { return config_; }
  void set_observer(SpanObserver* observer);

  Bytes capacity() const override { return config_.capacity(); }
  Bytes max_request(workload::Operation operation) const override;
  void submit(std::uint64_t id, const workload::Request& request) override;
  bool idle() const override;

  // Performs a request without the clock, on the same FTL and flash. Requires: idle().
  void apply(const workload::Request& request);
  // Asks for what apply(request) will need first to be brought into the processor's cache.
  void prefetch(const workload::Request& request) const;
  // The same for what it will need then; call a few requests later.
  void prefetch_overwrite(const workload::Request& request) const;

  // Hands over the drive's state, or takes that of a drive of the same shape. Requires: idle(), and
  // nothing was submitted yet.
  void exchange(StateArchive& archive);

  // Pauses that garbage collection made since the last clear, see FlashScheduler::gc_pauses().
  const measure::LatencyHistogram& gc_pauses() const { return flash_.gc_pauses(); }
  void clear_gc_pauses() { flash_.clear_gc_pauses(); }

  // Counts since the drive was made, up to now.
  Counters counters() const;
  const ftl::PageFtl& ftl() const { return ftl_; }
  const nand::FlashArray& flash() const { return array_; }
  const SteadyHistory& steady_history() const { return steady_history_; }
  SteadyState steady_state() const { return steady_history_.judge(ftl_.space()); }

  // Checks the FTL's invariants; if idle, against the flash as well.
  void check_invariants() const;

  void on_event(std::uint32_t number) override;

 private:
  // Resources in the order of their leaves, which settles ties.
  enum Resources : std::uint32_t {
    link_resource,
    front_resource,
    back_resource,
    idle_resource,
    flash_resource
  };

  struct Command {
    std::uint64_t id = 0;
    workload::Request request;
    std::uint32_t first_page = 0;
    std::uint32_t pages = 0;
    std::uint32_t pages_requested = 0;   // of a read: looked up, and asked of flash where need be
    std::uint32_t pages_sent = 0;        // across the link, or under way on it
    std::uint32_t pages_done = 0;        // across the link
    std::uint32_t pages_programmed = 0;  // of a write without the write cache
    std::uint64_t ready = 0;             // of a read: bit n % 64, page n can be sent
  };

  enum class Transfer : std::uint8_t {
    command,
    read_data,
    write_data,
    write_status,
    trim_data,
    status
  };
  struct LinkJob {
    std::uint16_t command = 0;
    Transfer transfer = Transfer::command;
    std::uint32_t pages = 0;  // of data
  };

  enum class FrontWork : std::uint8_t { command, trim_ranges };
  struct FrontJob {
    std::uint16_t command = 0;
    FrontWork work = FrontWork::command;
  };

  // Host side of the port.
  void admit_commands();
  void complete(std::uint16_t number);

  // Link.
  void queue_transfer(const LinkJob& job);
  void start_transfer();
  void finish_transfer();
  Frames frames_of(const LinkJob& job) const;

  // Front stage of the firmware.
  void queue_front(const FrontJob& job);
  void start_front();
  void finish_front();
  void decode(std::uint16_t number);

  Duration back_load_until(Time now) const;

  // Reads.
  void request_pages(std::uint16_t number);
  bool look_up(Command& command, std::uint16_t number, std::uint32_t position);
  void read_flash(Lpn page, const FlashOperation& operation);
  void read_in_advance(const Command& command);
  void send_pages(std::uint16_t number);
  void finish_read_data(const LinkJob& job);

  // Writes.
  void receive_data();
  void finish_write_data(const LinkJob& job);
  void start_back();
  void finish_back();
  void dispatch();
  void program_page(std::uint32_t slot);
  void complete_if_programmed(std::uint16_t number);
  void count_host_page() {
    if (steady_history_.add_host_page()) [[unlikely]] {
      steady_history_.end_round(ftl_.counters(), ftl_.space());
    }
  }

  // Commands that wait for the write buffer to drain.
  void serve_drained();
  void trim_ranges(const workload::Request& request);

  // Garbage collection while the drive is idle.
  void watch_idle();
  void collect_in_idle_time();

  void on_page_sendable(const FlashOperation& operation) override;
  void on_page_fetched(const FlashOperation& operation) override;
  void on_page_programmed(const FlashOperation& operation) override;

  // Bytes of the command in its pages from `position` on; sectors of that page which it covers.
  Bytes bytes_in_pages(const Command& command, std::uint32_t position, std::uint32_t pages) const;
  std::uint64_t sectors_in_page(const Command& command, std::uint32_t position) const;
  void observe(Resource resource, const char* what, Duration duration, std::uint64_t detail);

  const DriveConfig config_;
  kernel::Kernel& kernel_;
  CompletionListener& listener_;
  SpanObserver* observer_ = nullptr;
  std::uint32_t first_leaf_;
  const std::uint32_t pages_per_transfer_;
  const std::uint32_t window_pages_;

  nand::FlashArray array_;
  ftl::PageFtl ftl_;
  SteadyHistory steady_history_;
  FlashScheduler flash_;
  WriteBuffer buffer_;
  ReadAhead read_ahead_;

  struct Waiting {
    std::uint64_t id;
    workload::Request request;
  };
  std::deque<Waiting> host_queue_;  // requests that have no tag yet
  std::vector<Command> commands_;   // by tag
  std::vector<std::uint16_t> free_tags_;
  bool exclusive_ = false;  // a command that is not queued is under way

  LineClock line_;
  Ring<LinkJob> link_queue_;
  LinkJob link_job_;
  bool link_active_ = false;
  BusyTime link_busy_;

  Ring<FrontJob> front_queue_;
  FrontJob front_job_;
  bool front_active_ = false;
  BusyTime front_busy_;

  Ring<std::uint16_t> receiving_;  // write commands in the order in which their data are fetched
  BusyTime buffer_full_;           // while the first of them waits for room in the buffer
  bool data_requested_ = false;    // of the first of them
  // Without the write cache: by buffer slot, the commands that wait for its page, each as often as
  // it has written it.
  std::vector<std::vector<std::uint16_t>> waiting_for_program_;
  std::vector<std::uint32_t> run_;  // buffer slots that the back stage works on
  bool back_active_ = false;
  Time back_start_{};             // of the run under way
  Duration back_load_{};          // what it counts for, see Counters::back_busy
  Ring<std::uint32_t> dispatch_;  // buffer slots on their way to flash
  DieId full_die_{};              // dispatch waits until this die has room
  bool die_is_full_ = false;
  std::uint16_t draining_ = 0;  // flush or trim that waits for the buffer to be empty
  bool drain_requested_ = false;

  // With the pacing `idle`: whether the drive collects, so that the next step follows at once; and
  // whether it has found nothing more to do since the last command.
  bool collecting_ = false;
  bool collected_ = false;

  Counters counters_;
};

}  // namespace x25sim::drive
