// The drive of ARCHITECTURE.md once more, host included, written to be obviously right instead of
// fast: every container is a plain one, every event a function, nothing is kept that can be found
// by looking. tests/engines_test.cpp holds the fast engine against it, to the nanosecond.
//
// Models what "The FTL" and "The timed drive" say, for requests that one command can carry.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "nand/geometry.hpp"
#include "nand/timing.hpp"
#include "nand/units.hpp"
#include "tests/plain_dies.hpp"
#include "tests/plain_ftl.hpp"

namespace x25sim::plain {

struct Config {
  std::uint64_t sectors = 0;
  nand::Geometry geometry;
  nand::Timing timing;
  FtlConfig ftl;
  DieConfig dies;
  std::uint32_t buffer_pages = 2;
  std::uint32_t read_ahead_pages = 0;
  std::uint32_t read_ahead_streams = 0;
  std::uint32_t window_pages = 2;
  Duration front_per_command{};
  Duration back_per_run{};
  std::uint32_t run_pages = 1;
  Duration trim_per_range{};
  std::uint32_t program_queue_per_die = 1;
  std::uint64_t link_rate = 3'000'000'000;  // bit/s
  std::uint64_t frame_overhead = 0;         // bytes
  Duration data_fis_gap{};
  std::uint32_t queue_depth = 32;
  Duration command_overhead{};
};

inline std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

enum class Operation : std::uint8_t { read, write, trim, flush };

struct Request {
  Operation operation = Operation::read;
  std::uint64_t first_sector = 0;
  std::uint64_t sectors = 0;  // 0 for flush only
  Duration at{};              // when it is issued, unless a completion decides that
};

struct Times {
  Time issued{};
  Time arrived{};
  Time completed{};
};

struct Counts {
  std::uint64_t host_programs = 0, rmw_programs = 0;
  std::uint64_t host_reads = 0, rmw_reads = 0;
  std::uint64_t unmapped_read_pages = 0;
  std::uint64_t buffer_read_pages = 0;
  std::uint64_t read_ahead_hit_pages = 0;
  std::uint64_t read_ahead_pages = 0;
  std::uint64_t read_ahead_stops = 0;
  std::uint64_t buffer_merged_pages = 0;
  std::uint64_t second_versions = 0;  // pages whose previous version was still in the buffer
  std::uint64_t dispatch_stops = 0;
  Duration link_busy{}, front_busy{}, back_busy{};
};

class PlainDrive {
 public:
  explicit PlainDrive(const Config& config);
  PlainDrive(const PlainDrive&) = delete;
  PlainDrive& operator=(const PlainDrive&) = delete;

  // Performs a request without the clock.
  void prepare(const Request& request);

  // Runs the requests, keeping `queue_depth` in flight, or, where there is none, issuing each at
  // its time; then until nothing is left to do. The times in the order of the requests.
  std::vector<Times> run(const std::vector<Request>& requests,
                         std::optional<std::uint32_t> queue_depth);

  const Counts& counts() const { return counts_; }
  const PlainFtl& ftl() const { return ftl_; }
  const PlainFlash& flash() const { return flash_; }
  const Dies& dies() const { return dies_; }

 private:
  // Resources in the order in which ties are settled.
  enum ResourceNumber : std::uint32_t { arrivals, issues, ramp, link, front, back, first_of_flash };

  struct Command {
    Request request;
    std::uint64_t first_page = 0;
    std::uint64_t pages = 0;
    std::uint64_t looked_up = 0;  // pages of a read
    std::vector<bool> ready;      // pages of a read that can be sent
    std::uint64_t asked = 0;      // pages for which the link has been asked
    std::uint64_t crossed = 0;    // pages across the link
  };

  struct Turn {
    std::vector<std::uint64_t> frames;       // bytes of content of control frames
    std::vector<std::uint64_t> data_frames;  // bytes of content of data frames
    std::function<void()> ended;
  };

  // A page of the write buffer.
  struct Slot {
    std::uint64_t page = 0;
    std::vector<bool> written;  // sectors that the host wrote
    bool complete = false;      // the other sectors are there as well
    bool handed_to_flash = false;
    bool outdated = false;  // a later version took another slot, and may be on flash before it
  };

  struct AheadSlot {
    std::optional<std::uint64_t> page;  // none: free, or used up
    bool arriving = false;
    std::function<void()> waiting;  // the command that claimed the page on its way
  };

  struct ReadStream {
    std::optional<std::uint64_t> end;  // sector behind its last command
    std::uint64_t ahead = 0;           // page up to which it has been read ahead
    std::uint64_t used = 0;            // when, counted in commands
  };

  // Host.
  void issue_next();
  void on_complete();

  // Tags.
  void arrive(std::size_t number);
  void admit();
  void complete(std::size_t number);

  // Link and front stage.
  void ask_link(Turn turn);
  void start_turn();
  Turn data_turn(const Command& command, std::uint64_t pages) const;
  void ask_front(Duration work, std::function<void()> ended);
  void start_front();
  void decode(std::size_t number);

  // Reads.
  void look_up_pages(std::size_t number);
  void look_up(std::size_t number, std::uint64_t position);
  bool claim_read_ahead(std::size_t number, std::uint64_t position);
  void send_ready_pages(std::size_t number);
  void note_for_read_ahead(const Command& command);
  void read_ahead(ReadStream& stream, std::uint64_t first, std::uint64_t end);
  void fill_ahead_slot(std::size_t place, std::uint64_t page);
  bool is_read_ahead(std::uint64_t page) const;
  void forget_read_ahead(std::uint64_t page);

  // Writes.
  void fetch_data();
  void take_data(std::size_t number, std::uint64_t pages);
  void buffer_page(const Command& command, std::uint64_t position);
  void start_run();
  void dispatch();
  void fetch_rest(std::uint64_t slot);
  void program(std::uint64_t slot);

  // TRIM and FLUSH.
  void when_buffer_is_empty(std::function<void()> action);
  void check_buffer_is_empty();
  void trim_pages(const Request& request);
  void ask_status(std::size_t number);

  std::uint64_t sectors_per_page() const;
  std::uint64_t sectors_of_page(std::uint64_t page) const;
  std::vector<bool> wanted_sectors(const Request& request, std::uint64_t page) const;
  std::uint64_t pages_per_turn() const;
  Slot* buffered(std::uint64_t page);
  static bool covers(const std::vector<bool>& held, const std::vector<bool>& wanted);
  static bool is_whole(const std::vector<bool>& sectors);

  const Config config_;
  Events events_;
  PlainFlash flash_;
  PlainFtl ftl_;
  Dies dies_;

  std::vector<Request> requests_;
  std::vector<Times> times_;
  std::optional<std::uint32_t> host_depth_;
  std::size_t next_request_ = 0;

  std::deque<std::size_t> host_queue_;       // requests that wait for a tag
  std::map<std::size_t, Command> commands_;  // under way, by number of the request
  bool alone_ = false;                       // a TRIM or FLUSH is under way

  std::deque<Turn> link_queue_;
  bool link_busy_ = false;
  std::uint64_t link_carry_ = 0;  // left over below a nanosecond, in 1/rate ns
  std::deque<std::pair<Duration, std::function<void()>>> front_queue_;
  bool front_busy_ = false;

  std::map<std::uint64_t, Slot> buffer_;  // in the order in which slots were taken
  std::uint64_t slots_taken_ = 0;         // ever
  std::uint64_t slots_reserved_ = 0;
  std::deque<std::size_t> receiving_;  // write commands in order of decoding
  bool data_asked_ = false;
  std::deque<std::uint64_t> waiting_pages_;  // slots
  bool back_busy_ = false;
  std::deque<std::uint64_t> dispatch_queue_;           // slots
  std::map<std::uint32_t, std::uint32_t> host_pages_;  // queued or under way, by die
  std::optional<std::uint32_t> full_die_;              // dispatch waits for it
  std::function<void()> on_empty_buffer_;

  std::vector<AheadSlot> ahead_;
  std::size_t ahead_place_ = 0;  // next slot of the circle
  std::vector<ReadStream> streams_;
  std::uint64_t stream_uses_ = 0;
  Counts counts_;
};

}  // namespace x25sim::plain
