// The one table of everything that can be configured: the keys of the YAML files and of --set, with
// their kinds, ranges and meanings. Reading, printing and checking all go by it, so a new key is
// one new row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nand/errors.hpp"
#include "sim/drive/config.hpp"

namespace x25sim::config {

enum class Kind : std::uint8_t {
  count,
  count_or_none,  // "none" stands for drive::no_limit
  bytes,
  duration,
  bit_rate,
  percent,  // held in parts per million
  boolean,  // "on" or "off"
  choice,   // one of the row's words
  list      // some of the row's words, each at most once: "[channel, die]"
};

using StripeOrder = std::array<ftl::StripeDimension, 3>;

// Where a value is kept.
using Field = std::variant<std::uint32_t*, std::uint64_t*, Bytes*, Duration*, bool*, ftl::PoolUnit*,
                           ftl::WriteFrontiers*, ftl::GcPacing*, ftl::GcPolicy*, ftl::WearLeveling*,
                           StripeOrder*>;

struct Key {
  std::string_view path;  // "nand.read_time"
  Kind kind;
  std::uint64_t min;  // in base units (1, B, ns, bit/s, ppm), both included; no matter for words
  std::uint64_t max;
  std::string_view description;  // one line
  Field (*field)(drive::DriveConfig& config);
  std::span<const std::string_view> words{};  // of a choice or a list, in the order of their enum
};

// All keys, section by section, in the order in which they are printed.
std::span<const Key> schema();

// The row of `path`, or nullptr.
const Key* find_key(std::string_view path);

// "nand", "controller", ... in the order of the table.
const std::vector<std::string>& section_names();

// The message for a key that is not in the table: "unknown key 'nand.raed_time', did you mean ...".
std::string unknown_key(std::string_view path);

// Sets the value of `key` from its text. Throws InputError, located at `where`, if the text is of
// another kind or out of range.
void assign(const Key& key, std::string_view text, const SourceLocation& where,
            drive::DriveConfig& config);

// The value of `key` in its canonical spelling, which assign() reads back.
std::string value_text(const Key& key, const drive::DriveConfig& config);

}  // namespace x25sim::config
