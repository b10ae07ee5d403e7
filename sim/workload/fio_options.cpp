#include "sim/workload/fio_options.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "sim/workload/fio_option_names.hpp"
#include "sim/workload/fio_rules.hpp"

namespace x25sim::workload {
namespace {

// fio's own limit (--max-jobs).
constexpr std::uint64_t copies_max = 4096;

// fio's engines that take one request at a time; the first is its default on Linux.
constexpr std::string_view synchronous_engines[] = {"psync",   "sync", "vsync", "pvsync",
                                                    "pvsync2", "mmap", "splice"};

constexpr std::string_view asynchronous_engines[] = {
    "libaio", "io_uring", "io_uring_cmd", "posixaio", "solarisaio", "windowsaio",
    "null",   "nbd",      "rbd",          "sg",       "xnvme",      "libblkio"};

bool apply_kb_base(OptionReader& reader) {
  constexpr std::array bases{std::pair{std::string_view("1024"), kb_base_binary},
                             std::pair{std::string_view("1000"), kb_base_decimal}};
  return reader.choice(reader.draft.kb_base, bases);
}

bool apply_name(OptionReader& reader) {
  reader.job.name = reader.text();
  return !reader.job.name.empty();
}

bool apply_ioengine(OptionReader& reader) {
  reader.draft.engine = reader.text();
  reader.ignore();
  return is_synchronous_engine(reader.draft.engine) ||
         std::ranges::find(asynchronous_engines, reader.draft.engine) !=
             std::end(asynchronous_engines);
}

constexpr OptionRule general[] = {
    {"name", "", "a name", apply_name},
    {"kb_base", "", "1024 or 1000", apply_kb_base},
    {"ioengine", "", "one of fio's engines for block devices, such as libaio, io_uring or psync",
     apply_ioengine},
    {"numjobs", "", "an integer from 1 to 4096",
     [](OptionReader& r) { return r.count(r.draft.copies, 1, copies_max); }},
    {"stonewall", "wait_for_previous", expects_flag,
     [](OptionReader& r) { return r.flag(r.draft.stonewall); }, true},
    {"new_group", "", expects_flag, [](OptionReader& r) { return r.flag(r.draft.new_group); },
     true},
};

std::array<std::span<const OptionRule>, 5> all_rules() {
  return {general_rules(), request_rules(), region_rules(), pace_rules(), log_rules()};
}

const OptionRule* find_rule(std::string_view name) {
  for (const auto& rules : all_rules()) {
    for (const OptionRule& rule : rules) {
      if (name == rule.name || (!rule.alias.empty() && name == rule.alias)) return &rule;
    }
  }
  return nullptr;
}

[[noreturn]] void fail_unknown(const OptionLine& option) {
  std::string message = fmt::format("unknown option '{}'", option.name);
  const std::string_view nearest = nearest_option(option.name, supported_options());
  if (!nearest.empty()) message += fmt::format(", did you mean '{}'?", nearest);
  throw InputError(option.where, message);
}

void apply_option(const OptionLine& option, JobDraft& draft, FioNotes& notes) {
  ++draft.options_read;
  const OptionRule* const rule = find_rule(option.name);
  OptionReader reader(draft, option, notes);
  if (rule == nullptr) {
    if (is_unsupported_option(option.name)) {
      throw InputError(option.where, fmt::format("option '{}' is not supported", option.name));
    }
    if (!is_ignored_option(option.name)) fail_unknown(option);
    reader.ignore();
    return;
  }
  if (!option.value && !rule->is_flag) {
    reader.fail(fmt::format("expected '=' and {}", rule->expects));
  }
  if (!rule->apply(reader)) {
    reader.fail(fmt::format("expected {}, found '{}'", rule->expects, reader.text()));
  }
}

}  // namespace

std::span<const OptionRule> general_rules() { return general; }

bool is_synchronous_engine(const std::string& engine) {
  return engine.empty() ||
         std::ranges::find(synchronous_engines, engine) != std::end(synchronous_engines);
}

bool is_fio_option(std::string_view name) {
  return find_rule(name) != nullptr || is_ignored_option(name) || is_unsupported_option(name);
}

bool needs_value(std::string_view name) {
  const OptionRule* const rule = find_rule(name);
  return rule != nullptr && !rule->is_flag;
}

std::vector<std::string_view> supported_options() {
  std::vector<std::string_view> names;
  for (const auto& rules : all_rules()) {
    for (const OptionRule& rule : rules) {
      names.push_back(rule.name);
      if (!rule.alias.empty()) names.push_back(rule.alias);
    }
  }
  return names;
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
