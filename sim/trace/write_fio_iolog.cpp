// Writes version 3 of fio's logs. Times are us from the first record, rounded down, and never go
// backwards: fio would take a step back as no pause, and the steps behind it from there, so that
// all that follows came too late. A device is a file of its name. fio reads lengths in 32 bits.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <string>

#include "sim/trace/device_names.hpp"
#include "sim/trace/line.hpp"
#include "sim/trace/writer.hpp"

namespace x25sim::trace {

namespace {

constexpr std::size_t path_size_max = 255;        // of which fio keeps no more
constexpr std::uint64_t length_max = 0xffffffff;  // bytes

class FioIologWriter final : public Writer {
 public:
  explicit FioIologWriter(std::ostream& stream) : Writer(stream) {
    fmt::print(out(), "fio version 3 iolog\n");
  }

  void finish() override {
    for (std::uint32_t file = 0; file < files_.size(); ++file) {
      fmt::print(out(), "{} {} close\n", last_time() / microsecond_ns, path_of(file));
    }
  }

 private:
  bool put(const Record& record, std::string_view device_name) override {
    if (record.kind == Kind::other) {
      return leave_out(record, "requests of another kind: the format has none");
    }
    if (record.length.count > length_max) {
      return leave_out(record, "requests of 4 GiB and more, whose length fio reads as another one");
    }
    if (record.length.count == 0 && record.kind != Kind::flush) {
      return leave_out(record, "requests without data, at which fio stops");
    }
    if (record.flush_first || record.durable) {
      note_change(record, "writes with flush or forced unit access, written as plain ones");
    }
    const std::uint64_t time_ns = time_since_first(record, Backwards::lifted);
    if (time_ns % microsecond_ns != 0) {
      note_change(record, "times that are no whole microseconds, rounded down");
    }
    const std::uint64_t time = time_ns / microsecond_ns;
    const std::size_t known = files_.size();
    const std::uint32_t file = files_.index(device_name);
    const std::string path = path_of(file);
    if (path != device_name && !device_name.empty()) {
      note_change(record, "names of devices that are no path for fio, written as others");
    }
    if (file == known) fmt::print(out(), "{0} {1} add\n{0} {1} open\n", time, path);
    fmt::print(out(), "{} {} {} {} {}\n", time, path, action_of(record.kind), record.offset.count,
               record.length.count);
    return true;
  }

  static std::string_view action_of(Kind kind) {
    switch (kind) {
      case Kind::read: return "read";
      case Kind::write: return "write";
      case Kind::trim: return "trim";
      case Kind::flush:
      case Kind::other: break;
    }
    return "sync";
  }

  // The device's name, where it is a path that fio can read.
  std::string path_of(std::uint32_t file) const {
    const std::string& name = files_.name(file);
    const bool sound = !name.empty() && name.size() <= path_size_max &&
                       name.find_first_of(" \t\r\n\v\f:") == name.npos;
    return sound ? name : fmt::format("device-{}", file);
  }

  DeviceNames files_;
};

}  // namespace

std::unique_ptr<Writer> write_fio_iolog(std::ostream& out) {
  return std::make_unique<FioIologWriter>(out);
}

}  // namespace x25sim::trace
