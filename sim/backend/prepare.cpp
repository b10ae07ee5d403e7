#include "sim/backend/prepare.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "nand/errors.hpp"
#include "nand/random.hpp"
#include "nand/suggestion.hpp"
#include "sim/backend/request_pipeline.hpp"
#include "sim/workload/fio_job_file.hpp"
#include "sim/workload/fio_suffix.hpp"

namespace x25sim::backend {

namespace {

using workload::Operation;
using workload::Request;

constexpr Bytes overwrite_size{4096};
constexpr Bytes fill_size{1u << 20};
constexpr std::uint64_t requests_between_progress = 1u << 18;

// Reports progress of work with a number of requests that is known, or of which the first part is.
class Progress {
 public:
  Progress(const std::function<bool(double)>& callback, std::uint64_t total)
      : callback_(callback), total_(total) {}

  // Another request is done; false to stop.
  bool advance() {
    ++done_;
    if (done_ % requests_between_progress != 0 || !callback_) return true;
    const bool known = done_ <= total_;
    return callback_(known ? static_cast<double>(done_) / static_cast<double>(total_) : 0.0);
  }

 private:
  const std::function<bool(double)>& callback_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
};

bool fill(drive::Ssd& drive, const std::function<bool(double)>& callback) {
  const Bytes end = drive.capacity();
  for (Bytes offset; offset < end; offset += fill_size) {
    drive.apply({Operation::write, offset, std::min(fill_size, end - offset)});
    const std::uint64_t number = offset / fill_size;
    if (number % 1024 == 0 && callback &&
        !callback(static_cast<double>(offset.count) / static_cast<double>(end.count))) {
      return false;
    }
  }
  return true;
}

bool overwrite(drive::Ssd& drive, Bytes span, std::uint64_t count, Random& random,
               Progress& progress) {
  const std::uint64_t places = span / overwrite_size;
  RequestPipeline pipeline(drive);
  for (std::uint64_t i = 0; i < count; ++i) {
    pipeline.push({Operation::write, overwrite_size * random.below(places), overwrite_size});
    if (!progress.advance()) return false;
  }
  pipeline.flush();
  return true;
}

// As many overwrites as the span has room for.
bool overwrite_once(drive::Ssd& drive, Bytes span, Random random,
                    const std::function<bool(double)>& callback) {
  const std::uint64_t count = span / overwrite_size;
  Progress progress(callback, count);
  return overwrite(drive, span, count, random, progress);
}

// Overwrites round by round until the drive has settled, or long enough.
bool overwrite_until_steady(drive::Ssd& drive, Bytes span, Random random,
                            const std::function<bool(double)>& callback) {
  const std::uint64_t drive_write = drive.ftl().logical_pages();
  const std::uint64_t begin = drive.ftl().counters().host_pages();
  const std::uint64_t pages_per_overwrite =
      std::max<std::uint64_t>(1, overwrite_size / drive.config().geometry.page_size);
  Progress progress(callback, steady_drive_writes_min * drive_write / pages_per_overwrite);
  for (;;) {
    const std::uint64_t written = drive.ftl().counters().host_pages() - begin;
    if (written >= steady_drive_writes_max * drive_write) return true;
    if (written >= steady_drive_writes_min * drive_write && drive.steady_state().reached())
      return true;
    const std::uint64_t count =
        (drive.steady_history().pages_left() + pages_per_overwrite - 1) / pages_per_overwrite;
    if (!overwrite(drive, span, count, random, progress)) return false;
  }
}

void trim(drive::Ssd& drive, Bytes begin, Bytes end) {
  if (begin < end) drive.apply({Operation::trim, begin, end - begin});
}

bool perform(drive::Ssd& drive, const Preparation& preparation, std::size_t number,
             std::uint64_t seed, const std::function<bool(double)>& callback) {
  check_without_clock(preparation.jobs);
  // Numbers of their own, and so random streams of their own: the same job file may prepare the
  // drive twice, and be measured afterwards, without making the same requests again.
  std::vector<workload::Job> jobs = preparation.jobs;
  for (workload::Job& job : jobs) job.number += static_cast<std::uint32_t>(number + 1) << 16;
  RequestPipeline pipeline(drive);
  Progress progress(callback, 0);
  const bool done = push_jobs(
      pipeline, jobs, seed, [&progress](const Request& /*request*/) { return progress.advance(); });
  if (done) pipeline.flush();
  return done;
}

Bytes parse_span(const std::string& text, const std::string& argument, Bytes capacity) {
  const SourceLocation where{"--prepare " + argument, 0};
  const auto percent = workload::parse_fio_percent(text);
  const auto number = workload::parse_fio_number(text, workload::kb_base_binary);
  if (!percent && !number) {
    throw InputError(where, "expected a size such as 8G or 50%, found '" + text + "'");
  }
  const Bytes span =
      percent ? overwrite_size * (workload::percent_of(capacity, *percent) / overwrite_size)
              : Bytes{number->value};
  if (span.count == 0 || span > capacity || (span % overwrite_size).count != 0) {
    throw InputError(where, "expected a span that is a multiple of 4096 bytes up to the drive's " +
                                std::to_string(capacity.count) + ", found " +
                                std::to_string(span.count));
  }
  return span;
}

}  // namespace

Preparation parse_preparation(const std::string& text, Bytes capacity) {
  using Kind = Preparation::Kind;
  const std::string name = text.substr(0, text.find(':'));
  const std::optional<std::string> span =
      name.size() < text.size() ? std::optional(text.substr(name.size() + 1)) : std::nullopt;
  const Bytes whole = overwrite_size * (capacity / overwrite_size);
  if (text == "fresh") return {text, Kind::fresh, {}, {}, {}};
  if (text == "filled") return {text, Kind::filled, {}, {}, {}};
  if (text == "steady") return {text, Kind::steady, whole, {}, {}};
  if (name == "used") {
    return {text, Kind::used, span ? parse_span(*span, text, capacity) : whole, {}, {}};
  }
  if (name == "trimmed") {
    if (!span) {
      throw InputError({"--prepare trimmed", 0}, "expected a span, as trimmed:8G, found none");
    }
    return {text, Kind::trimmed, parse_span(*span, text, capacity), {}, {}};
  }
  std::error_code ignored;
  if (text.find('/') == std::string::npos && !text.ends_with(".fio") &&
      !std::filesystem::exists(text, ignored)) {
    throw InputError({"--prepare " + text, 0},
                     "expected fresh, filled, used[:SPAN], trimmed:SPAN, steady or a job file" +
                         did_you_mean(name, {"fresh", "filled", "used", "trimmed", "steady"}));
  }
  workload::JobFile file = workload::read_fio_job_file(text, capacity);
  return {text, Kind::jobs, {}, std::move(file.jobs), std::move(file.notices)};
}

bool prepare(drive::Ssd& drive, const Preparation& preparation, std::size_t number,
             std::uint64_t seed, const std::function<bool(double)>& progress) {
  using Kind = Preparation::Kind;
  const Bytes capacity = drive.capacity();
  const Bytes whole = overwrite_size * (capacity / overwrite_size);
  const Random random = random_stream(seed, "prepare.overwrite", number);
  switch (preparation.kind) {
    case Kind::fresh:
      if (number > 0) {
        throw InputError({"--prepare fresh", 0},
                         "expected the first of the preparations: it undoes what came before");
      }
      return true;
    case Kind::filled: return fill(drive, progress);
    case Kind::used:
      return fill(drive, progress) && overwrite_once(drive, preparation.span, random, progress);
    case Kind::trimmed:
      if (!fill(drive, progress) || !overwrite_once(drive, whole, random, progress)) return false;
      trim(drive, preparation.span, capacity);
      return true;
    case Kind::steady:
      return fill(drive, progress) && overwrite_until_steady(drive, whole, random, progress);
    case Kind::jobs: return perform(drive, preparation, number, seed, progress);
  }
  return true;
}

}  // namespace x25sim::backend
