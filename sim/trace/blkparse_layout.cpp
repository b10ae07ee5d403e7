#include "sim/trace/blkparse_layout.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "nand/errors.hpp"
#include "sim/trace/line.hpp"

namespace x25sim::trace {

namespace {

constexpr std::string_view conversions = "acCdDegmMnNpPsStTuUz";
constexpr std::string_view actions_with_format = "ABCDFGIMPQRSTUWX";
constexpr std::string_view blanks = " \t\r";

bool is_blank(char c) { return blanks.find(c) != blanks.npos; }

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

// Takes off what fits `belongs`.
template <typename Belongs>
std::string_view take_while(std::string_view& text, Belongs belongs) {
  std::size_t size = 0;
  while (size < text.size() && belongs(text[size])) ++size;
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

std::string_view take_number(std::string_view& text) { return take_while(text, is_digit); }

// Takes off "major,minor" with the blanks that blkparse pads it with.
bool take_device(std::string_view& text, std::string& device) {
  const std::string_view major = take_number(text);
  if (major.empty() || !text.starts_with(',')) return false;
  text.remove_prefix(1);
  const std::string_view minor = take_number(text);
  if (minor.empty()) return false;
  device.assign(major).append(",").append(minor);
  return true;
}

}  // namespace

BlkparseLayout::BlkparseLayout(const std::string& arguments) : format_(arguments) {
  if (arguments.size() > 1 && arguments[1] == ',' &&
      actions_with_format.find(arguments[0]) != actions_with_format.npos) {
    action_ = arguments[0];
    format_ = arguments.substr(2);
  }
  compile();
  require("S", "the first sector");
  require("nN", "the number of sectors or bytes");
  require("d", "the kind of the request");
  require("T", "seconds; %u is not when a request came, but how long it took");
}

void BlkparseLayout::require(std::string_view letters, std::string_view what) const {
  if (std::any_of(letters.begin(), letters.end(), [this](char c) { return has(c); })) return;
  throw InputError(fmt::format("expected %{} ({}) in the format of blkparse's lines, found '{}'",
                               letters[0], what, format_));
}

bool BlkparseLayout::has(char conversion) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [conversion](const Part& part) { return part.conversion == conversion; });
}

// Widths only pad with blanks, which match() does not count; %t is padded with zeros.
void BlkparseLayout::compile() {
  std::string_view rest = format_;
  while (rest.ends_with("\\n") || rest.ends_with('\n')) {
    rest.remove_suffix(rest.ends_with('\n') ? 1 : 2);
  }
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  const auto add_text = [this](char c) {
    if (parts_.empty() || parts_.back().conversion != 0) parts_.emplace_back();
    parts_.back().text += c;
  };
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\\') {
      const char escape = rest.empty() ? '\0' : rest.front();
      if (escape != 't' && escape != 'r') {
        throw InputError(
            fmt::format("expected \\t, \\r or, at the end, \\n in the format of "
                        "blkparse's lines, found '\\{}' in '{}'",
                        rest.substr(0, 1), format_));
      }
      rest.remove_prefix(1);
      add_text(' ');
    } else if (c == '%' && !rest.starts_with('%')) {
      if (rest.starts_with('-')) rest.remove_prefix(1);
      take_number(rest);
      if (rest.empty() || conversions.find(rest.front()) == conversions.npos) {
        throw InputError(fmt::format("expected a conversion of blkparse (%{}), found '%{}' in '{}'",
                                     fmt::join(conversions, " %"), rest.substr(0, 1), format_));
      }
      parts_.push_back({rest.front(), {}});
      rest.remove_prefix(1);
    } else {
      if (c == '%') rest.remove_prefix(1);
      add_text(c);
    }
  }
  while (!parts_.empty() && parts_.back().conversion == 0 && is_blank(parts_.back().text.back())) {
    parts_.back().text.pop_back();
    if (parts_.back().text.empty()) parts_.pop_back();
  }
}

bool BlkparseLayout::match(std::string_view text, BlkparseEvent& event) const {
  event = {};
  Refuted refuted(parts_.size());
  if (!match_from(0, text, event, refuted)) return false;
  if (action_ && event.action.empty()) event.action = std::string_view(&*action_, 1);
  return true;
}

bool BlkparseLayout::match_from(std::size_t part, std::string_view text, BlkparseEvent& event,
                                Refuted& refuted) const {
  const bool behind_major = part >= 2 && parts_[part - 2].conversion == 'M';
  if (part == parts_.size()) {
    skip_blanks(text);
    return text.empty();
  }
  const Part& now = parts_[part];
  if (now.conversion == 0) {
    for (const char c : now.text) {
      if (is_blank(c)) {
        skip_blanks(text);
        continue;
      }
      // A width may have put blanks before or behind what was printed.
      skip_blanks(text);
      if (!text.starts_with(c)) return false;
      text.remove_prefix(1);
    }
    return match_from(part + 1, text, event, refuted);
  }
  if (now.conversion == 'C' || now.conversion == 'P') {
    return match_anything(part, text, event, refuted);
  }
  skip_blanks(text);
  std::string_view field;
  const auto take = [&](auto belongs) { return !(field = take_while(text, belongs)).empty(); };
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  bool fits = false;
  switch (now.conversion) {
    case 'a':
      fits = take(is_letter);
      event.action = field;
      break;
    case 'd':
      fits = take(is_letter);
      event.rwbs = field;
      break;
    case 'D': fits = take_device(text, event.device); break;
    case 'M':
      fits = take(is_digit);
      event.device = std::string(field) + ",0";
      break;
    case 'm':
      fits = take(is_digit);
      event.device = (behind_major ? event.device.substr(0, event.device.find(',')) : "0") + "," +
                     std::string(field);
      break;
    case 'S':
      fits = take(is_digit);
      event.sector = field;
      break;
    case 'n':
      fits = take(is_digit);
      event.sectors = field;
      break;
    case 'N':
      fits = take(is_digit);
      event.bytes = field;
      break;
    case 'T':
      fits = take(is_digit);
      event.seconds = field;
      break;
    case 't':
      fits = take(is_digit);
      event.nanoseconds = field;
      break;
    case 'e': fits = take([](char c) { return c == '-' || is_digit(c); }); break;
    case 'g':
    case 'z':
      fits = take([](char c) {
        return c == ',' || c == ':' || c == '.' || std::isxdigit(static_cast<unsigned char>(c));
      });
      break;
    default: fits = take(is_digit); break;
  }
  return fits && match_from(part + 1, text, event, refuted);
}

// A name or a payload ends where the rest of the format fits, as late as possible.
bool BlkparseLayout::match_anything(std::size_t part, std::string_view text, BlkparseEvent& event,
                                    Refuted& refuted) const {
  for (std::size_t& rest = refuted[part]; rest <= text.size(); ++rest) {
    if (match_from(part + 1, text.substr(text.size() - rest), event, refuted)) return true;
  }
  return false;
}

}  // namespace x25sim::trace
