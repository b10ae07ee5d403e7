#include "sim/backend/source.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "nand/check.hpp"

namespace x25sim::backend {

namespace {

// "6,047": for people, whatever the locale.
std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace

TraceSource::TraceSource(trace::TraceFiles files, const trace::ReplayRules& rules,
                         Bytes device_size)
    : files_(std::move(files)),
      rules_(rules),
      device_size_(device_size),
      survey_(files_),
      clock_(rules.backward_times, files_.names),
      devices_(rules.devices, files_.names, survey_),
      sectors_(rules.partial_sectors, files_.names),
      range_(rules.out_of_range, device_size, files_.names),
      merge_(rules.merge),
      time_(rules.time_scale, files_.names) {
  if (rules.repeat > 1) files_.require_rereadable("--repeat");
  if (rules.out_of_range == trace::OutOfRange::scale) {
    files_.require_rereadable("--out-of-range scale");
  }
  reader_ = files_.open();
}

std::optional<TimedRequest> TraceSource::next() {
  while (outgoing_.empty()) {
    if (!advance()) return {};
  }
  const Outgoing next = outgoing_.front();
  outgoing_.pop_front();
  issued_ += next.first ? 1 : 0;
  merged_ += next.joined;
  ++requests_;
  return next.request;
}

// Takes one more record; false at the end of the last pass.
bool TraceSource::advance() {
  const auto record = next_on_drive();
  if (!record) {
    if (joint_) {
      release();
      return true;
    }
    return begin_pass();
  }
  const trace::Issue issue = issue_of(*record);
  if (issue.requests.size() == 0) {
    ++skipped_;
    return true;
  }
  if (joint_ && merge_.join(*joint_, *record, issue, device_size_)) return true;
  if (joint_) release();
  joint_ = {*record, record->offset + record->length, issue, 0};
  joint_at_ = now_;
  if (!merge_.active()) release();
  return true;
}

// Starts the trace again; false if it has been replayed as often as it should.
bool TraceSource::begin_pass() {
  // A trace without records is empty however often it is read.
  if (pass_ >= rules_.repeat || counter_.records() == 0) return false;
  if (pass_ == 1) notes_ = reader_->notes();
  ++pass_;
  malformed_ += reader_->malformed();
  reader_ = files_.open();
  counter_.begin_pass();
  clock_.restart();
  time_.begin_pass();
  return true;
}

// The next record in the order of time.
std::optional<trace::Record> TraceSource::next_in_time() {
  for (;;) {
    if (const auto record = clock_.take()) return record;
    const auto read = reader_->next();
    if (read) {
      counter_.add(*read);
      read_last_ = *read;
      clock_.add(*read);
      continue;
    }
    clock_.end();
    return clock_.take();
  }
}

// The next record that is to be issued, with an address that counts over all devices.
std::optional<trace::Record> TraceSource::next_on_drive() {
  for (;;) {
    auto record = next_in_time();
    if (!record) return {};
    now_ = time_.at(*record);
    const bool taken = devices_.apply(*record, reader_->devices());
    if (taken && record->kind == trace::Kind::flush) return record;
    if (!taken || !trace::has_data(*record)) {
      ++skipped_;
    } else if (!sectors_.apply(*record)) {
      ++refused_;
    } else {
      return record;
    }
  }
}

trace::Issue TraceSource::issue_of(const trace::Record& record) {
  if (rules_.out_of_range == trace::OutOfRange::scale && !extent_known_) {
    range_.set_extent(devices_.extent());
    extent_known_ = true;
  }
  try {
    return range_.apply(record);
  } catch (const trace::OutOfRangeError& error) {
    fail_beyond(error);
  }
}

// Reads on to the end, so that the user sees how many records are to be dealt with.
void TraceSource::fail_beyond(const trace::OutOfRangeError& error) {
  std::uint64_t beyond = 1;
  std::string read = "records";
  try {
    while (const auto record = next_on_drive()) {
      if (record->kind != trace::Kind::flush && !range_.is_within(*record)) ++beyond;
    }
  } catch (const InputError&) {
    read = "records before one that is an error, too,";
  }
  std::string message = fmt::format(
      "{}; {} of {} {} {} beyond it, for which --out-of-range has other rules than "
      "'error'",
      error.what(), with_commas(beyond), with_commas(counter_.records()), read,
      beyond == 1 ? "lies" : "lie");
  if (devices_.several() && rules_.devices.policy == trace::DeviceChoice::Policy::separate) {
    message += "; the trace's devices stand one behind the other, for which see --devices";
  }
  throw InputError(message);
}

// Gives out what was held for the next record to be joined to.
void TraceSource::release() {
  const std::size_t before = outgoing_.size();
  const trace::Record& record = joint_->first;
  constexpr workload::Request flush{workload::Operation::flush, {}, {}};
  if (record.flush_first) release_part(flush);
  for (const workload::Request& request : joint_->issue.requests) release_part(request);
  if (record.durable) release_part(flush);
  outgoing_[before].first = true;
  outgoing_[before].joined = joint_->joined;
  joint_.reset();
}

void TraceSource::release_part(const workload::Request& request) {
  outgoing_.push_back({{request, joint_at_}});
}

std::string TraceSource::device_names() const {
  constexpr std::size_t few = 10;
  const trace::DeviceNames& devices = reader_->devices();
  std::string names;
  for (std::uint32_t device = 0; device < std::min(devices.size(), few); ++device) {
    names += (device == 0 ? "'" : ", '") + devices.name(device) + "'";
  }
  return devices.size() > few ? names + ", ..." : names;
}

trace::ReplaySummary TraceSource::summary() const {
  trace::ReplaySummary summary;
  trace::Counts& counts = summary.counts;
  counts = counter_.counts();
  range_.add_to(counts);
  counts.malformed = malformed_ + reader_->malformed();
  counts.issued = issued_;
  counts.merged = merged_;
  counts.refused = refused_;
  counts.skipped = skipped_;
  counts.expanded = sectors_.expanded();
  counts.clamped = clock_.clamped();
  summary.devices = devices_.regions(reader_->devices());
  summary.notes = pass_ > 1 ? notes_ : reader_->notes();
  summary.passes = rules_.repeat;
  summary.pass = pass_;
  if (read_last_) summary.reached = files_.names.where(*read_last_).text();
  const std::uint64_t done = issued_ + merged_ + refused_ + skipped_;
  X25_CHECK(done <= counts.records);
  summary.waiting = counts.records - done;
  return summary;
}

}  // namespace x25sim::backend
