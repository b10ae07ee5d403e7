#include "sim/config/schema.hpp"

#include <algorithm>
#include <optional>

#include "ftl/choices.hpp"
#include "nand/suggestion.hpp"
#include "sim/config/quantity.hpp"

namespace x25sim::config {

namespace {

using drive::DriveConfig;

constexpr std::uint64_t second = 1'000'000'000;  // ns
constexpr std::uint64_t mebibyte = 1u << 20;     // B
constexpr std::uint64_t one_percent = 10'000;    // ppm
constexpr std::uint64_t last_u16 = 65'535;

constexpr auto pool_words = ftl::names_of(ftl::pool_choices);
constexpr auto pacing_words = ftl::names_of(ftl::gc_pacing_choices);
constexpr auto frontier_words = ftl::names_of(ftl::write_frontier_choices);
constexpr auto leveling_words = ftl::names_of(ftl::wear_leveling_choices);
constexpr std::string_view policy_words[] = {
    "greedy", "fifo", "random", "d-choices", "windowed-greedy", "cost-benefit", "cat"};

constexpr Key keys[] = {
    {"nand.page_bytes", Kind::bytes, 512, 32'768, "user bytes of a flash page",
     [](DriveConfig& c) -> Field { return &c.geometry.page_size; }},
    {"nand.spare_bytes", Kind::bytes, 0, 32'768,
     "spare bytes beside them, which cross the channel as well",
     [](DriveConfig& c) -> Field { return &c.geometry.spare_size; }},
    {"nand.pages_per_block", Kind::count, 1, last_u16, "pages of an erase block",
     [](DriveConfig& c) -> Field { return &c.geometry.pages_per_block; }},
    {"nand.blocks_per_die", Kind::count, 1, 1u << 24, "erase blocks of a die, over all its planes",
     [](DriveConfig& c) -> Field { return &c.geometry.blocks_per_die; }},
    {"nand.planes_per_die", Kind::count, 1, 8, "planes of a die",
     [](DriveConfig& c) -> Field { return &c.geometry.planes_per_die; }},
    {"nand.read_time", Kind::duration, 1, second, "tR: array to page register, mean",
     [](DriveConfig& c) -> Field { return &c.timing.read_time; }},
    {"nand.program_time", Kind::duration, 1, second, "tPROG: page register to array, mean",
     [](DriveConfig& c) -> Field { return &c.timing.program_time; }},
    {"nand.erase_time", Kind::duration, 1, second, "tBERS: one block",
     [](DriveConfig& c) -> Field { return &c.timing.erase_time; }},
    {"nand.bus_cycle", Kind::duration, 1, second / 1000, "time of one byte on the channel",
     [](DriveConfig& c) -> Field { return &c.timing.bus_cycle; }},
    {"nand.command_address_cycles", Kind::count, 0, 64,
     "bus cycles of a page operation beside its data",
     [](DriveConfig& c) -> Field { return &c.timing.command_address_cycles; }},
    {"nand.time_spread", Kind::percent, 0, 50 * one_percent,
     "by how much read and program times vary from page to page, up or down",
     [](DriveConfig& c) -> Field { return &c.timing.spread_ppm; }},
    {"nand.rated_cycles", Kind::count, 1, 100'000'000, "program/erase cycles of the rating",
     [](DriveConfig& c) -> Field { return &c.rated_cycles; }},

    {"controller.channels", Kind::count, 1, 256, "flash channels of the controller",
     [](DriveConfig& c) -> Field { return &c.controller.channels; }},
    {"controller.populated_channels", Kind::count, 1, 256, "channels with flash on them",
     [](DriveConfig& c) -> Field { return &c.geometry.channels; }},
    {"controller.packages_per_channel", Kind::count, 1, 64, "flash packages that share a channel",
     [](DriveConfig& c) -> Field { return &c.geometry.packages_per_channel; }},
    {"controller.dies_per_package", Kind::count, 1, 64, "dies of a flash package",
     [](DriveConfig& c) -> Field { return &c.geometry.dies_per_package; }},
    {"controller.program_slots_per_channel", Kind::count, 1, last_u16,
     "page programs in flight on one channel at most",
     [](DriveConfig& c) -> Field { return &c.controller.program_slots_per_channel; }},
    {"controller.program_slots", Kind::count_or_none, 1, last_u16,
     "page programs in flight in the drive at most; none: only the channels count",
     [](DriveConfig& c) -> Field { return &c.controller.program_slots; }},
    {"controller.write_buffer", Kind::bytes, 512, 1024 * mebibyte,
     "size of the write buffer, a multiple of the page",
     [](DriveConfig& c) -> Field { return &c.controller.write_buffer; }},
    {"controller.write_cache", Kind::boolean, 0, 1,
     "on: a write is complete when its data are in the write buffer; off: when they are on flash",
     [](DriveConfig& c) -> Field { return &c.controller.write_cache; }},
    {"controller.read_ahead", Kind::bytes, 0, 1024 * mebibyte,
     "how far behind a sequential read flash is read in advance; 0 B: never",
     [](DriveConfig& c) -> Field { return &c.controller.read_ahead; }},
    {"controller.read_ahead_streams", Kind::count, 1, 1024,
     "sequential streams that read-ahead follows at the same time",
     [](DriveConfig& c) -> Field { return &c.controller.read_ahead_streams; }},
    {"controller.read_window", Kind::bytes, 512, 2 * mebibyte,
     "how far the flash reads of one command may run ahead of the data sent",
     [](DriveConfig& c) -> Field { return &c.controller.read_window; }},
    {"controller.cut_through", Kind::duration, 0, second,
     "how long before a page has crossed its channel the link may start to send it",
     [](DriveConfig& c) -> Field { return &c.controller.cut_through; }},
    {"controller.two_plane_reads", Kind::boolean, 0, 1,
     "pair queued reads of two planes of a die where the flash allows it",
     [](DriveConfig& c) -> Field { return &c.controller.two_plane_reads; }},

    {"firmware.front_per_command", Kind::duration, 0, second,
     "front stage, before the data: each command",
     [](DriveConfig& c) -> Field { return &c.firmware.front_per_command; }},
    {"firmware.back_per_run", Kind::duration, 0, second,
     "back stage, after the acknowledgement: each run of consecutive pages written",
     [](DriveConfig& c) -> Field { return &c.firmware.back_per_run; }},
    {"firmware.run_pages", Kind::count, 1, last_u16, "longest run that the back stage takes",
     [](DriveConfig& c) -> Field { return &c.firmware.run_pages; }},
    {"firmware.trim_per_range", Kind::duration, 0, second,
     "each range of a DATA SET MANAGEMENT command",
     [](DriveConfig& c) -> Field { return &c.firmware.trim_per_range; }},
    {"firmware.program_queue_per_die", Kind::count, 1, 256,
     "host pages that may wait at one die before the back stage waits for it",
     [](DriveConfig& c) -> Field { return &c.firmware.program_queue_per_die; }},
    {"firmware.stripe_order", Kind::list, 0, 0,
     "what consecutive pages are striped over, fastest first; plane is last where not named",
     [](DriveConfig& c) -> Field { return &c.ftl.stripe_order; }, ftl::stripe_dimension_names},
    {"firmware.pool", Kind::choice, 0, 0,
     "unit with free blocks, a write frontier and a garbage collector of its own",
     [](DriveConfig& c) -> Field { return &c.ftl.pool; }, pool_words},
    {"firmware.superblock_dies", Kind::count, 1, 65'536,
     "dies whose blocks are written, cleaned and erased together",
     [](DriveConfig& c) -> Field { return &c.ftl.superblock_dies; }},
    {"firmware.write_frontiers", Kind::choice, 0, 0,
     "blocks that a pool writes at a time: x25sim policies",
     [](DriveConfig& c) -> Field { return &c.ftl.write_frontiers; }, frontier_words},
    {"firmware.hot_writes", Kind::count, 1, 15,
     "recent writes that make a page hot, for the frontiers hot-cold",
     [](DriveConfig& c) -> Field { return &c.ftl.hot_writes; }},
    {"firmware.hot_space", Kind::percent, 0, 100 * one_percent,
     "share of each pool's blocks that hot LBAs have, for the frontiers two-pools",
     [](DriveConfig& c) -> Field { return &c.ftl.hot_space_ppm; }},
    {"firmware.hot_lbas", Kind::percent, 0, 100 * one_percent,
     "share of the LBAs, the first ones, that are hot, for the frontiers two-pools",
     [](DriveConfig& c) -> Field { return &c.ftl.hot_lbas_ppm; }},
    {"firmware.gc_policy", Kind::choice, 0, 0, "how the block to clean is chosen: x25sim policies",
     [](DriveConfig& c) -> Field { return &c.ftl.gc_policy; }, policy_words},
    {"firmware.gc_choices", Kind::count, 1, 65'536, "blocks that the policy d-choices draws",
     [](DriveConfig& c) -> Field { return &c.ftl.gc_choices; }},
    {"firmware.gc_window", Kind::percent, 1, 100 * one_percent,
     "share of the closed blocks, the oldest, that the policy windowed-greedy sees",
     [](DriveConfig& c) -> Field { return &c.ftl.gc_window_ppm; }},
    {"firmware.gc_pacing", Kind::choice, 0, 0, "when a victim's pages are copied: x25sim policies",
     [](DriveConfig& c) -> Field { return &c.ftl.gc_pacing; }, pacing_words},
    {"firmware.reserved_blocks_per_pool", Kind::count, 1, 1u << 24,
     "free blocks that each pool keeps for garbage collection: the low watermark",
     [](DriveConfig& c) -> Field { return &c.ftl.reserved_blocks_per_pool; }},
    {"firmware.gc_high_watermark", Kind::count, 0, 1u << 24,
     "free blocks above those that a collection which is not paced aims for",
     [](DriveConfig& c) -> Field { return &c.ftl.gc_high_watermark; }},
    {"firmware.gc_idle_delay", Kind::duration, 0, 1000 * second,
     "how long the drive is idle before it collects, with the pacing idle",
     [](DriveConfig& c) -> Field { return &c.firmware.gc_idle_delay; }},
    {"firmware.wear_leveling", Kind::choice, 0, 0,
     "which free block is used, and whether static data are moved: x25sim policies",
     [](DriveConfig& c) -> Field { return &c.ftl.wear_leveling; }, leveling_words},
    {"firmware.wear_threshold", Kind::count, 1, 100'000'000,
     "erases more than those of the block with the oldest data at which those data are moved",
     [](DriveConfig& c) -> Field { return &c.ftl.wear_threshold; }},
    {"firmware.firmware_area", Kind::percent, 0, 50 * one_percent,
     "share of every die's blocks that the firmware keeps for itself and to replace worn ones",
     [](DriveConfig& c) -> Field { return &c.ftl.firmware_area_ppm; }},

    {"link.rate", Kind::bit_rate, 1'000'000, 100 * second, "line rate; 10 bits carry a byte",
     [](DriveConfig& c) -> Field { return &c.link.rate; }},
    {"link.frame_overhead", Kind::bytes, 0, 65'536,
     "bytes that each FIS occupies beside its content",
     [](DriveConfig& c) -> Field { return &c.link.frame_overhead; }},
    {"link.data_fis_gap", Kind::duration, 0, second, "pause after each data FIS",
     [](DriveConfig& c) -> Field { return &c.link.data_fis_gap; }},
    {"link.queue_depth", Kind::count, 1, 32, "commands that the drive holds at once: NCQ tags",
     [](DriveConfig& c) -> Field { return &c.link.queue_depth; }},

    {"host.command_overhead", Kind::duration, 0, second,
     "from the decision to issue a command to its arrival at the link",
     [](DriveConfig& c) -> Field { return &c.host.command_overhead; }},

    {"drive.sectors", Kind::count, 8, std::uint64_t{1} << 48, "user capacity in sectors of 512 B",
     [](DriveConfig& c) -> Field { return &c.sectors; }},
};

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;  // Clang before 17 needs to be told

std::string joined(std::span<const std::string_view> words, std::string_view separator) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

[[noreturn]] void fail(const Key& key, const std::string& expected, std::string_view found,
                       const SourceLocation& where) {
  throw InputError(where, std::string(key.path) + ": expected " + expected + ", found " +
                              (found.empty() ? "nothing" : in_quotes(found)));
}

// A value in base units as the key's kind spells it.
std::string number_text(Kind kind, std::uint64_t value) {
  switch (kind) {
    case Kind::bytes: return format_bytes(Bytes{value});
    case Kind::duration: return format_duration(Duration{static_cast<Duration::rep>(value)});
    case Kind::bit_rate: return format_bit_rate(value);
    case Kind::percent: return format_percent(value);
    case Kind::boolean: return value != 0 ? "on" : "off";
    case Kind::count_or_none:
      if (value == drive::no_limit) return "none";
      return std::to_string(value);
    case Kind::count:
    case Kind::choice:
    case Kind::list: return std::to_string(value);
  }
  return {};
}

Parsed parse_boolean(std::string_view text) {
  for (const std::string_view word : {"on", "true", "yes"}) {
    if (text == word) return {.value = 1};
  }
  for (const std::string_view word : {"off", "false", "no"}) {
    if (text == word) return {.value = 0};
  }
  return {.expected = "on or off"};
}

Parsed parse_choice(const Key& key, std::string_view text) {
  const auto word = std::find(key.words.begin(), key.words.end(), text);
  if (word == key.words.end()) return {.expected = joined(key.words, " or ")};
  return {.value = static_cast<std::uint64_t>(word - key.words.begin())};
}

Parsed parse_number(const Key& key, std::string_view text) {
  switch (key.kind) {
    case Kind::bytes: return parse_bytes(text);
    case Kind::duration: return parse_duration(text);
    case Kind::bit_rate: return parse_bit_rate(text);
    case Kind::percent: return parse_percent(text);
    case Kind::boolean: return parse_boolean(text);
    case Kind::choice:
    case Kind::list: return parse_choice(key, text);
    case Kind::count_or_none:
    case Kind::count: return parse_count(text);
  }
  return {};
}

std::string range_text(const Key& key) {
  const bool count = key.kind == Kind::count || key.kind == Kind::count_or_none;
  return (count ? "a whole number from " : "") + number_text(key.kind, key.min) + " to " +
         number_text(key.kind, key.max) + (key.kind == Kind::count_or_none ? " or none" : "");
}

std::uint64_t read_number(const Key& key, std::string_view text, const SourceLocation& where) {
  if (key.kind == Kind::count_or_none && text == "none") return drive::no_limit;
  const bool count = key.kind == Kind::count || key.kind == Kind::count_or_none;
  const Parsed parsed = parse_number(key, text);
  if (!parsed.ok()) fail(key, count ? range_text(key) : parsed.expected, text, where);
  const bool ranged = key.kind != Kind::choice && key.kind != Kind::list;
  if (ranged && (parsed.value < key.min || parsed.value > key.max)) {
    fail(key, range_text(key), text, where);
  }
  return parsed.value;
}

// The words between the brackets, which --set may leave out: "[channel, die]".
std::optional<StripeOrder> parse_stripe_order(const Key& key, std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<ftl::StripeDimension> order;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    const Parsed word = parse_choice(key, trimmed(text.substr(0, comma)));
    if (!word.ok()) return {};
    const auto dimension = static_cast<ftl::StripeDimension>(word.value);
    if (std::find(order.begin(), order.end(), dimension) != order.end()) return {};
    order.push_back(dimension);
    if (more) text.remove_prefix(comma + 1);
  }
  if (order.size() == 2 &&
      std::find(order.begin(), order.end(), ftl::StripeDimension::plane) == order.end()) {
    order.push_back(ftl::StripeDimension::plane);
  }
  if (order.size() != 3) return {};
  return StripeOrder{order[0], order[1], order[2]};
}

std::string list_text(const Key& key, const StripeOrder& order) {
  std::vector<std::string_view> words;
  for (const ftl::StripeDimension dimension : order) {
    words.push_back(key.words[static_cast<std::size_t>(dimension)]);
  }
  if (order.back() == ftl::StripeDimension::plane) words.pop_back();  // where it is if not named
  std::string text = "[";
  text += joined(words, ", ");
  return text += ']';
}

}  // namespace

std::span<const Key> schema() { return keys; }

const Key* find_key(std::string_view path) {
  const auto key = std::find_if(std::begin(keys), std::end(keys),
                                [path](const Key& candidate) { return candidate.path == path; });
  return key == std::end(keys) ? nullptr : key;
}

const std::vector<std::string>& section_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> sections;
    for (const Key& key : keys) {
      const std::string section(key.path.substr(0, key.path.find('.')));
      if (sections.empty() || sections.back() != section) sections.push_back(section);
    }
    return sections;
  }();
  return names;
}

std::string unknown_key(std::string_view path) {
  std::vector<std::string> paths;
  for (const Key& key : keys) paths.emplace_back(key.path);
  return "unknown key '" + std::string(path) + "'" + did_you_mean(path, paths);
}

void assign(const Key& key, std::string_view text, const SourceLocation& where,
            drive::DriveConfig& config) {
  const std::string_view value = trimmed(text);
  const Field field = key.field(config);
  if (key.kind == Kind::list) {
    const std::optional<StripeOrder> order = parse_stripe_order(key, value);
    if (!order) {
      fail(key, "a list such as \"[channel, die]\" of " + joined(key.words, ", "), value, where);
    }
    *std::get<StripeOrder*>(field) = *order;
    return;
  }
  const std::uint64_t number = read_number(key, value, where);
  std::visit(
      Overloaded{
          [number](std::uint32_t* target) { *target = static_cast<std::uint32_t>(number); },
          [number](std::uint64_t* target) { *target = number; },
          [number](Bytes* target) { target->count = number; },
          [number](Duration* target) { *target = Duration{static_cast<Duration::rep>(number)}; },
          [number](bool* target) { *target = number != 0; },
          [](StripeOrder*) {},  // the only list, done above
          [number]<typename Enum>(Enum* target) {
            *target = static_cast<Enum>(static_cast<std::uint8_t>(number));
          },
      },
      field);
}

std::string value_text(const Key& key, const drive::DriveConfig& config) {
  DriveConfig copy = config;
  const auto number = [&key](std::uint64_t value) { return number_text(key.kind, value); };
  const auto word = [&key](auto value) {
    return std::string(key.words[static_cast<std::size_t>(value)]);
  };
  return std::visit(
      Overloaded{
          [&](const std::uint32_t* value) { return number(*value); },
          [&](const std::uint64_t* value) { return number(*value); },
          [&](const Bytes* value) { return number(value->count); },
          [&](const Duration* value) { return number(static_cast<std::uint64_t>(value->count())); },
          [&](const bool* value) { return number(*value ? 1 : 0); },
          [&](const StripeOrder* value) { return list_text(key, *value); },
          [&]<typename Enum>(const Enum* value) { return word(*value); },
      },
      key.field(copy));
}

}  // namespace x25sim::config
