// Fuzzes the reader of one trace format, which the environment variable X25SIM_FUZZ_FORMAT names as
// --format does. Where its arguments are "*", the first line of the input is taken for them.
//
// Whatever the bytes are: a reader gives sound records or an InputError, in time and memory that
// its input bounds.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "nand/check.hpp"
#include "nand/errors.hpp"
#include "sim/trace/counts.hpp"
#include "sim/trace/formats.hpp"

using namespace x25sim;

namespace {

trace::NamedFormat format_under_test() {
  const char* const name = std::getenv("X25SIM_FUZZ_FORMAT");
  X25_CHECK(name != nullptr, "X25SIM_FUZZ_FORMAT names no format");
  trace::NamedFormat named = trace::named_format(name);
  X25_CHECK(named.format != nullptr);
  return named;
}

void read_all(const trace::Format& format, std::string_view content,
              const trace::ReaderOptions& options) {
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
    }
    const trace::Notes notes = reader->notes();
    for (const auto& note : notes.all()) X25_CHECK(note.count >= note.lines.size());
  } catch (const InputError&) {
    // The input is damaged, and that has been said.
  }
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
