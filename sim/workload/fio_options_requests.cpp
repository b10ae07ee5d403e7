// Options that say which requests a job makes: directions, order, sizes and flushes.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "sim/workload/fio_rules.hpp"

namespace x25sim::workload {
namespace {

// The bytes of fio's offset modifier, which may be negative.
std::optional<std::int64_t> signed_bytes(const OptionReader& reader, std::string_view item) {
  const bool negative = item.starts_with('-');
  if (negative) item.remove_prefix(1);
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const auto value = reader.number(item, 0, most);
  if (!value) return std::nullopt;
  return negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
}

bool apply_rw(OptionReader& reader) {
  struct Pattern {
    std::string_view name;
    Direction direction;
    bool random;
  };
  static constexpr std::array patterns{
      Pattern{"read", Direction::read, false},
      Pattern{"write", Direction::write, false},
      Pattern{"trim", Direction::trim, false},
      Pattern{"randread", Direction::read, true},
      Pattern{"randwrite", Direction::write, true},
      Pattern{"randtrim", Direction::trim, true},
      Pattern{"rw", Direction::mixed, false},
      Pattern{"readwrite", Direction::mixed, false},
      Pattern{"randrw", Direction::mixed, true},
      Pattern{"trimwrite", Direction::trim_write, false},
      Pattern{"randtrimwrite", Direction::trim_write, true},
  };
  const std::string_view text = reader.text();
  const std::size_t colon = text.find(':');
  const auto* const pattern = std::ranges::find(patterns, text.substr(0, colon), &Pattern::name);
  if (pattern == patterns.end()) return false;
  reader.job.direction = pattern->direction;
  reader.job.random = pattern->random;
  reader.job.random_every = 1;
  reader.job.sequential_step = 0;
  if (colon == text.npos) return true;
  const std::string_view modifier = text.substr(colon + 1);
  if (pattern->random) {
    std::uint32_t every = 0;
    const char* const end = modifier.data() + modifier.size();
    const auto [rest, error] = std::from_chars(modifier.data(), end, every);
    if (error != std::errc{} || rest != end || every == 0) return false;
    reader.job.random_every = every;
    return true;
  }
  const auto step = signed_bytes(reader, modifier);
  if (!step) return false;
  if (*step % static_cast<std::int64_t>(sector_size.count) != 0) {
    reader.fail(
        fmt::format("expected an offset modifier that is a multiple of {} bytes, a sector, "
                    "found '{}'",
                    sector_size.count, modifier));
  }
  reader.job.sequential_step = *step;
  return true;
}

bool apply_bs(OptionReader& reader) {
  return reader.each_direction([&](std::size_t direction, std::string_view item) {
    const auto size = reader.sectors(item);
    if (size) reader.draft.block[direction] = *size;
    return size.has_value();
  });
}

bool apply_bsrange(OptionReader& reader) {
  return reader.each_direction([&](std::size_t direction, std::string_view item) {
    const auto range = reader.range(item);
    if (!range) return false;
    if (!reader.draft.split[direction].empty()) {
      reader.fail("expected no bssplit before it, found one: fio would cut its sizes to the range");
    }
    reader.draft.range[direction] = *range;
    return true;
  });
}

// "4k/10:64k/50:32k": sizes with a share in percent. Those without one, or with 0, divide what the
// others leave; what is left over in the end goes to the largest share, as in fio.
std::optional<std::vector<BlockSizes::Share>> parse_split(const OptionReader& reader,
                                                          std::string_view text) {
  std::vector<BlockSizes::Share> shares;
  std::uint32_t given = 0;
  std::uint32_t missing = 0;
  for (const std::string_view item : split(text, ':')) {
    const std::size_t slash = item.find('/');
    const auto size = reader.sectors(item.substr(0, slash));
    if (!size) return std::nullopt;
    std::string_view percent = slash == item.npos ? std::string_view() : item.substr(slash + 1);
    if (percent.ends_with('%')) percent.remove_suffix(1);
    std::uint64_t share = 0;
    if (!percent.empty()) {
      const auto number = reader.number(percent, 0, 100);
      if (!number) return std::nullopt;
      share = *number;
    }
    shares.push_back({*size, static_cast<std::uint32_t>(share)});
    given += shares.back().percent;
    if (share == 0) ++missing;
  }
  if (given > 100) {
    reader.fail(fmt::format("expected percentages of at most 100 together, found {}", given));
  }
  for (BlockSizes::Share& share : shares) {
    if (share.percent == 0) share.percent = (100 - given) / missing;
  }
  std::ranges::stable_sort(shares, {}, &BlockSizes::Share::percent);
  std::uint32_t total = 0;
  for (const BlockSizes::Share& share : shares) total += share.percent;
  shares.back().percent += 100 - total;
  if (missing == 0 && total < 100 && shares.size() > 1) {
    reader.note(
        fmt::format("bssplit={}: the percentages are {} together; the size of the largest "
                    "share has the rest, as in fio",
                    reader.text(), total));
  }
  std::erase_if(shares, [](const BlockSizes::Share& share) { return share.percent == 0; });
  return shares;
}

bool apply_bssplit(OptionReader& reader) {
  return reader.each_direction([&](std::size_t direction, std::string_view item) {
    auto shares = parse_split(reader, item);
    if (!shares) return false;
    reader.draft.split[direction] = std::move(*shares);
    reader.draft.range[direction].reset();
    return true;
  });
}

bool apply_blockalign(OptionReader& reader) {
  return reader.each_direction([&](std::size_t direction, std::string_view item) {
    const auto size = reader.sectors(item);
    if (size) reader.draft.align[direction] = *size;
    return size.has_value();
  });
}

bool apply_sequencer(OptionReader& reader) {
  constexpr std::array choices{
      std::pair{std::string_view("sequential"), Sequencer::sequential},
      std::pair{std::string_view("identical"), Sequencer::identical},
  };
  return reader.choice(reader.job.sequencer, choices);
}

// rwmixread and rwmixwrite set the same share: the later one counts.
bool apply_rwmixwrite(OptionReader& reader) {
  const auto share = reader.number(reader.text(), 0, 100);
  if (share) reader.job.read_percent = static_cast<std::uint32_t>(100 - *share);
  return share.has_value();
}

bool apply_random_generator(OptionReader& reader) {
  constexpr std::array choices{
      std::pair{std::string_view("tausworthe"), false},
      std::pair{std::string_view("tausworthe64"), false},
      std::pair{std::string_view("lfsr"), true},
  };
  return reader.choice(reader.job.lfsr, choices);
}

bool apply_randrepeat(OptionReader& reader) {
  if (reader.text() == "0") {
    reader.note(reader.name() +
                "=0 has no effect: every run is repeatable, and another seed gives another run");
  }
  return reader.text() == "0" || reader.text() == "1";
}

bool apply_sync(OptionReader& reader) {
  constexpr std::array choices{
      std::pair{std::string_view("none"), false}, std::pair{std::string_view("0"), false},
      std::pair{std::string_view("sync"), true},  std::pair{std::string_view("1"), true},
      std::pair{std::string_view("dsync"), true},
  };
  return reader.choice(reader.job.durability.each_write, choices);
}

constexpr std::string_view expects_share = "a percentage from 0 to 100, without a sign";
constexpr std::string_view expects_writes = "a number of writes";

constexpr OptionRule rules[] = {
    {"rw", "readwrite",
     "one of read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw, trimwrite, "
     "randtrimwrite, or one of them with an offset modifier such as write:8k or randread:8",
     apply_rw},
    {"bs", "blocksize",
     "a block size such as 4096 or 4k, or up to three for reads, writes and trims such as "
     "4k,8k,64k",
     apply_bs},
    {"bsrange", "blocksize_range",
     "a range of block sizes such as 4k-64k, or up to three for reads, writes and trims",
     apply_bsrange},
    {"bssplit", "",
     "block sizes with percentages such as 4k/60:64k/40, or up to three such lists for reads, "
     "writes and trims",
     apply_bssplit},
    {"bs_unaligned", "blocksize_unaligned", expects_flag,
     [](OptionReader& r) { return r.flag(r.draft.unaligned_sizes); }, true},
    {"bs_is_seq_rand", "", expects_switch,
     [](OptionReader& r) { return r.flag(r.job.sizes_by_order); }},
    {"blockalign", "ba",
     "an alignment such as 4096 or 4k, or up to three for reads, writes and trims",
     apply_blockalign},
    {"rw_sequencer", "", "sequential or identical", apply_sequencer},
    {"rwmixread", "", expects_share,
     [](OptionReader& r) { return r.count(r.job.read_percent, 0, 100); }},
    {"rwmixwrite", "", expects_share, apply_rwmixwrite},
    {"percentage_random", "",
     "a percentage from 0 to 100, without a sign, or up to three for reads, writes and trims",
     [](OptionReader& r) { return r.counts(r.job.random_percent, 0, 100); }},
    {"random_distribution", "",
     "random, zipf:THETA, pareto:POWER or normal:DEVIATION, each with an optional :CENTER, or "
     "zoned:ACCESS/SIZE:... or zoned_abs:ACCESS/SIZE:...",
     apply_distribution},
    {"norandommap", "", expects_flag, [](OptionReader& r) { return r.flag(r.job.no_random_map); },
     true},
    {"random_generator", "", "tausworthe, tausworthe64 or lfsr", apply_random_generator},
    {"randseed", "", "an integer from 0 to 18446744073709551615",
     [](OptionReader& r) { return r.count(r.job.random_seed, 0); }},
    {"randrepeat", "", expects_switch, apply_randrepeat},
    {"allrandrepeat", "", expects_switch, apply_randrepeat},
    {"fsync", "", expects_writes, [](OptionReader& r) { return r.count(r.draft.fsync, 0); }},
    {"fdatasync", "", expects_writes,
     [](OptionReader& r) { return r.count(r.draft.fdatasync, 0); }},
    {"sync", "", "none, 0, sync, 1 or dsync", apply_sync},
    {"end_fsync", "", expects_switch, [](OptionReader& r) { return r.flag(r.draft.end_fsync); }},
    {"fsync_on_close", "", expects_switch,
     [](OptionReader& r) { return r.flag(r.draft.fsync_on_close); }},
};

}  // namespace

std::span<const OptionRule> request_rules() { return rules; }

}  // namespace x25sim::workload
