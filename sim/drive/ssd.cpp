#include "sim/drive/ssd.hpp"

#include <algorithm>
#include <string>

#include "ftl/functional.hpp"
#include "nand/check.hpp"

namespace x25sim::drive {

namespace {

using workload::Operation;
using workload::Request;

// ATA8-ACS: a queued transfer moves up to 65,536 sectors. DATA SET MANAGEMENT takes up to 64 ranges
// of 65,535 sectors for each 512-byte block of its data; these drives take one block.
constexpr std::uint64_t max_transfer_sectors = 65536;
constexpr std::uint64_t trim_range_sectors = 65535;
constexpr std::uint64_t trim_ranges_per_block = 64;

std::uint64_t range_count(const Request& request) {
  const std::uint64_t sectors = request.length / sector_size;
  return (sectors + trim_range_sectors - 1) / trim_range_sectors;
}

std::uint32_t max_queued_reads(const DriveConfig& config) {
  const ControllerConfig& controller = config.controller;
  const Bytes page = config.geometry.page_size;
  const std::uint64_t reads = config.link.queue_depth * (controller.read_window / page) +
                              controller.read_ahead_streams * (controller.read_ahead / page) +
                              controller.write_buffer / page;
  return static_cast<std::uint32_t>(reads);
}

}  // namespace

Ssd::Ssd(const DriveConfig& config, kernel::Kernel& kernel, CompletionListener& listener,
         std::uint64_t seed)
    : config_(config),
      kernel_(kernel),
      listener_(listener),
      first_leaf_(kernel.add_resources(*this, flash_resource + FlashScheduler::leaves(config))),
      pages_per_transfer_(static_cast<std::uint32_t>(
          std::max<std::uint64_t>(1, data_fis_max / config.geometry.page_size))),
      window_pages_(
          static_cast<std::uint32_t>(config.controller.read_window / config.geometry.page_size)),
      array_(config.geometry),
      ftl_(config.geometry, config.ftl, config.logical_pages(), seed),
      steady_history_(config.logical_pages()),
      flash_(config_, kernel, array_, *this, max_queued_reads(config)),
      buffer_(
          static_cast<std::uint32_t>(config.controller.write_buffer / config.geometry.page_size),
          static_cast<std::uint32_t>(config.geometry.page_size / sector_size)),
      read_ahead_(
          config.controller.read_ahead_streams,
          static_cast<std::uint32_t>(config.controller.read_ahead / config.geometry.page_size)),
      commands_(config.link.queue_depth),
      line_(config.link.rate),
      link_queue_(config.link.queue_depth),
      front_queue_(config.link.queue_depth),
      receiving_(config.link.queue_depth),
      dispatch_(config.controller.write_buffer / config.geometry.page_size) {
  X25_CHECK(window_pages_ >= pages_per_transfer_);
  X25_CHECK(window_pages_ <= 64);
  flash_.set_first_leaf(first_leaf_ + flash_resource);
  run_.reserve(config.firmware.run_pages);
  if (!config.controller.write_cache) {
    waiting_for_program_.resize(config.controller.write_buffer / config.geometry.page_size);
  }
  for (std::uint32_t tag = config.link.queue_depth; tag-- > 0;) {
    free_tags_.push_back(static_cast<std::uint16_t>(tag));
  }
}

void Ssd::set_observer(SpanObserver* observer) {
  observer_ = observer;
  flash_.set_observer(observer);
}

void Ssd::observe(Resource resource, const char* what, Duration duration, std::uint64_t detail) {
  if (observer_ != nullptr) {
    observer_->on_span({resource, 0, what, kernel_.now(), duration, detail});
  }
}

Bytes Ssd::max_request(Operation operation) const {
  return operation == Operation::trim ? sector_size * (trim_range_sectors * trim_ranges_per_block)
                                      : sector_size * max_transfer_sectors;
}

bool Ssd::idle() const {
  return host_queue_.empty() && free_tags_.size() == commands_.size() && buffer_.empty() &&
         flash_.idle();
}

void Ssd::on_event(std::uint32_t number) {
  switch (number) {
    case link_resource: finish_transfer(); break;
    case front_resource: finish_front(); break;
    case back_resource: finish_back(); break;
    case idle_resource: collect_in_idle_time(); break;
    default: flash_.on_event(number - flash_resource); break;
  }
  if (config_.ftl.gc_pacing == ftl::GcPacing::idle) watch_idle();
}

// ---- Commands -----------------------------------------------------------------------------------

void Ssd::submit(std::uint64_t id, const Request& request) {
  X25_CHECK(request.operation == Operation::flush || request.length.count > 0);
  X25_CHECK(request.length <= max_request(request.operation));
  X25_CHECK((request.offset % sector_size).count == 0);
  X25_CHECK((request.length % sector_size).count == 0);
  X25_CHECK(request.offset + request.length <= capacity(),
            "request of " + std::to_string(request.length.count) + " bytes at " +
                std::to_string(request.offset.count));
  if (request.operation != Operation::flush) {
    ftl_.prefetch(Lpn{static_cast<std::uint32_t>(request.offset / config_.geometry.page_size)});
  }
  if (config_.ftl.gc_pacing == ftl::GcPacing::idle) {
    collecting_ = false;
    collected_ = false;
    kernel_.cancel(first_leaf_ + idle_resource);
  }
  host_queue_.push_back({id, request});
  admit_commands();
}

// Gives tags to waiting requests, in order. TRIM and FLUSH are not queued commands: they wait until
// nothing else is under way, and then hold up everything behind them.
void Ssd::admit_commands() {
  while (!host_queue_.empty() && !free_tags_.empty() && !exclusive_) {
    const Waiting& next = host_queue_.front();
    const Operation operation = next.request.operation;
    const bool queued = operation == Operation::read || operation == Operation::write;
    if (!queued) {
      if (free_tags_.size() < commands_.size()) return;
      exclusive_ = true;
    }
    const std::uint16_t tag = free_tags_.back();
    free_tags_.pop_back();
    Command& command = commands_[tag];
    command = {};
    command.id = next.id;
    command.request = next.request;
    if (queued) {
      const std::uint64_t page = config_.geometry.page_size.count;
      const std::uint64_t first = next.request.offset.count / page;
      const std::uint64_t end =
          (next.request.offset.count + next.request.length.count + page - 1) / page;
      command.first_page = static_cast<std::uint32_t>(first);
      command.pages = static_cast<std::uint32_t>(end - first);
    }
    ++counters_.commands;
    host_queue_.pop_front();
    queue_transfer({tag, Transfer::command, 0});
  }
}

void Ssd::complete(std::uint16_t number) {
  const Command& command = commands_[number];
  const std::uint64_t id = command.id;
  switch (command.request.operation) {
    case Operation::read: counters_.host_read += command.request.length; break;
    case Operation::write: counters_.host_write += command.request.length; break;
    case Operation::trim: counters_.host_trim += command.request.length; break;
    case Operation::flush: break;
  }
  const Operation operation = command.request.operation;
  if (operation == Operation::trim || operation == Operation::flush) exclusive_ = false;
  free_tags_.push_back(number);
  listener_.on_complete(id);
  admit_commands();
}

// ---- Link ---------------------------------------------------------------------------------------

void Ssd::queue_transfer(const LinkJob& job) {
  link_queue_.push(job);
  start_transfer();
}

Frames Ssd::frames_of(const LinkJob& job) const {
  Frames frames(config_.link);
  const Command& command = commands_[job.command];
  const bool first = command.pages_done == 0;
  const bool last = command.pages_done + job.pages == command.pages;
  switch (job.transfer) {
    case Transfer::command:
      frames.add(register_fis);  // the command
      frames.add(register_fis);  // the device is ready for the next one
      break;
    case Transfer::read_data:
      if (first) frames.add(dma_setup_fis);
      frames.add_data(bytes_in_pages(command, command.pages_done, job.pages));
      if (last) frames.add(set_device_bits_fis);
      break;
    case Transfer::write_data:
      frames.add(first ? dma_setup_fis : dma_activate_fis);
      frames.add_data(bytes_in_pages(command, command.pages_done, job.pages));
      if (last && config_.controller.write_cache) frames.add(set_device_bits_fis);
      break;
    case Transfer::write_status: frames.add(set_device_bits_fis); break;
    case Transfer::trim_data:
      frames.add(dma_activate_fis);
      frames.add_data(sector_size);
      break;
    case Transfer::status: frames.add(register_fis); break;
  }
  return frames;
}

void Ssd::start_transfer() {
  if (link_active_ || link_queue_.empty()) return;
  link_job_ = link_queue_.pop();
  link_active_ = true;
  link_busy_.begin(kernel_.now());
  const Duration duration = line_.occupy(frames_of(link_job_));
  static constexpr const char* labels[] = {"command",      "read data",   "write data",
                                           "write status", "trim ranges", "status"};
  observe(Resource::link, labels[static_cast<int>(link_job_.transfer)], duration,
          link_job_.command);
  kernel_.schedule(first_leaf_ + link_resource, kernel_.now() + duration);
}

void Ssd::finish_transfer() {
  const LinkJob job = link_job_;
  link_active_ = false;
  link_busy_.end(kernel_.now());
  switch (job.transfer) {
    case Transfer::command: queue_front({job.command, FrontWork::command}); break;
    case Transfer::read_data: finish_read_data(job); break;
    case Transfer::write_data: finish_write_data(job); break;
    case Transfer::trim_data:
      draining_ = job.command;
      drain_requested_ = true;
      serve_drained();
      break;
    case Transfer::write_status:
    case Transfer::status: complete(job.command); break;
  }
  start_transfer();
}

// ---- Front stage --------------------------------------------------------------------------------

void Ssd::queue_front(const FrontJob& job) {
  front_queue_.push(job);
  start_front();
}

void Ssd::start_front() {
  if (front_active_ || front_queue_.empty()) return;
  front_job_ = front_queue_.pop();
  front_active_ = true;
  front_busy_.begin(kernel_.now());
  Duration duration = config_.firmware.front_per_command;
  if (front_job_.work == FrontWork::trim_ranges) {
    duration = config_.firmware.trim_per_range *
               static_cast<Duration::rep>(range_count(commands_[front_job_.command].request));
  }
  observe(Resource::firmware_front,
          front_job_.work == FrontWork::command ? "command" : "trim ranges", duration,
          front_job_.command);
  kernel_.schedule(first_leaf_ + front_resource, kernel_.now() + duration);
}

void Ssd::finish_front() {
  const FrontJob job = front_job_;
  front_active_ = false;
  front_busy_.end(kernel_.now());
  switch (job.work) {
    case FrontWork::command: decode(job.command); break;
    case FrontWork::trim_ranges:
      trim_ranges(commands_[job.command].request);
      queue_transfer({job.command, Transfer::status, 0});
      break;
  }
  start_front();
}

void Ssd::decode(std::uint16_t number) {
  switch (commands_[number].request.operation) {
    case Operation::read: request_pages(number); break;
    case Operation::write:
      receiving_.push(number);
      receive_data();
      break;
    case Operation::trim: queue_transfer({number, Transfer::trim_data, 0}); break;
    case Operation::flush:
      draining_ = number;
      drain_requested_ = true;
      serve_drained();
      break;
  }
}

// Goes on with a flush or a trim once the write buffer is empty.
void Ssd::serve_drained() {
  if (!drain_requested_ || !buffer_.empty()) return;
  drain_requested_ = false;
  if (commands_[draining_].request.operation == Operation::trim) {
    queue_front({draining_, FrontWork::trim_ranges});
  } else {
    queue_transfer({draining_, Transfer::status, 0});
  }
}

// Pages that are covered in part keep their data.
void Ssd::trim_ranges(const Request& request) {
  const std::uint64_t page = config_.geometry.page_size.count;
  const std::uint64_t first = (request.offset.count + page - 1) / page;
  const Bytes end_byte = request.offset + request.length;
  // The drive's last page may be cut short by its capacity; up to there it is covered whole.
  const std::uint64_t end = end_byte == capacity() ? ftl_.logical_pages() : end_byte.count / page;
  read_ahead_.invalidate_all();
  if (end > first) ftl_.trim(Lpn{static_cast<std::uint32_t>(first)}, end - first);
}

Bytes Ssd::bytes_in_pages(const Command& command, std::uint32_t position,
                          std::uint32_t pages) const {
  const Bytes page = config_.geometry.page_size;
  const Bytes begin = std::max(command.request.offset, page * (command.first_page + position));
  const Bytes end = std::min(command.request.offset + command.request.length,
                             page * (command.first_page + position + pages));
  return end - begin;
}

std::uint64_t Ssd::sectors_in_page(const Command& command, std::uint32_t position) const {
  const Bytes page_begin = config_.geometry.page_size * (command.first_page + position);
  const Bytes begin = std::max(command.request.offset, page_begin);
  const std::uint64_t first = (begin - page_begin) / sector_size;
  std::uint64_t count = bytes_in_pages(command, position, 1) / sector_size;
  // The drive's last page may be cut short by its capacity; up to there it is covered whole.
  if (position + 1 == command.pages &&
      command.request.offset + command.request.length == capacity()) {
    count = config_.geometry.page_size / sector_size - first;
  }
  return (~std::uint64_t{0} >> (64 - count)) << first;
}

// ---- Idle time ----------------------------------------------------------------------------------

// Plans the next step of garbage collection if the drive has nothing else to do.
void Ssd::watch_idle() {
  if (collected_ || !idle() || kernel_.is_scheduled(first_leaf_ + idle_resource)) return;
  const Duration delay = collecting_ ? Duration{} : config_.firmware.gc_idle_delay;
  kernel_.schedule(first_leaf_ + idle_resource, kernel_.now() + delay);
}

// One step in every pool: a page copied, or a block erased.
void Ssd::collect_in_idle_time() {
  flash_.set_collection_owner(FlashScheduler::idle_owner);
  collecting_ = false;
  for (std::uint32_t pool = 0; pool < ftl_.pools(); ++pool) {
    if (ftl_.collect_idle(pool, flash_)) collecting_ = true;
  }
  flash_.set_collection_owner(FlashScheduler::no_owner);
  collected_ = !collecting_;
}

// ---- Outside the clock --------------------------------------------------------------------------

void Ssd::prefetch(const Request& request) const {
  ftl_.prefetch(Lpn{static_cast<std::uint32_t>(request.offset / config_.geometry.page_size)});
}

void Ssd::prefetch_overwrite(const Request& request) const {
  ftl_.prefetch_overwrite(
      Lpn{static_cast<std::uint32_t>(request.offset / config_.geometry.page_size)});
}

void Ssd::apply(const Request& request) {
  switch (request.operation) {
    case Operation::flush: return;
    case Operation::trim:
      counters_.host_trim += request.length;
      trim_ranges(request);
      return;
    case Operation::read:
    case Operation::write: break;
  }
  const std::uint64_t page_bytes = config_.geometry.page_size.count;
  const std::uint64_t begin = request.offset.count;
  const std::uint64_t end = begin + request.length.count;
  ftl::FunctionalExecutor executor(array_);
  const bool writes = request.operation == Operation::write;
  (writes ? counters_.host_write : counters_.host_read) += request.length;
  for (std::uint64_t number = begin / page_bytes; number * page_bytes < end; ++number) {
    const Lpn page{static_cast<std::uint32_t>(number)};
    const bool whole = begin <= number * page_bytes &&
                       std::min((number + 1) * page_bytes, capacity().count) <= end;
    const Ppn physical = ftl_.lookup(page);
    if (!writes && physical == no_page) ++counters_.unmapped_read_pages;
    if ((!writes || !whole) && physical != no_page) {
      const auto cause = writes ? ftl::Cause::rmw : ftl::Cause::host;
      ++counters_.ftl.reads[static_cast<std::size_t>(cause)];
      executor.read(physical, cause);
    }
    if (!writes) continue;
    ftl_.write(page, whole ? ftl::Cause::host : ftl::Cause::rmw, executor);
    count_host_page();
  }
}

void Ssd::exchange(StateArchive& archive) {
  X25_CHECK(idle());
  X25_CHECK(counters_.commands == 0);
  archive.value("drive", counters_);
  array_.exchange(archive);
  ftl_.exchange(archive);
  steady_history_.exchange(archive);
}

// What the run under way counts for so far.
Duration Ssd::back_load_until(Time now) const {
  if (config_.firmware.back_per_run == Duration{}) return {};
  const double share = seconds(now - back_start_) / seconds(config_.firmware.back_per_run);
  return Duration{static_cast<Duration::rep>(share * static_cast<double>(back_load_.count()))};
}

Counters Ssd::counters() const {
  const Time now = kernel_.now();
  Counters counters = counters_;
  const std::array<std::uint64_t, ftl::cause_count> host_reads = counters.ftl.reads;
  counters.ftl = ftl_.counters();
  for (std::size_t cause = 0; cause < ftl::cause_count; ++cause) {
    counters.ftl.reads[cause] += host_reads[cause];
  }
  counters.two_plane_reads = flash_.two_plane_reads();
  counters.program_slot_busy = flash_.program_slot_busy(now);
  counters.channel_busy = flash_.channel_busy(now);
  counters.die_busy = flash_.die_busy(now);
  counters.buffer_full = buffer_full_.total(now);
  counters.link_busy = link_busy_.total(now);
  if (back_active_) counters.back_busy += back_load_until(now);
  counters.front_busy = front_busy_.total(now);
  return counters;
}

void Ssd::check_invariants() const {
  if (idle()) {
    ftl_.check_invariants(array_);
  } else {
    ftl_.check_invariants();
  }
}

}  // namespace x25sim::drive
