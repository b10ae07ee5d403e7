#include "sim/trace/writer.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"

namespace x25sim::trace {

namespace {

constexpr std::array all_formats{
    WriterFormat{.name = "blkparse",
                 .description = "what blkparse prints, with the actions Q, G, I and D",
                 .open = write_blkparse},
    WriterFormat{.name = "blktrace",
                 .description = "a binary file for blkparse and btt, with Q, G, I and D",
                 .open = write_blktrace,
                 .binary = true,
                 .suffix = ".blktrace.0"},
    WriterFormat{.name = "fio-iolog",
                 .description = "a log for fio's read_iolog, version 3",
                 .open = write_fio_iolog},
    WriterFormat{.name = "mqsim",
                 .description = "MQSim's five columns, times in ns from the first record",
                 .open = write_mqsim},
    WriterFormat{.name = "msr",
                 .description = "MSR Cambridge (SNIA), times in 100 ns as the trace counts",
                 .open = write_msr},
};

}  // namespace

void Writer::write(const Record& record, std::string_view device_name) {
  if (!begun_) {
    begun_ = true;
    first_ns_ = record.time_ns;
  }
  if (put(record, device_name)) ++written_;
}

bool Writer::leave_out(const Record& record, std::string_view reason) {
  left_out_.add(reason, record.line);
  return false;
}

void Writer::note_change(const Record& record, std::string_view what) {
  changed_.add(what, record.line);
}

std::uint64_t Writer::time_since_first(const Record& record, Backwards backwards) {
  std::uint64_t time = 0;
  if (record.time_ns < first_ns_) {
    note_change(record, "times before the first record's, written as its time");
  } else {
    time = record.time_ns - first_ns_;
  }
  if (backwards == Backwards::lifted && time < last_ns_) {
    note_change(record, "times before the preceding record's, written as its time");
    time = last_ns_;
  }
  last_ns_ = time;
  return time;
}

std::span<const WriterFormat> writer_formats() { return all_formats; }

const WriterFormat& writer_format(const std::string& name) {
  std::vector<std::string> names;
  for (const WriterFormat& format : all_formats) {
    if (name == format.name) return format;
    names.emplace_back(format.name);
  }
  throw InputError(fmt::format("expected a format to write ({}), found '{}'{}",
                               fmt::join(names, ", "), name, did_you_mean(name, names)));
}

}  // namespace x25sim::trace
