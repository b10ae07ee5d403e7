// The command `trace convert`.
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <optional>

#include "nand/errors.hpp"
#include "sim/app/options.hpp"
#include "sim/app/replaced_file.hpp"
#include "sim/app/trace_subcommands.hpp"
#include "sim/trace/writer.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet convert_options{
    .usage = "x25sim trace convert [--format FORMAT] [options] --to FORMAT [-o FILE] TRACE...",
    .about =
        "Writes a recorded block trace in another format, to standard output or a file, and says "
        "on standard error what that format could not hold. Several files are one trace, merged "
        "by time.",
    .example =
        "x25sim trace convert --format mqsim --to fio-iolog -o sample.iolog "
        "experiments/traces/sample.mqsim",
    .trace = true,
    .convert = true,
    .positional_min = 1,
    .positional_max = 1000,
    .positional_name = "a trace"};

void print_notes(const trace::Notes& notes, std::string_view what) {
  for (const trace::Notes::Note& note : notes.all()) {
    std::cerr << "  " << what << trace::Notes::sentence(note) << "\n";
  }
}

}  // namespace

int trace_convert(const Arguments& arguments) {
  auto options = parse_options(convert_options, arguments);
  if (!options) return exit_done;
  if (options->to_format.empty()) {
    throw InputError("expected the format to write (--to NAME), found none");
  }
  const trace::WriterFormat& format = trace::writer_format(options->to_format);
  if (format.binary && options->output.empty()) {
    throw InputError({"--to", 0}, fmt::format("expected a file (-o FILE) for the binary format "
                                              "'{}', found none",
                                              format.name));
  }
  if (options->trace.format.empty()) options->trace.format = "auto";
  const TraceInput input = trace_input(options->trace, options->positional);
  const auto reader = input.open();

  std::optional<ReplacedFile> file;
  if (!options->output.empty()) {
    const bool complete = options->output.ends_with(format.suffix);
    file.emplace(options->output + std::string(complete ? "" : format.suffix));
  }
  std::ostream& out = file ? file->stream() : std::cout;
  const auto writer = format.open(out);
  std::uint64_t records = 0;
  while (const auto record = reader->next()) {
    ++records;
    writer->write(*record, reader->devices().name(record->device));
    if (!out) break;
  }
  if (records == 0) {
    throw InputError({input.names.all(), 0},
                     fmt::format("expected records in format {}, found none in the whole file",
                                 input.format->name));
  }
  writer->finish();
  if (file) {
    file->commit();
  } else if (!out.flush()) {
    throw SystemError("can't write standard output");
  }

  std::cerr << fmt::format("{}: {} records read, {} written, {} left out\n", input.names.all(),
                           records, writer->written(), records - writer->written());
  print_notes(writer->left_out(), "left out: ");
  print_notes(writer->changed(), "changed: ");
  print_notes(reader->notes(), "read: ");
  return exit_done;
}

}  // namespace x25sim::app
