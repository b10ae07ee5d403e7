#include "sim/backend/replay_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <utility>

#include "nand/errors.hpp"
#include "sim/trace/formats.hpp"

namespace x25sim::backend {

namespace {

using trace::Kind;
using trace::Record;

// The first bytes of a log. Those of blktrace are in the byte order of the traced machine.
constexpr std::string_view iolog_beginning = "fio version ";
constexpr std::string_view blktrace_little_endian{
    "\x07"
    "tae",
    4};
constexpr std::string_view blktrace_big_endian{"eat\x07", 4};

const trace::Format& format_of(const std::string& path) {
  trace::ByteSource source = trace::ByteSource::open(path);
  std::array<char, iolog_beginning.size()> first{};
  const std::string_view beginning(first.data(), source.fill(first));
  if (beginning == iolog_beginning) return *trace::named_format("fio-iolog").format;
  if (beginning.starts_with(blktrace_little_endian) || beginning.starts_with(blktrace_big_endian)) {
    return *trace::named_format("blktrace").format;
  }
  throw InputError({path, 0},
                   "expected a log of fio, with the first line 'fio version 2 iolog' or 'fio "
                   "version 3 iolog', or a binary trace of blktrace, found neither");
}

bool has_records(const trace::Format& format, const std::string& path,
                 const trace::ReaderOptions& options) {
  return trace::open_trace(format, {path}, options)->next().has_value();
}

// The records of a log as the job's options change them.
class LogReader final : public trace::Reader {
 public:
  LogReader(std::unique_ptr<trace::Reader> log, const workload::ReplayLog& options,
            Bytes device_size, std::uint64_t& left_out)
      : log_(std::move(log)), options_(options), device_size_(device_size), left_out_(left_out) {}

  std::optional<Record> next() override {
    auto record = log_->next();
    if (!record) return {};
    set_time(*record);
    // Still a record: if it is the first one, it is what times count from.
    if (skips(record->kind)) {
      ++left_out_;
      record->kind = Kind::other;
    }
    if (skips(Kind::flush)) record->flush_first = record->durable = false;
    if (trace::has_data(*record)) set_place(*record);
    return record;
  }

  const trace::DeviceNames& devices() const override { return log_->devices(); }
  trace::Notes notes() const override { return log_->notes(); }
  std::uint64_t malformed() const override { return log_->malformed(); }

 private:
  [[noreturn]] void fail(const Record& record, const std::string& text) const {
    throw InputError({options_.path, record.line}, text);
  }

  bool skips(Kind kind) const {
    return std::ranges::any_of(options_.skip, [kind](workload::Operation operation) {
      return trace::kind_of(operation) == kind;
    });
  }

  void set_time(Record& record) {
    if (options_.no_stall) {
      record.time_ns = 0;
      return;
    }
    if (!first_ns_) first_ns_ = record.time_ns;
    if (record.time_ns <= *first_ns_) return;
    const double distance =
        static_cast<double>(record.time_ns - *first_ns_) * 100 / options_.time_scale_percent;
    if (distance > static_cast<double>(longest_run.count())) {
      fail(record, fmt::format("expected a request at most 100 days after the first one, found one "
                               "after {:.0f} ns; replay_time_scale makes times shorter, "
                               "replay_no_stall leaves them aside",
                               distance));
    }
  }

  void set_place(Record& record) const {
    const Bytes recorded = record.offset;
    record.offset = Bytes{record.offset.count / options_.scale};
    if (options_.align.count > 0) record.offset = record.offset - record.offset % options_.align;
    const auto found = [&record, recorded] {
      return fmt::format("a {} of {} bytes at byte {}", trace::name(record.kind),
                         record.length.count, record.offset.count) +
             (record.offset == recorded ? "" : fmt::format(" ({} in the log)", recorded.count));
    };
    if (!trace::in_whole_sectors(record)) {
      fail(record, fmt::format("expected a request in whole sectors of {} bytes, found {}; "
                               "replay_align changes offsets",
                               sector_size.count, found()));
    }
    if (record.offset > device_size_ || record.length > device_size_ - record.offset) {
      fail(record, fmt::format("expected a request within the device of {} bytes, found {}; "
                               "replay_scale divides offsets",
                               device_size_.count, found()));
    }
  }

  std::unique_ptr<trace::Reader> log_;
  const workload::ReplayLog options_;
  const Bytes device_size_;
  std::uint64_t& left_out_;
  std::optional<std::uint64_t> first_ns_;
};

}  // namespace

ReplayLog::ReplayLog(const workload::Job& job, Bytes device_size) {
  const workload::ReplayLog& options = job.replay;
  const trace::Format* format = nullptr;
  trace::ReaderOptions reading;
  try {
    std::error_code ignored;
    if (std::filesystem::exists(options.path, ignored) &&
        !std::filesystem::is_regular_file(options.path, ignored)) {
      throw InputError(
          {options.path, 0},
          "expected a file, which is read more than once, found a directory, pipe or device");
    }
    format = &format_of(options.path);
    if (format->has_actions) reading.action = trace::Action::queued;
    bool any = has_records(*format, options.path, reading);
    if (!any && format->has_actions) {
      reading.action = trace::Action::issued;
      any = has_records(*format, options.path, reading);
    }
    if (!any) throw InputError({options.path, 0}, "expected requests, found none in the whole log");
  } catch (const InputError& error) {
    throw InputError(options.where, std::string("read_iolog: ") + error.what());
  }
  if (reading.action) {
    action_ = *reading.action == trace::Action::queued ? "queued (Q)" : "issued (D)";
  }
  trace::ReplayRules rules;
  rules.devices.policy = trace::DeviceChoice::Policy::pool;
  rules.time_scale = 100.0 / options.time_scale_percent;
  const auto open = [this, format, reading, options, device_size] {
    return std::make_unique<LogReader>(trace::open_trace(*format, {options.path}, reading), options,
                                       device_size, left_out_);
  };
  source_.emplace(trace::TraceFiles{{{options.path}}, open}, rules, device_size);
}

ReplayedLog ReplayLog::summary() const {
  ReplayedLog summary{source_->summary(), left_out_};
  summary.trace.action = action_;
  return summary;
}

}  // namespace x25sim::backend
