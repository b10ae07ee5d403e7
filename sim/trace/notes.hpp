// What is odd about a trace without being wrong: counted, with the first lines where it was met.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/record.hpp"

namespace x25sim::trace {

// What is noted of what can't be read where damage is passed over.
inline constexpr std::string_view damaged_note = "damaged line, passed over";

class Notes {
 public:
  // Kinds of oddities and lines of each that are kept: what a person reads, whatever the trace.
  static constexpr std::size_t kinds_max = 32;
  static constexpr std::size_t lines_max = 3;

  struct Note {
    std::string text;
    std::uint64_t count = 0;
    std::vector<std::int64_t> lines;  // the first ones
  };

  // Counts an occurrence of `text` at `line`. Requires: at most kinds_max different texts.
  void add(std::string_view text, std::int64_t line);
  // Counts a request without length, or one that is not of whole sectors of 512 bytes.
  void add_odd_sizes(const Record& record);
  // Counts all that `other` has.
  void add(const Notes& other);

  const std::vector<Note>& all() const { return notes_; }

  // "text: 12 times, first at lines 3, 4, 7"
  static std::string sentence(const Note& note);

 private:
  Note& note_of(std::string_view text);

  std::vector<Note> notes_;
};

}  // namespace x25sim::trace
