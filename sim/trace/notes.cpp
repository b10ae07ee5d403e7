#include "sim/trace/notes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nand/check.hpp"

namespace x25sim::trace {

void Notes::add(std::string_view text, std::int64_t line) {
  Note& note = note_of(text);
  ++note.count;
  if (note.lines.size() < lines_max) note.lines.push_back(line);
}

void Notes::add_odd_sizes(const Record& record) {
  const bool moves_data = record.kind != Kind::flush && record.kind != Kind::other;
  if (moves_data && record.length.count == 0) add("request without length", record.line);
  if (!in_whole_sectors(record)) {
    add("request that is not of whole sectors of 512 bytes", record.line);
  }
}

void Notes::add(const Notes& other) {
  for (const Note& more : other.notes_) {
    Note& note = note_of(more.text);
    note.count += more.count;
    for (const std::int64_t line : more.lines) {
      if (note.lines.size() < lines_max) note.lines.push_back(line);
    }
  }
}

std::string Notes::sentence(const Note& note) {
  return fmt::format("{}: {} time{}, first at line{} {}", note.text, note.count,
                     note.count == 1 ? "" : "s", note.lines.size() == 1 ? "" : "s",
                     fmt::join(note.lines, ", "));
}

Notes::Note& Notes::note_of(std::string_view text) {
  const auto known =
      std::find_if(notes_.begin(), notes_.end(), [text](const Note& n) { return n.text == text; });
  if (known != notes_.end()) return *known;
  X25_CHECK(notes_.size() < kinds_max);
  return notes_.emplace_back(Note{std::string(text), 0, {}});
}

}  // namespace x25sim::trace
