// fio's logs of requests (write_iolog, read_iolog), in bytes. The first line is "fio version 2
// iolog" or "fio version 3 iolog", the others are
//
//   version 2: FILE add|open|close     FILE ACTION OFFSET LENGTH     FILE wait TIME LENGTH
//   version 3: TIME before each of these lines, and no wait
//
// with the actions read, write, trim, sync, datasync and sync_file_range. A file is added and
// opened before it is used, and is a device here; its path can't hold blanks.
//
// Version 3: times count from the start of the job in us (early fio: ms, see --time-unit).
// Version 2: a wait says how long after the start of the log the requests behind it come: it is not
// relative to the wait before it, whatever fio's manual says. fio's manual has us for it, which is
// what is read here; fio 3.33 itself waits as many ms (--time-unit ms). "wait TIME" alone is
// understood, too. Requests without a wait before them come at 0, as fast as the device takes them.
#include <fmt/format.h>
#include <vector>

#include "sim/trace/formats.hpp"
#include "sim/trace/text_reader.hpp"

namespace x25sim::trace {

namespace {

class FioIologFormat final : public LineFormat {
 public:
  explicit FioIologFormat(const ReaderOptions& options)
      : unit_ns_(options.time_unit_ns.value_or(microsecond_ns)) {}

  bool parse(const Line& line, Record& record) override {
    if (version_ == 0) {
      version_ = version_of(line);
      return false;
    }
    const Fields fields = line.at_blanks();
    if (version_ == 2) return parse_version_2(line, fields, record);
    if (fields.count != 3 && fields.count != 5) {
      fail_fields(line, "'time file action' or 'time file action offset length'", fields);
    }
    record.time_ns = line.scaled(fields[0], "time", unit_ns_);
    if (fields.count == 3) return act(line, fields[1], fields[2], record);
    return transfer(line, fields[1], fields[2], fields[3], fields[4], record);
  }

 private:
  static int version_of(const Line& line) {
    if (line.text() == "fio version 2 iolog") return 2;
    if (line.text() == "fio version 3 iolog") return 3;
    constexpr std::string_view expected = "'fio version 2 iolog' or 'fio version 3 iolog'";
    if (line.text().starts_with("fio version ") && line.text().ends_with(" iolog")) {
      line.fail(expected,
                fmt::format("'{}', which fio does not read any more, either", line.text()));
    }
    line.fail(expected, fmt::format("'{}': a log without this first line is of version 1, which "
                                    "fio does not read any more, either, or of no version",
                                    line.text()));
  }

  [[noreturn]] static void fail_fields(const Line& line, std::string_view expected,
                                       const Fields& fields) {
    line.fail(fmt::format("{} (a path can't hold blanks)", expected),
              fmt::format("{} fields in '{}'", fields.count, line.text()));
  }

  bool parse_version_2(const Line& line, const Fields& fields, Record& record) {
    if (fields.count == 2 && fields[0] == "wait") return wait(line, fields[1]);
    if (fields.count == 4 && fields[1] == "wait") {
      line.decimal(fields[3], "length");
      return wait(line, fields[2]);
    }
    if (fields.count != 2 && fields.count != 4) {
      fail_fields(line, "'file action' or 'file action offset length'", fields);
    }
    record.time_ns = waited_ns_;
    if (fields.count == 2) return act(line, fields[0], fields[1], record);
    return transfer(line, fields[0], fields[1], fields[2], fields[3], record);
  }

  bool wait(const Line& line, std::string_view time) {
    const std::uint64_t until = line.scaled(time, "time to wait until", unit_ns_);
    notes().add("waits until a time after the log's start", line.number());
    if (until < waited_ns_) {
      notes().add("waits until a time that is over: none", line.number());
    } else {
      waited_ns_ = until;
    }
    return false;
  }

  // An action without a range.
  bool act(const Line& line, std::string_view path, std::string_view action, Record& record) {
    if (action == "add") {
      if (devices().index(path) == open_.size()) open_.push_back(false);
    } else if (action == "open") {
      open_[file_of(line, path)] = true;
    } else if (action == "close") {
      open_[file_of(line, path)] = false;
    } else if (action == "sync" || action == "datasync") {
      record.device = open_file_of(line, path);
      record.kind = Kind::flush;
      return true;
    } else {
      line.fail("add, open, close, sync or datasync, or an action with offset and length",
                fmt::format("'{}'", action));
    }
    return false;
  }

  bool transfer(const Line& line, std::string_view path, std::string_view action,
                std::string_view offset, std::string_view length, Record& record) {
    record.kind = kind_of(line, action);
    record.device = open_file_of(line, path);
    const Bytes begin{line.decimal(offset, "offset in bytes")};
    const Bytes size{line.decimal(length, "length in bytes")};
    if (record.kind == Kind::flush) return true;  // whose range is where the file was just written
    line.set_range(record, begin, size);
    return true;
  }

  static Kind kind_of(const Line& line, std::string_view action) {
    if (action == "read") return Kind::read;
    if (action == "write") return Kind::write;
    if (action == "trim") return Kind::trim;
    if (action == "sync" || action == "datasync") return Kind::flush;
    if (action == "sync_file_range") return Kind::other;
    if (action == "wait") {
      line.fail("a request, as version 3 of the log has times in place of waits", "a wait");
    }
    line.fail("read, write, trim, sync, datasync or sync_file_range", fmt::format("'{}'", action));
  }

  std::uint32_t file_of(const Line& line, std::string_view path) {
    if (const auto file = devices().find(path)) return *file;
    line.fail(fmt::format("'{}' to be added before it is opened, used or closed", path),
              "it unknown");
  }

  std::uint32_t open_file_of(const Line& line, std::string_view path) {
    const std::uint32_t file = file_of(line, path);
    if (!open_[file]) {
      line.fail(fmt::format("'{}' to be opened before it is used", path), "it closed");
    }
    return file;
  }

  std::uint64_t unit_ns_;
  int version_ = 0;              // 0: the first line is still to come
  std::uint64_t waited_ns_ = 0;  // of version 2
  std::vector<bool> open_;       // by device
};

}  // namespace

std::unique_ptr<Reader> open_fio_iolog(ByteSource source, const ReaderOptions& options) {
  return open_text<FioIologFormat>(std::move(source), options);
}

}  // namespace x25sim::trace
