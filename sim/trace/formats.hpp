// The trace formats: one table, in which every reader stands.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/byte_source.hpp"
#include "sim/trace/reader.hpp"

namespace x25sim::trace {

struct Format {
  std::string_view name;
  std::string_view description;  // one line, for lists
  // Opens a file of it.
  std::unique_ptr<Reader> (*open)(ByteSource source, const ReaderOptions& options);
  // What ReaderOptions::arguments would hold, as "MAP"; empty: nothing.
  std::string_view arguments = {};
  // Can't be told from its content: needs arguments, or takes any text.
  bool only_by_name = false;
  // Has events of several actions, of which one is taken.
  bool has_actions = false;
};

// In the order of their names.
std::span<const Format> formats();

// The format that `text` names, as "name" or "name:arguments", with the arguments. Throws
// InputError that lists the known names.
struct NamedFormat {
  const Format* format = nullptr;  // null for "auto"
  std::string arguments;
};
NamedFormat named_format(const std::string& text);

// The only format that fits the first lines of the file at `path`. Throws InputError if none does,
// or several: the five columns of MQSim, SSDsim and DiskSim differ only in what they mean.
const Format& recognized_format(const std::string& path);

// Opens a trace of one or several files, whose records are merged by time (in the order of the
// files where times are equal), such as those that blktrace writes for each processor. Throws
// InputError with the path of a file that can't be read, for arguments that the format does not
// understand, and for a unit of time that is 0 or more than time_unit_max_ns.
std::unique_ptr<Reader> open_trace(const Format& format, const std::vector<std::string>& paths,
                                   const ReaderOptions& options);

// The readers behind the table, each in a file format_NAME.cpp that describes its format.
std::unique_ptr<Reader> open_alibaba(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_biosnoop(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_blkparse(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_blktrace(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_csv(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_disksim(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_disksim_validate(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_etw(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_fio_iolog(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_fiu(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_ftrace(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_k5(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_mqsim(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_msr(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_simplessd(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_spc(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_ssdsim(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_systor17(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_tencent(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_vscsi(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_vscsi_csv(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_wiscsee(ByteSource source, const ReaderOptions& options);
std::unique_ptr<Reader> open_wpa(ByteSource source, const ReaderOptions& options);

}  // namespace x25sim::trace
