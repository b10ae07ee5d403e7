// The plain drive's host, tags, link, front stage, TRIM and FLUSH.
#include "tests/plain_engine.hpp"

#include <algorithm>
#include <utility>

namespace x25sim::plain {

namespace {

constexpr std::uint64_t sector_bytes = 512;
constexpr std::uint64_t register_frame = 20;
constexpr std::uint64_t dma_setup_frame = 28;
constexpr std::uint64_t dma_activate_frame = 4;
constexpr std::uint64_t set_device_bits_frame = 8;
constexpr std::uint64_t data_header = 4;
constexpr std::uint64_t data_frame_max = 8192;  // bytes of data
constexpr std::uint64_t trim_range_sectors = 65'535;

}  // namespace

PlainDrive::PlainDrive(const Config& config)
    : config_(config),
      flash_(config.geometry),
      ftl_(config.geometry, config.ftl, divide_up(config.sectors, sectors_per_page())),
      dies_(config.geometry, config.timing, config.dies, events_, flash_, first_of_flash),
      ahead_(std::size_t{config.read_ahead_streams} * config.read_ahead_pages),
      streams_(config.read_ahead_streams) {}

// ---- without the clock

void PlainDrive::prepare(const Request& request) {
  if (request.operation == Operation::trim) trim_pages(request);
  if (request.operation != Operation::write) return;
  const std::uint64_t first = request.first_sector / sectors_per_page();
  const std::uint64_t end = divide_up(request.first_sector + request.sectors, sectors_per_page());
  for (std::uint64_t page = first; page < end; ++page) {
    const bool whole = is_whole(wanted_sectors(request, page));
    if (!whole && ftl_.has_data(page)) {
      flash_.read(ftl_.location(page));
      ++counts_.rmw_reads;
    }
    ++(whole ? counts_.host_programs : counts_.rmw_programs);
    ftl_.write(page, [this](const FlashStep& step) {
      switch (step.kind) {
        case StepKind::read: return flash_.read(step.page);
        case StepKind::program: return flash_.program(step.page);
        case StepKind::erase: return flash_.erase(step.block);
      }
    });
  }
}

// ---- host

std::vector<Times> PlainDrive::run(const std::vector<Request>& requests,
                                   std::optional<std::uint32_t> queue_depth) {
  requests_ = requests;
  times_.assign(requests.size(), {});
  host_depth_ = queue_depth;
  next_request_ = 0;
  const std::size_t at_once =
      queue_depth ? std::min<std::size_t>(*queue_depth, requests.size()) : 0;
  for (std::size_t i = 0; i < at_once; ++i) issue_next();
  if (!queue_depth) {
    const Time start = events_.now();
    for (const Request& request : requests) {
      events_.after(start + request.at - events_.now(), issues, [this] { issue_next(); });
    }
  }
  events_.run_all();
  require(next_request_ == requests.size() && commands_.empty() && host_queue_.empty(),
          "requests are left over");
  require(buffer_.empty() && slots_reserved_ == 0 && dies_.idle(), "the drive is not idle");
  return times_;
}

void PlainDrive::issue_next() {
  const std::size_t number = next_request_++;
  times_[number].issued = events_.now();
  events_.after(config_.command_overhead, arrivals, [this, number] { arrive(number); });
}

void PlainDrive::on_complete() {
  if (host_depth_ && next_request_ < requests_.size()) issue_next();
}

// ---- tags

void PlainDrive::arrive(std::size_t number) {
  times_[number].arrived = events_.now();
  host_queue_.push_back(number);
  admit();
}

void PlainDrive::admit() {
  while (!host_queue_.empty()) {
    const std::size_t number = host_queue_.front();
    const Request& request = requests_[number];
    const bool queued =
        request.operation == Operation::read || request.operation == Operation::write;
    if (alone_ || commands_.size() == config_.queue_depth) return;
    if (!queued && !commands_.empty()) return;
    host_queue_.pop_front();
    alone_ = !queued;
    Command command;
    command.request = request;
    if (request.sectors > 0) {
      command.first_page = request.first_sector / sectors_per_page();
      command.pages = divide_up(request.first_sector + request.sectors, sectors_per_page()) -
                      command.first_page;
    }
    command.ready.resize(command.pages);
    commands_.emplace(number, command);
    ask_link({{register_frame, register_frame}, {}, [this, number] {
                ask_front(config_.front_per_command, [this, number] { decode(number); });
              }});
  }
}

void PlainDrive::complete(std::size_t number) {
  times_[number].completed = events_.now();
  commands_.erase(number);
  alone_ = false;
  on_complete();
  admit();
}

// ---- link and front stage

void PlainDrive::ask_link(Turn turn) {
  link_queue_.push_back(std::move(turn));
  start_turn();
}

void PlainDrive::start_turn() {
  if (link_busy_ || link_queue_.empty()) return;
  const Turn turn = std::move(link_queue_.front());
  link_queue_.pop_front();
  link_busy_ = true;
  // A byte takes 10 bits, a bit 10^9 / rate nanoseconds.
  std::uint64_t bytes = 0;
  for (const std::uint64_t frame : turn.frames) bytes += frame + config_.frame_overhead;
  for (const std::uint64_t frame : turn.data_frames) bytes += frame + config_.frame_overhead;
  const std::uint64_t exact = bytes * 10 * 1'000'000'000 + link_carry_;
  link_carry_ = exact % config_.link_rate;
  const Duration duration{static_cast<std::int64_t>(exact / config_.link_rate) +
                          static_cast<std::int64_t>(turn.data_frames.size()) *
                              config_.data_fis_gap.count()};
  counts_.link_busy += duration;
  events_.after(duration, link, [this, ended = turn.ended] {
    link_busy_ = false;
    ended();
    start_turn();
  });
}

// The next `pages` pages of a read or write command.
PlainDrive::Turn PlainDrive::data_turn(const Command& command, std::uint64_t pages) const {
  Turn turn;
  if (command.asked == 0) {
    turn.frames.push_back(dma_setup_frame);
  } else if (command.request.operation == Operation::write) {
    turn.frames.push_back(dma_activate_frame);
  }
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < pages; ++i) {
    const std::vector<bool> wanted =
        wanted_sectors(command.request, command.first_page + command.asked + i);
    bytes +=
        sector_bytes * static_cast<std::uint64_t>(std::count(wanted.begin(), wanted.end(), true));
  }
  for (; bytes > 0; bytes -= std::min(bytes, data_frame_max)) {
    turn.data_frames.push_back(data_header + std::min(bytes, data_frame_max));
  }
  if (command.asked + pages == command.pages) turn.frames.push_back(set_device_bits_frame);
  return turn;
}

void PlainDrive::ask_front(Duration work, std::function<void()> ended) {
  front_queue_.emplace_back(work, std::move(ended));
  start_front();
}

void PlainDrive::start_front() {
  if (front_busy_ || front_queue_.empty()) return;
  const auto [work, ended] = std::move(front_queue_.front());
  front_queue_.pop_front();
  front_busy_ = true;
  counts_.front_busy += work;
  events_.after(work, front, [this, action = ended] {
    front_busy_ = false;
    action();
    start_front();
  });
}

void PlainDrive::decode(std::size_t number) {
  switch (commands_.at(number).request.operation) {
    case Operation::read: look_up_pages(number); return;
    case Operation::write:
      receiving_.push_back(number);
      fetch_data();
      return;
    case Operation::flush: when_buffer_is_empty([this, number] { ask_status(number); }); return;
    case Operation::trim: {
      const Request request = commands_.at(number).request;
      const auto ranges = static_cast<std::int64_t>(divide_up(request.sectors, trim_range_sectors));
      const auto lose_data = [this, number, request] {
        trim_pages(request);
        for (AheadSlot& slot : ahead_) slot.page.reset();
        ask_status(number);
      };
      ask_link({{dma_activate_frame}, {data_header + 512}, [this, ranges, lose_data] {
                  when_buffer_is_empty([this, ranges, lose_data] {
                    ask_front(config_.trim_per_range * ranges, lose_data);
                  });
                }});
      return;
    }
  }
}

// ---- TRIM and FLUSH

void PlainDrive::when_buffer_is_empty(std::function<void()> action) {
  on_empty_buffer_ = std::move(action);
  check_buffer_is_empty();
}

void PlainDrive::check_buffer_is_empty() {
  if (!on_empty_buffer_ || !buffer_.empty()) return;
  const std::function<void()> action = std::exchange(on_empty_buffer_, {});
  action();
}

void PlainDrive::trim_pages(const Request& request) {
  const std::uint64_t first = request.first_sector / sectors_per_page();
  const std::uint64_t end = divide_up(request.first_sector + request.sectors, sectors_per_page());
  for (std::uint64_t page = first; page < end; ++page) {
    if (is_whole(wanted_sectors(request, page))) ftl_.trim(page);
  }
}

void PlainDrive::ask_status(std::size_t number) {
  ask_link({{register_frame}, {}, [this, number] { complete(number); }});
}

// ---- sectors and pages

std::uint64_t PlainDrive::sectors_per_page() const {
  return config_.geometry.page_size.count / sector_bytes;
}

// The last page may be cut short by the capacity.
std::uint64_t PlainDrive::sectors_of_page(std::uint64_t page) const {
  return std::min(sectors_per_page(), config_.sectors - page * sectors_per_page());
}

std::vector<bool> PlainDrive::wanted_sectors(const Request& request, std::uint64_t page) const {
  std::vector<bool> wanted(sectors_of_page(page));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::uint64_t sector = page * sectors_per_page() + i;
    wanted[i] = sector >= request.first_sector && sector < request.first_sector + request.sectors;
  }
  return wanted;
}

std::uint64_t PlainDrive::pages_per_turn() const {
  return std::max<std::uint64_t>(1, data_frame_max / config_.geometry.page_size.count);
}

// The newest version of a page in the write buffer.
PlainDrive::Slot* PlainDrive::buffered(std::uint64_t page) {
  for (auto& [number, slot] : buffer_) {
    if (slot.page == page && !slot.outdated) return &slot;
  }
  return nullptr;
}

bool PlainDrive::covers(const std::vector<bool>& held, const std::vector<bool>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] && !held[i]) return false;
  }
  return true;
}

bool PlainDrive::is_whole(const std::vector<bool>& sectors) {
  return std::find(sectors.begin(), sectors.end(), false) == sectors.end();
}

}  // namespace x25sim::plain
