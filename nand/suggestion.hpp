// What the user may have meant by a name that is not known.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace x25sim {

// Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`: the optimal string
// alignment distance. Compares the first 64 characters.
std::size_t edit_distance(std::string_view a, std::string_view b);

// `candidates`, the one most like `word` first; equally like ones keep their order.
std::vector<std::string> nearest_first(std::string_view word, std::vector<std::string> candidates);

// ", did you mean 'x'?" with the candidate that is most like `word`; empty if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// `text` between double quotes for a message: cut after 60 characters, control characters as '?'.
std::string in_quotes(std::string_view text);

}  // namespace x25sim
