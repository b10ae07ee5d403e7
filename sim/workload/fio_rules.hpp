// How the options of fio job files are read: one table of rules for each topic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nand/units.hpp"
#include "sim/workload/fio_options.hpp"

namespace x25sim::workload {

// The parts of `text` between each `separator`, empty ones included; at least one.
std::vector<std::string_view> split(std::string_view text, char separator);

// One option on its way into the draft. The functions that return a bool leave the draft alone and
// return false where the value is not what the option's rule says that it expects.
class OptionReader {
 public:
  OptionReader(JobDraft& draft_in, const OptionLine& option, FioNotes& notes)
      : draft(draft_in), job(draft_in.job), option_(option), notes_(notes) {}

  // The value; empty for an option without one.
  std::string_view text() const { return option_.value ? *option_.value : std::string_view(); }
  const std::string& name() const { return option_.name; }
  const SourceLocation& where() const { return option_.where; }

  // Throws InputError at the option's place.
  [[noreturn]] void fail(const std::string& message) const;
  // Says that the option was ignored.
  void ignore() const;
  // Says something about it, once however often that is found.
  void note(const std::string& message) const;

  // The number that `item` gives, in [low, high]; none if it is anything else.
  std::optional<std::uint64_t> number(std::string_view item, std::uint64_t low,
                                      std::uint64_t high = no_limit) const;
  // The same of a size that must be whole sectors; throws InputError if it is not.
  std::optional<Bytes> sectors(std::string_view item) const;
  // Two numbers with '-' or ':' between them, the smaller one first.
  std::optional<std::pair<Bytes, Bytes>> range(std::string_view item) const;

  template <typename Field>
  bool count(Field& field, std::uint64_t low,
             std::uint64_t high = std::numeric_limits<Field>::max()) const {
    const auto value = number(text(), low, high);
    if (value) field = static_cast<Field>(*value);
    return value.has_value();
  }
  template <typename Field>
  bool counts(std::array<Field, 3>& fields, std::uint64_t low,
              std::uint64_t high = std::numeric_limits<Field>::max()) const {
    return each_direction([&](std::size_t direction, std::string_view item) {
      const auto value = number(item, low, high);
      if (value) fields[direction] = static_cast<Field>(*value);
      return value.has_value();
    });
  }
  // A flag is set by its name alone, or by 0 and 1.
  bool flag(bool& field) const;
  bool time(Duration& field, Duration unit) const;
  bool amount(Amount& field) const;

  template <typename Field, std::size_t size>
  bool choice(Field& field,
              const std::array<std::pair<std::string_view, Field>, size>& choices) const {
    for (const auto& [name, value] : choices) {
      if (text() != name) continue;
      field = value;
      return true;
    }
    return false;
  }

  // Calls `read` with the items for reads, writes and trims: "4k" is for all directions; "4k,8k"
  // for reads, and for writes and trims; an empty place leaves its direction as it is, as does a
  // comma at the end those that follow. `read` returns false for what it does not take.
  bool each_direction(const std::function<bool(std::size_t, std::string_view)>& read) const;

  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

  JobDraft& draft;
  Job& job;

 private:
  const OptionLine& option_;
  FioNotes& notes_;
};

struct OptionRule {
  std::string_view name;
  std::string_view alias;    // empty if there is none
  std::string_view expects;  // for error messages
  bool (*apply)(OptionReader&);
  bool is_flag = false;  // may stand without a value
};

// What is done, where, how fast, and what is written about it.
std::span<const OptionRule> general_rules();
std::span<const OptionRule> request_rules();
std::span<const OptionRule> region_rules();
std::span<const OptionRule> pace_rules();
std::span<const OptionRule> log_rules();

// fio's random_distribution.
bool apply_distribution(OptionReader& reader);

inline constexpr std::string_view expects_amount =
    "a number of bytes such as 1073741824, 512m or 1g, or a percentage from 1% to 100%";
inline constexpr std::string_view expects_flag = "no value, 0 or 1";
inline constexpr std::string_view expects_switch = "0 or 1";

}  // namespace x25sim::workload
