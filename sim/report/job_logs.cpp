#include "sim/report/job_logs.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include "nand/errors.hpp"

namespace x25sim::report {

namespace {

using workload::Operation;
using workload::Request;

std::int64_t whole_ms(Duration duration) {
  return std::chrono::floor<std::chrono::milliseconds>(duration).count();
}

// What all lines of a file of figures have in common.
struct FigureFile {
  StreamedFile* file = nullptr;  // none: the job has no such log
  bool offsets = false;
  std::int64_t epoch_ms = 0;

  // `of`: the request of the line; none for a line about an interval.
  void write(std::int64_t ms, std::uint64_t value, std::size_t direction, const Request* of) const {
    const std::uint64_t length = of == nullptr ? 0 : of->length.count;
    const std::uint64_t offset = of == nullptr ? 0 : of->offset.count;
    auto out = std::back_inserter(file->text());
    fmt::format_to(out, "{}, {}, {}, {}", ms + epoch_ms, value, direction, length);
    if (offsets) fmt::format_to(out, ", {}", offset);
    file->text() += ", 0";
    file->end_line();
  }
};

// Latencies, one by one or the mean (the maximum) of each interval. As in fio, an interval of a
// direction ends with the first request that completes behind it, which counts in it.
class LatencyLog {
 public:
  LatencyLog(FigureFile file, const workload::JobLogs& options)
      : file_(file), average_ms_(whole_ms(options.average)), maximum_(options.maximum) {}

  void add(Duration elapsed, Duration latency, const Request& request) {
    if (file_.file == nullptr) return;
    const std::int64_t ms = whole_ms(elapsed);
    const auto direction = static_cast<std::size_t>(request.operation);
    const auto value = static_cast<std::uint64_t>(latency.count());
    if (average_ms_ == 0) {
      file_.write(ms, value, direction, &request);
      return;
    }
    Window& window = windows_[direction];
    ++window.count;
    window.sum += value;
    window.max = std::max(window.max, value);
    if (ms - window.begin_ms < average_ms_) return;
    end_window(direction, ms);
    window.begin_ms = ms - ms % average_ms_;
  }

  void end(Duration elapsed) {
    for (std::size_t direction = 0; direction < windows_.size(); ++direction) {
      end_window(direction, whole_ms(elapsed));
    }
  }

 private:
  struct Window {
    std::int64_t begin_ms = 0;
    std::uint64_t count = 0, sum = 0, max = 0;
  };

  void end_window(std::size_t direction, std::int64_t ms) {
    Window& window = windows_[direction];
    if (window.count == 0) return;
    const std::uint64_t mean = (window.sum + window.count / 2) / window.count;
    file_.write(ms, maximum_ ? window.max : mean, direction, nullptr);
    window.count = window.sum = window.max = 0;
  }

  FigureFile file_;
  std::int64_t average_ms_;
  bool maximum_;
  std::array<Window, 3> windows_{};
};

// Bandwidth or IOPS over each interval, or of each request.
class RateLog {
 public:
  // A rate is what was added over a second, divided by `unit`.
  RateLog(FigureFile file, const workload::JobLogs& options, std::uint64_t unit)
      : file_(file), interval_(std::chrono::milliseconds{whole_ms(options.average)}), unit_(unit) {}

  // `amount` of a request that is complete; `single` is its rate by itself.
  void add(Duration elapsed, std::uint64_t amount, std::uint64_t single, const Request& request) {
    if (file_.file == nullptr) return;
    const auto direction = static_cast<std::size_t>(request.operation);
    if (interval_ == Duration{}) {
      file_.write(whole_ms(elapsed), single, direction, &request);
      return;
    }
    const Duration begin = elapsed - elapsed % interval_;
    if (begin > begin_) {
      end_interval(interval_);
      begin_ = begin;
    }
    amounts_[direction] += amount;
  }

  void end(Duration elapsed) {
    if (elapsed > begin_) end_interval(std::min(elapsed - begin_, interval_));
  }

 private:
  void end_interval(Duration length) {
    for (std::size_t direction = 0; direction < amounts_.size(); ++direction) {
      if (amounts_[direction] == 0) continue;
      const double per_second = static_cast<double>(amounts_[direction]) / seconds(length);
      const auto rate = static_cast<std::uint64_t>(per_second / static_cast<double>(unit_));
      file_.write(whole_ms(begin_ + length), rate, direction, nullptr);
    }
    amounts_ = {};
  }

  FigureFile file_;
  Duration interval_;
  std::uint64_t unit_;
  Duration begin_{};
  std::array<std::uint64_t, 3> amounts_{};
};

std::string file_name_of(std::string drive) {
  std::replace_if(
      drive.begin(), drive.end(),
      [](unsigned char character) { return std::isspace(character) != 0; }, '_');
  return drive;
}

}  // namespace

class JobLogWriter final : public backend::JobObserver {
 public:
  struct Files {
    StreamedFile* iolog = nullptr;
    FigureFile bandwidth, iops, submission, completion, total;
  };

  JobLogWriter(const Files& files, const workload::Job& job, const std::string& drive)
      : iolog_(files.iolog),
        flush_(job.durability.data_only ? "datasync" : "sync"),
        drive_(file_name_of(drive)),
        bandwidth_(files.bandwidth, job.logs, 1024),
        iops_(files.iops, job.logs, 1),
        submission_(files.submission, job.logs),
        completion_(files.completion, job.logs),
        total_(files.total, job.logs) {}

  void on_start(Time now, Time measurement) override {
    start_ = now;
    measurement_ = measurement;
    if (iolog_ == nullptr) return;
    iolog_->text() += "fio version 3 iolog";
    iolog_->end_line();
    action(now, "add");
    action(now, "open");
  }

  void on_issue(Time now, const Request& request) override {
    if (iolog_ == nullptr) return;
    const bool flush = request.operation == Operation::flush;
    const std::string_view operation = flush ? flush_ : workload::name(request.operation);
    fmt::format_to(std::back_inserter(iolog_->text()), "{} {} {} {} {}", microseconds(now), drive_,
                   operation, request.offset.count, request.length.count);
    iolog_->end_line();
  }

  void on_submit(Time now, Time issued, const Request& request) override {
    submission_.add(now - measurement_, now - issued, request);
  }

  void on_complete(const backend::CompletedRequest& completed) override {
    const Request& request = completed.request;
    const Duration elapsed = completed.completed - measurement_;
    const Duration latency = completed.completed - completed.submitted;
    total_.add(elapsed, completed.completed - completed.issued, request);
    completion_.add(elapsed, latency, request);
    const auto ns = static_cast<std::uint64_t>(latency.count());
    bandwidth_.add(elapsed, request.length.count,
                   ns == 0 ? 0 : request.length.count * 1'000'000 / ns, request);
    iops_.add(elapsed, 1, 1, request);
  }

  void on_end(Time now) override {
    if (!start_) return;
    const Duration elapsed = now - measurement_;
    submission_.end(elapsed);
    completion_.end(elapsed);
    total_.end(elapsed);
    bandwidth_.end(elapsed);
    iops_.end(elapsed);
    if (iolog_ != nullptr) action(now, "close");
  }

 private:
  std::int64_t microseconds(Time now) const {
    return std::chrono::floor<std::chrono::microseconds>(now - *start_).count();
  }

  void action(Time now, std::string_view what) {
    fmt::format_to(std::back_inserter(iolog_->text()), "{} {} {}", microseconds(now), drive_, what);
    iolog_->end_line();
  }

  StreamedFile* iolog_;
  std::string_view flush_;  // what a flush is called
  std::string drive_;
  RateLog bandwidth_, iops_;
  LatencyLog submission_, completion_, total_;
  std::optional<Time> start_;  // none: the job has not started
  Time measurement_{};
};

JobLogFiles::JobLogFiles(const std::vector<workload::Job>& jobs, const std::string& drive,
                         std::chrono::milliseconds epoch) {
  for (const workload::Job& job : jobs) {
    const workload::JobLogs& logs = job.logs;
    const std::int64_t epoch_ms = logs.unix_epoch ? epoch.count() : 0;
    const auto figures = [&](const std::string& name, const char* kind) {
      return FigureFile{open_figures(name, kind, job), logs.offsets, epoch_ms};
    };
    if (!logs.any()) continue;
    const JobLogWriter::Files files{
        .iolog = open(logs.iolog, "write_iolog of job " + job.name, job),
        .bandwidth = figures(logs.bandwidth, "bw"),
        .iops = figures(logs.iops, "iops"),
        .submission = figures(logs.latency, "slat"),
        .completion = figures(logs.latency, "clat"),
        .total = figures(logs.latency, "lat")};
    writers_[job.number] = std::make_unique<JobLogWriter>(files, job, drive);
  }
}

JobLogFiles::~JobLogFiles() = default;

StreamedFile* JobLogFiles::open_figures(const std::string& name, const std::string& kind,
                                        const workload::Job& job) {
  if (name.empty()) return nullptr;
  if (!job.logs.per_job) return open(name + "_" + kind + ".log", "shared log of " + kind, job);
  const std::string number = std::to_string(job.number + 1);
  return open(name + "_" + kind + "." + number + ".log", kind + " log of job " + number, job);
}

StreamedFile* JobLogFiles::open(const std::string& path, const std::string& writer,
                                const workload::Job& job) {
  if (path.empty()) return nullptr;
  const auto found = files_.find(path);
  if (found == files_.end()) {
    return files_.emplace(path, Entry{writer, std::make_unique<StreamedFile>(path, "the log")})
        .first->second.file.get();
  }
  // Only figures of a kind are shared, and only by those who say so: per_job_logs=0.
  if (found->second.writer != writer || !writer.starts_with("shared")) {
    throw InputError(job.where, "job '" + job.name + "': expected a log of its own, found '" +
                                    path + "', which is the " + found->second.writer);
  }
  return found->second.file.get();
}

backend::JobObserver* JobLogFiles::observer(const workload::Job& job) const {
  const auto found = writers_.find(job.number);
  return found == writers_.end() ? nullptr : found->second.get();
}

void JobLogFiles::close() {
  for (auto& [path, entry] : files_) entry.file->close();
}

}  // namespace x25sim::report
