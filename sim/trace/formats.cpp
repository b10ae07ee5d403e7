#include "sim/trace/formats.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/trace/line.hpp"
#include "sim/trace/merged_reader.hpp"

namespace x25sim::trace {

namespace {

constexpr std::array all_formats{
    Format{.name = "alibaba",
           .description = "Alibaba Cloud: device, R|W, byte, bytes, us",
           .open = open_alibaba},
    Format{.name = "biosnoop",
           .description = "tables of bcc's biosnoop and perf-tools' iosnoop",
           .open = open_biosnoop},
    Format{.name = "blkparse",
           .description = "blkparse's text, of its own layout or that of its options -f and -F",
           .open = open_blkparse,
           .arguments = "FORMAT",
           .has_actions = true},
    Format{.name = "blktrace",
           .description = "blktrace's binary files, one for each processor, or merged",
           .open = open_blktrace,
           .has_actions = true},
    Format{.name = "csv",
           .description = "any columns: time=1,s op=2 offset=3,sectors length=4,bytes ... (README)",
           .open = open_csv,
           .arguments = "COLUMNS",
           .only_by_name = true},
    Format{.name = "disksim",
           .description = "DiskSim: time in ms, device, sector, sectors, flags in hex (bit 0 read)",
           .open = open_disksim},
    Format{
        .name = "disksim-validate",
        .description = "DiskSim validation: R|W, Hit|Miss, sector, sectors, service and gap in us",
        .open = open_disksim_validate},
    Format{.name = "etw",
           .description = "Windows event trace as xperf dumps it (SNIA Exchange, MSN, ...): "
                          "DiskRead, DiskWrite, DiskFlush",
           .open = open_etw},
    Format{.name = "fio-iolog",
           .description = "fio's logs of requests (write_iolog), versions 2 and 3",
           .open = open_fio_iolog},
    Format{
        .name = "fiu",
        .description =
            "FIU: time in ns, process, name, sector, blocks of 512 bytes, R|W, major, minor, MD5",
        .open = open_fiu},
    Format{.name = "ftrace",
           .description = "events of the block layer, as ftrace or perf script print them",
           .open = open_ftrace,
           .has_actions = true},
    Format{.name = "k5",
           .description = "Fujitsu K5: volume, time in s, R|W, byte, bytes",
           .open = open_k5},
    Format{.name = "mqsim",
           .description = "MQSim: time in ns, device, sector, sectors, 0 write 1 read 2 zone erase",
           .open = open_mqsim},
    Format{.name = "msr",
           .description =
               "MSR Cambridge (SNIA): file time, host, disk, Read|Write, byte, bytes, response",
           .open = open_msr},
    Format{
        .name = "simplessd",
        .description = "lines that a regular expression picks; without one those of SimpleSSD-SA",
        .open = open_simplessd,
        .arguments = "GROUPS",
        .only_by_name = true},
    Format{.name = "spc",
           .description =
               "SPC (UMass Financial, WebSearch): unit, block of 512 bytes, bytes, R|W, time in s",
           .open = open_spc},
    Format{.name = "ssdsim",
           .description = "SSDsim: time in ns, device, sector, sectors, 0 write 1 read 2 trim",
           .open = open_ssdsim},
    Format{.name = "systor17",
           .description = "SYSTOR '17 (SNIA): time in s, response, R|W|nothing, LUN, byte, bytes",
           .open = open_systor17},
    Format{.name = "tencent",
           .description = "Tencent CBS (SNIA): time in s, sector, sectors, 0 read 1 write, volume",
           .open = open_tencent},
    Format{
        .name = "vscsi",
        .description = "CloudPhysics: binary records of VMware virtual SCSI disks, version 1 or 2",
        .open = open_vscsi},
    Format{.name = "vscsi-csv",
           .description =
               "the same as text of libCacheSim: version, time in s, SCSI code, bytes, block",
           .open = open_vscsi_csv},
    Format{.name = "wiscsee",
           .description =
               "WiscSee: process, D|C, operation, byte, bytes, time in s, time before, sync",
           .open = open_wiscsee,
           .has_actions = true},
    Format{.name = "wpa",
           .description = "Windows Performance Analyzer, between semicolons with decimal commas",
           .open = open_wpa},
};

// The trace formats without operations, which can't drive a disk.
constexpr std::string_view no_operations = "oracleGeneral";

// Enough to tell formats apart: text or binary records, headers included.
constexpr std::size_t sample_size = 1u << 16;
constexpr int sample_records = 20;

// The beginning of a file; of a text, cut behind its last whole line unless it is the whole file.
std::string sample_of(const std::string& path) {
  ByteSource source = ByteSource::open(path);
  std::string sample(sample_size, '\0');
  const std::size_t size = source.fill(sample);
  const bool whole = size < sample.size();
  sample.resize(size);
  const bool binary = sample.find('\0') != sample.npos;
  if (binary) return sample;
  const std::size_t last_line = sample.rfind('\n');
  if (!whole && last_line != sample.npos) sample.resize(last_line + 1);
  return sample;
}

bool fits(const Format& format, const std::string& sample) {
  if (format.only_by_name) return false;
  try {
    ReaderOptions options;
    options.strict = true;
    const auto reader = format.open(ByteSource::in_memory("", sample), options);
    int records = 0;
    while (records < sample_records && reader->next()) ++records;
    return records > 0;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::span<const Format> formats() { return all_formats; }

NamedFormat named_format(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string arguments = colon == text.npos ? "" : text.substr(colon + 1);
  if (name == "auto" && colon == text.npos) return {};
  std::vector<std::string> names{"auto"};
  for (const Format& format : all_formats) {
    if (name == format.name) {
      if (colon != text.npos && format.arguments.empty()) {
        throw InputError(
            fmt::format("expected nothing behind the format '{}', found ':{}'", name, arguments));
      }
      return {&format, arguments};
    }
    names.emplace_back(format.name);
  }
  if (name == no_operations) {
    throw InputError(
        fmt::format("expected a trace with operations, found the format '{}', whose records have "
                    "time, object, size and next use but do not tell reads from writes; replay the "
                    "trace that it was made from",
                    name));
  }
  throw InputError(fmt::format("expected a trace format ({}), found '{}'{}", fmt::join(names, ", "),
                               name, did_you_mean(name, names)));
}

const Format& recognized_format(const std::string& path) {
  const std::string sample = sample_of(path);
  std::vector<const Format*> fitting;
  for (const Format& format : all_formats) {
    if (fits(format, sample)) fitting.push_back(&format);
  }
  if (fitting.size() == 1) return *fitting.front();
  std::vector<std::string_view> names;
  for (const Format* format : fitting) names.push_back(format->name);
  if (names.empty()) {
    for (const Format& format : all_formats) names.push_back(format.name);
    throw InputError({path, 0}, fmt::format("expected a trace in a format that can be recognized, "
                                            "found none; give its --format: {}",
                                            fmt::join(names, ", ")));
  }
  throw InputError({path, 0},
                   fmt::format("expected a format that can be recognized, found a trace that fits "
                               "{}: they differ in what the columns mean, give its --format",
                               fmt::join(names, ", ")));
}

std::unique_ptr<Reader> open_trace(const Format& format, const std::vector<std::string>& paths,
                                   const ReaderOptions& options) {
  const std::uint64_t unit = options.time_unit_ns.value_or(1);
  if (unit < 1 || unit > time_unit_max_ns) {
    throw InputError(fmt::format("expected a unit of time from 1 ns to 1 s, found {} ns", unit));
  }
  std::vector<std::unique_ptr<Reader>> readers;
  for (const std::string& path : paths) {
    readers.push_back(format.open(ByteSource::open(path), options));
  }
  if (readers.size() == 1) return std::move(readers.front());
  return std::make_unique<MergedReader>(std::move(readers));
}

}  // namespace x25sim::trace
