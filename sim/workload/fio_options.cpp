#include "sim/workload/fio_options.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "sim/workload/fio_option_names.hpp"

namespace x25sim::workload {
namespace {

// Limits that keep a misprint from asking for gigabytes of bookkeeping; fio's own is 4096 jobs.
constexpr std::uint64_t iodepth_max = 1 << 20;
constexpr std::uint64_t copies_max = 4096;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t loops_max = std::numeric_limits<std::uint32_t>::max();

// fio's engines that take one request at a time; the first is its default on Linux.
constexpr std::string_view synchronous_engines[] = {"psync",   "sync", "vsync", "pvsync",
                                                    "pvsync2", "mmap", "splice"};

constexpr std::string_view asynchronous_engines[] = {
    "libaio", "io_uring", "io_uring_cmd", "posixaio", "solarisaio", "windowsaio",
    "null",   "nbd",      "rbd",          "sg",       "xnvme",      "libblkio"};

void remember(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// The number that an option gives, in [low, high]; none if it is anything else.
std::optional<std::uint64_t> number_in(const OptionLine& option, std::uint32_t kb_base,
                                       FioNotes& notes, std::uint64_t low, std::uint64_t high) {
  const auto number = parse_fio_number(*option.value, kb_base);
  if (!number || number->value < low || number->value > high) return std::nullopt;
  if (number->surprising) {
    notes.texts.push_back(fmt::format("{}: {}={} is {}: with kb_base={} fio reads it so",
                                      option.where.text(), option.name, *option.value,
                                      number->value, kb_base));
  }
  return number->value;
}

// Each of the following reads one option into the draft. It returns false where the value is not
// what the option's rule says that it expects.
using Apply = bool (*)(JobDraft&, const OptionLine&, FioNotes&);

bool apply_rw(JobDraft& draft, const OptionLine& option, FioNotes&) {
  struct Pattern {
    std::string_view name;
    Direction direction;
    bool random;
  };
  static constexpr std::array patterns{
      Pattern{"read", Direction::read, false},      Pattern{"write", Direction::write, false},
      Pattern{"trim", Direction::trim, false},      Pattern{"randread", Direction::read, true},
      Pattern{"randwrite", Direction::write, true}, Pattern{"randtrim", Direction::trim, true},
      Pattern{"rw", Direction::mixed, false},       Pattern{"readwrite", Direction::mixed, false},
      Pattern{"randrw", Direction::mixed, true},
  };
  for (const Pattern& pattern : patterns) {
    if (*option.value != pattern.name) continue;
    draft.job.direction = pattern.direction;
    draft.job.random = pattern.random;
    return true;
  }
  return false;
}

// "4k" is for all directions; "4k,8k" for reads, and for writes and trims; an empty place leaves
// its direction as it is, as does a comma at the end those that follow.
bool apply_bs(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  std::size_t direction = 0;
  std::string_view rest = *option.value;
  while (direction < draft.job.block_size.size()) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const bool last = comma == rest.npos;
    if (!item.empty()) {
      const OptionLine part{option.name, std::string(item), option.where};
      const auto size = number_in(part, draft.kb_base, notes, 1, no_limit);
      if (!size) return false;
      if (*size % sector_size.count != 0) {
        throw InputError(option.where,
                         fmt::format("{}: expected a multiple of {} bytes, a sector, found '{}', "
                                     "which fio reads as {} bytes with kb_base={}",
                                     option.name, sector_size.count, item, *size, draft.kb_base));
      }
      const auto from = draft.job.block_size.begin() + static_cast<std::ptrdiff_t>(direction);
      std::fill(from, last ? draft.job.block_size.end() : from + 1, Bytes{*size});
    }
    if (last) return true;
    rest.remove_prefix(comma + 1);
    ++direction;
    if (rest.empty()) return true;
  }
  return false;
}

bool apply_amount(Amount& amount, std::uint32_t kb_base, const OptionLine& option,
                  FioNotes& notes) {
  if (const auto percent = parse_fio_percent(*option.value)) {
    amount = {.value = *percent, .percent = true, .where = option.where};
    return true;
  }
  const auto bytes = number_in(option, kb_base, notes, 0, no_limit);
  if (bytes) amount = {.value = *bytes, .percent = false, .where = option.where};
  return bytes.has_value();
}

bool apply_size(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  return apply_amount(draft.size, draft.kb_base, option, notes);
}

bool apply_io_size(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  return apply_amount(draft.io_size, draft.kb_base, option, notes);
}

bool apply_offset(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  if (!apply_amount(draft.offset, draft.kb_base, option, notes)) return false;
  return draft.offset.percent || draft.offset.value % sector_size.count == 0;
}

bool apply_number_ios(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  const auto number = number_in(option, draft.kb_base, notes, 0, no_limit);
  if (!number) return false;
  draft.job.number_ios.reset();  // 0 is fio's "no limit"
  if (*number > 0) draft.job.number_ios = *number;
  return true;
}

bool apply_iodepth(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  const auto depth = number_in(option, draft.kb_base, notes, 1, iodepth_max);
  if (depth) draft.job.iodepth = static_cast<std::uint32_t>(*depth);
  return depth.has_value();
}

bool apply_loops(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  const auto loops = number_in(option, draft.kb_base, notes, 1, loops_max);
  if (loops) draft.job.loops = static_cast<std::uint32_t>(*loops);
  return loops.has_value();
}

bool apply_numjobs(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  const auto copies = number_in(option, draft.kb_base, notes, 1, copies_max);
  if (copies) draft.copies = static_cast<std::uint32_t>(*copies);
  return copies.has_value();
}

bool apply_randseed(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  const auto seed = number_in(option, draft.kb_base, notes, 0, no_limit);
  if (seed) draft.job.random_seed = *seed;
  return seed.has_value();
}

// rwmixread and rwmixwrite set the same share: the later one counts.
bool apply_rwmixread(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  const auto share = number_in(option, draft.kb_base, notes, 0, 100);
  if (share) draft.job.read_percent = static_cast<std::uint32_t>(*share);
  return share.has_value();
}

bool apply_rwmixwrite(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  const auto share = number_in(option, draft.kb_base, notes, 0, 100);
  if (share) draft.job.read_percent = static_cast<std::uint32_t>(100 - *share);
  return share.has_value();
}

bool apply_runtime(JobDraft& draft, const OptionLine& option, FioNotes&) {
  const auto time = parse_fio_time(*option.value);
  if (!time) return false;
  draft.job.runtime.reset();  // 0 is fio's "no limit"
  if (*time > Duration::zero()) draft.job.runtime = *time;
  return true;
}

bool apply_ramp_time(JobDraft& draft, const OptionLine& option, FioNotes&) {
  const auto time = parse_fio_time(*option.value);
  if (time) draft.job.ramp_time = *time;
  return time.has_value();
}

bool apply_kb_base(JobDraft& draft, const OptionLine& option, FioNotes&) {
  if (*option.value == "1024") draft.kb_base = kb_base_binary;
  if (*option.value == "1000") draft.kb_base = kb_base_decimal;
  return *option.value == "1024" || *option.value == "1000";
}

bool apply_name(JobDraft& draft, const OptionLine& option, FioNotes&) {
  draft.job.name = *option.value;
  return !draft.job.name.empty();
}

bool apply_ioengine(JobDraft& draft, const OptionLine& option, FioNotes& notes) {
  draft.engine = *option.value;
  remember(notes.ignored, option.name);
  return is_synchronous_engine(draft.engine) ||
         std::ranges::find(asynchronous_engines, draft.engine) != std::end(asynchronous_engines);
}

// A flag is set by its name alone, or by 0 and 1.
bool apply_flag(bool& flag, const OptionLine& option) {
  flag = option.value != "0";
  return !option.value || *option.value == "0" || *option.value == "1";
}

bool apply_time_based(JobDraft& draft, const OptionLine& option, FioNotes&) {
  return apply_flag(draft.job.time_based, option);
}

bool apply_norandommap(JobDraft& draft, const OptionLine& option, FioNotes&) {
  return apply_flag(draft.job.no_random_map, option);
}

bool apply_stonewall(JobDraft& draft, const OptionLine& option, FioNotes&) {
  return apply_flag(draft.stonewall, option);
}

bool apply_new_group(JobDraft& draft, const OptionLine& option, FioNotes&) {
  return apply_flag(draft.new_group, option);
}

bool apply_randrepeat(JobDraft&, const OptionLine& option, FioNotes& notes) {
  if (*option.value == "0") {
    notes.texts.push_back(
        fmt::format("{}: {}=0 has no effect: every run is repeatable, and "
                    "another seed gives another run",
                    option.where.text(), option.name));
  }
  return *option.value == "0" || *option.value == "1";
}

struct OptionRule {
  std::string_view name;
  std::string_view alias;    // empty if there is none
  std::string_view expects;  // for error messages
  Apply apply;
  bool is_flag = false;  // may stand without a value
};

constexpr std::string_view expects_amount =
    "a number of bytes such as 1073741824, 512m or 1g, or a percentage from 1% to 100%";
constexpr std::string_view expects_time = "a time such as 30 (seconds), 500ms, 10us, 30s, 5m, 1h";
constexpr std::string_view expects_flag = "no value, 0 or 1";
constexpr std::string_view expects_share = "a percentage from 0 to 100, without a sign";

constexpr OptionRule rules[] = {
    {"rw", "readwrite",
     "one of read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw", apply_rw},
    {"bs", "blocksize",
     "a block size such as 4096 or 4k, or up to three for reads, writes and "
     "trims such as 4k,8k,64k",
     apply_bs},
    {"iodepth", "", "an integer from 1 to 1048576", apply_iodepth},
    {"size", "", expects_amount, apply_size},
    {"io_size", "io_limit", expects_amount, apply_io_size},
    {"number_ios", "", "a number of requests", apply_number_ios},
    {"offset", "fileoffset",
     "a multiple of 512 bytes such as 4096, 512m or 1g, or a percentage from 1% to 100%",
     apply_offset},
    {"runtime", "timeout", expects_time, apply_runtime},
    {"time_based", "", expects_flag, apply_time_based, true},
    {"ramp_time", "", expects_time, apply_ramp_time},
    {"rwmixread", "", expects_share, apply_rwmixread},
    {"rwmixwrite", "", expects_share, apply_rwmixwrite},
    {"randseed", "", "an integer from 0 to 18446744073709551615", apply_randseed},
    {"randrepeat", "", "0 or 1", apply_randrepeat},
    {"allrandrepeat", "", "0 or 1", apply_randrepeat},
    {"norandommap", "", expects_flag, apply_norandommap, true},
    {"loops", "", "an integer from 1 to 4294967295", apply_loops},
    {"stonewall", "wait_for_previous", expects_flag, apply_stonewall, true},
    {"new_group", "", expects_flag, apply_new_group, true},
    {"numjobs", "", "an integer from 1 to 4096", apply_numjobs},
    {"kb_base", "", "1024 or 1000", apply_kb_base},
    {"name", "", "a name", apply_name},
    {"ioengine", "", "one of fio's engines for block devices, such as libaio, io_uring or psync",
     apply_ioengine},
};

const OptionRule* find_rule(std::string_view name) {
  for (const OptionRule& rule : rules) {
    if (name == rule.name || (!rule.alias.empty() && name == rule.alias)) return &rule;
  }
  return nullptr;
}

[[noreturn]] void fail_unknown(const OptionLine& option) {
  std::vector<std::string_view> names;
  for (const OptionRule& rule : rules) {
    names.push_back(rule.name);
    if (!rule.alias.empty()) names.push_back(rule.alias);
  }
  std::string message = fmt::format("unknown option '{}'", option.name);
  const std::string_view nearest = nearest_option(option.name, names);
  if (!nearest.empty()) message += fmt::format(", did you mean '{}'?", nearest);
  throw InputError(option.where, message);
}

void apply_option(const OptionLine& option, JobDraft& draft, FioNotes& notes) {
  const OptionRule* const rule = find_rule(option.name);
  if (rule == nullptr) {
    if (is_unsupported_option(option.name)) {
      throw InputError(option.where, fmt::format("option '{}' is not supported", option.name));
    }
    if (!is_ignored_option(option.name)) fail_unknown(option);
    remember(notes.ignored, option.name);
    return;
  }
  if (!option.value && !rule->is_flag) {
    throw InputError(option.where,
                     fmt::format("{}: expected '=' and {}", option.name, rule->expects));
  }
  if (!rule->apply(draft, option, notes)) {
    throw InputError(option.where, fmt::format("{}: expected {}, found '{}'", option.name,
                                               rule->expects, option.value.value_or("")));
  }
}

}  // namespace

bool is_synchronous_engine(const std::string& engine) {
  return engine.empty() ||
         std::ranges::find(synchronous_engines, engine) != std::end(synchronous_engines);
}

void apply_options(const std::vector<OptionLine>& options, JobDraft& draft, FioNotes& notes) {
  for (const bool base_pass : {true, false}) {
    for (const OptionLine& option : options) {
      if ((option.name == "kb_base") == base_pass) apply_option(option, draft, notes);
    }
  }
  for (const OptionLine& option : options) {
    draft.job.options.emplace_back(option.name, option.value.value_or(""));
  }
}

}  // namespace x25sim::workload
