// Fuzzes the reader of one trace format, which the environment variable X25SIM_FUZZ_FORMAT names as
// --format does. Where its arguments are "*", the first line of the input is taken for them.
//
// Whatever the bytes are: a reader gives sound records or an InputError, in time and memory that
// its input bounds; and each format that is written says of every record that it was left out, or
// is read again as a record.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "nand/check.hpp"
#include "nand/errors.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/formats.hpp"
#include "sim/trace/writer.hpp"

using namespace x25sim;

namespace {

trace::NamedFormat format_under_test() {
  const char* const name = std::getenv("X25SIM_FUZZ_FORMAT");
  X25_CHECK(name != nullptr, "X25SIM_FUZZ_FORMAT names no format");
  trace::NamedFormat named = trace::named_format(name);
  X25_CHECK(named.format != nullptr);
  return named;
}

// What is written in one format, which a reader of the same name reads.
class Written {
 public:
  explicit Written(const trace::WriterFormat& format)
      : name_(format.name), writer_(format.open(text_)) {}

  void write(const trace::Record& record, std::string_view device) {
    writer_->write(record, device);
    ++records_;
  }

  void check() {
    writer_->finish();
    std::uint64_t left_out = 0;
    for (const auto& note : writer_->left_out().all()) left_out += note.count;
    X25_CHECK(writer_->written() + left_out == records_);
    const auto reader = trace::named_format(name_).format->open(
        trace::ByteSource::in_memory(name_, text_.view()), {});
    std::uint64_t read = 0;
    while (reader->next()) ++read;
    X25_CHECK(read == writer_->written());
  }

 private:
  std::string name_;
  std::ostringstream text_;
  std::unique_ptr<trace::Writer> writer_;
  std::uint64_t records_ = 0;
};

std::vector<std::unique_ptr<Written>> all_written() {
  std::vector<std::unique_ptr<Written>> all;
  for (const trace::WriterFormat& format : trace::writer_formats()) {
    all.push_back(std::make_unique<Written>(format));
  }
  return all;
}

void read_all(const trace::Format& format, std::string_view content,
              const trace::ReaderOptions& options) {
  const auto written = all_written();
  trace::Counter counter;
  std::uint64_t records = 0;
  try {
    const auto reader = format.open(trace::ByteSource::in_memory("fuzz", content), options);
    std::int64_t last_line = 0;
    while (const auto record = reader->next()) {
      ++records;
      X25_CHECK(record->offset.count + record->length.count >= record->offset.count);
      X25_CHECK(record->device < reader->devices().size());
      X25_CHECK(record->line >= last_line);
      last_line = record->line;
      counter.add(*record);
      for (const auto& copy : written) copy->write(*record, reader->devices().name(record->device));
    }
    const trace::Notes notes = reader->notes();
    for (const auto& note : notes.all()) X25_CHECK(note.count >= note.lines.size());
  } catch (const InputError&) {
    // The input is damaged, and that has been said.
  }
  for (const auto& copy : written) copy->check();
  const trace::Counts counts = counter.counts();
  X25_CHECK(counts.reads + counts.writes + counts.trims + counts.flushes + counts.other == records);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const trace::NamedFormat named = format_under_test();
  std::string_view content(reinterpret_cast<const char*>(data), size);
  trace::ReaderOptions options;
  options.arguments = named.arguments;
  if (named.arguments == "*") {
    const std::size_t end = content.find('\n');
    options.arguments = content.substr(0, end);
    content.remove_prefix(end == content.npos ? content.size() : end + 1);
  }
  read_all(*named.format, content, options);
  options.skip_malformed = true;
  read_all(*named.format, content, options);
  return 0;
}
