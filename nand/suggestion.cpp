#include "nand/suggestion.hpp"

#include <algorithm>

namespace x25sim {

namespace {

constexpr std::size_t compared_length = 64;  // bounds the work for absurd input

std::string_view last_component(std::string_view path) {
  return path.substr(path.rfind('.') + 1);  // npos + 1 is 0
}

// As edit_distance, but the right key in the wrong section is near: "controller.read_time".
std::size_t distance(std::string_view word, std::string_view candidate) {
  const std::size_t whole = edit_distance(word, candidate);
  if (candidate.find('.') == std::string_view::npos) return whole;
  return std::min(whole, 1 + edit_distance(last_component(word), last_component(candidate)));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, compared_length);
  b = b.substr(0, compared_length);
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i * width] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t here = i * width + j;
      cost[here] = std::min({cost[here - 1] + 1, cost[here - width] + 1,
                             cost[here - width - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[here] = std::min(cost[here], cost[here - 2 * width - 2] + 1);
    }
  }
  return cost.back();
}

std::vector<std::string> nearest_first(std::string_view word, std::vector<std::string> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [word](const std::string& a, const std::string& b) {
                     return distance(word, a) < distance(word, b);
                   });
  return candidates;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [word](const std::string& a, const std::string& b) {
                                       return distance(word, a) < distance(word, b);
                                     });
  if (best == candidates.end()) return {};
  const std::size_t near = std::max<std::size_t>(2, last_component(*best).size() / 3);
  return distance(word, *best) <= near ? ", did you mean '" + *best + "'?" : std::string{};
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown_length = 60;
  std::string result = "\"";
  for (const char c : text.substr(0, shown_length)) {
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return result + (text.size() > shown_length ? "...\"" : "\"");
}

}  // namespace x25sim
