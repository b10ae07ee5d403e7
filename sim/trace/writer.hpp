// What writes a recorded trace in another format.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "sim/trace/notes.hpp"
#include "sim/trace/record.hpp"

namespace x25sim::trace {

class Writer {
 public:
  virtual ~Writer() = default;
  // Writes to `out`, which must live as long as the writer; its state is the caller's to check.
  explicit Writer(std::ostream& out) : out_(out) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Writes the next record, whose device has this name (empty: the only one of a trace without
  // devices), or counts it as left out. Requires: the record's end is below 2^64.
  void write(const Record& record, std::string_view device_name);
  // Writes what stands behind the last record. Call once, last.
  virtual void finish() {}

  std::uint64_t written() const { return written_; }
  // Why records were left out: what the format can't hold.
  const Notes& left_out() const { return left_out_; }
  // What of the records that were written is not as it was.
  const Notes& changed() const { return changed_; }

 protected:
  // Writes the record, or returns false after leave_out().
  virtual bool put(const Record& record, std::string_view device_name) = 0;

  std::ostream& out() { return out_; }
  bool leave_out(const Record& record, std::string_view reason);
  void note_change(const Record& record, std::string_view what);

  // Time since the first record, in ns. A record before the first one is at 0, and, for a format
  // whose times must not go backwards, one before its predecessor at its time: both are counted.
  enum class Backwards : std::uint8_t { kept, lifted };
  std::uint64_t time_since_first(const Record& record, Backwards backwards);
  // The time of the last record.
  std::uint64_t last_time() const { return last_ns_; }

 private:
  std::ostream& out_;
  std::uint64_t written_ = 0;
  Notes left_out_;
  Notes changed_;
  bool begun_ = false;
  std::uint64_t first_ns_ = 0;
  std::uint64_t last_ns_ = 0;  // since the first record
};

struct WriterFormat {
  std::string_view name;
  std::string_view description;  // one line, for lists
  std::unique_ptr<Writer> (*open)(std::ostream& out);
  bool binary = false;
  std::string_view suffix = {};  // what other tools need behind the file's name
};

// In the order of their names.
std::span<const WriterFormat> writer_formats();

// The format of this name. Throws InputError that lists the known names.
const WriterFormat& writer_format(const std::string& name);

// The writers behind the table, each in a file write_NAME.cpp that describes what it writes; the
// formats themselves are described with their readers.
std::unique_ptr<Writer> write_blkparse(std::ostream& out);
std::unique_ptr<Writer> write_blktrace(std::ostream& out);
std::unique_ptr<Writer> write_fio_iolog(std::ostream& out);
std::unique_ptr<Writer> write_mqsim(std::ostream& out);
std::unique_ptr<Writer> write_msr(std::ostream& out);

}  // namespace x25sim::trace
