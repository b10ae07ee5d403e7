#include "sim/config/part_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <yaml-cpp/yaml.h>

#include "nand/suggestion.hpp"
#include "sim/config/schema.hpp"

namespace x25sim::config {

namespace {

constexpr std::size_t file_size_max = 1u << 20;  // a configuration is a few kilobytes

std::string read_text(const std::filesystem::path& path, const std::string& shown_as) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(file_size_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw InputError({shown_as}, std::string("cannot read this file: ") + std::strerror(errno));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > file_size_max) {
    throw InputError({shown_as}, "expected a configuration of at most 1 MiB");
  }
  return text;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The text after the '#' that starts a comment in `line`, without spaces around it; empty if none.
std::string comment_of(const std::string& line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '"' || c == '\'') && (i == 0 || !is_letter(line[i - 1]))) {
      quote = c;  // not the apostrophe of "Intel's"
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      const std::size_t first = line.find_first_not_of("# \t", i);
      if (first == std::string::npos) return {};
      return line.substr(first, line.find_last_not_of(" \t") - first + 1);
    }
  }
  return {};
}

bool is_comment_line(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string::npos && line[first] == '#';
}

// Reads one document into a PartFile.
class Reader {
 public:
  Reader(const std::string& shown_as, const std::string& text, FileRole role)
      : shown_as_(shown_as), lines_(split_lines(text)), role_(role) {}

  PartFile read(const YAML::Node& root) {
    if (!root.IsMap()) {
      throw InputError(at(root), "expected sections such as \"nand:\", each with its keys");
    }
    for (const auto& entry : root) read_top_level(entry.first, entry.second);
    return std::move(file_);
  }

 private:
  SourceLocation at(const YAML::Node& node) const { return {shown_as_, node.Mark().line + 1}; }

  // `node` as text that the schema can read, or that a message can show.
  static std::string text_of(const YAML::Node& node) {
    if (node.IsScalar()) return node.Scalar();
    if (node.IsMap()) return "{...}";
    if (!node.IsSequence()) return {};
    std::string text;
    for (const YAML::Node& element : node) {
      if (!text.empty()) text += ", ";
      text += element.IsScalar() ? element.Scalar() : "...";
    }
    return "[" + text + "]";
  }

  std::string key_text(const YAML::Node& key) const {
    if (!key.IsScalar()) throw InputError(at(key), "expected a key, found " + text_of(key));
    return key.Scalar();
  }

  void refuse_second(const std::string& key, const YAML::Node& node) {
    const SourceLocation where = at(node);
    const auto [first, added] = line_of_.emplace(key, where.line);
    if (added) return;
    throw InputError(where, "'" + key + "' is set twice in this file, first in line " +
                                std::to_string(first->second));
  }

  void read_top_level(const YAML::Node& key_node, const YAML::Node& value) {
    const std::string key = key_text(key_node);
    refuse_second(key, key_node);
    const auto& sections = section_names();
    if (std::find(sections.begin(), sections.end(), key) != sections.end()) {
      read_section(key, key_node, value);
    } else if (key == "name" || key == "description" || key == "parts") {
      if (role_ == FileRole::part) {
        throw InputError(at(key_node), "'" + key + "' belongs in a drive's file, not in its parts");
      }
      read_heading(key, key_node, value);
    } else {
      std::vector<std::string> known = sections;
      if (role_ == FileRole::drive) known.insert(known.end(), {"name", "description", "parts"});
      throw InputError(at(key_node), "unknown key '" + key + "'" + did_you_mean(key, known));
    }
  }

  void read_heading(const std::string& key, const YAML::Node& key_node, const YAML::Node& value) {
    if (key == "parts") {
      read_parts(key_node, value);
      return;
    }
    if (!value.IsScalar() || value.Scalar().empty()) {
      throw InputError(at(key_node), key + ": expected text");
    }
    (key == "name" ? file_.name : file_.description) = value.Scalar();
  }

  void read_parts(const YAML::Node& key_node, const YAML::Node& value) {
    const std::string expected = "parts: expected a list of files such as \"nand/slc-50nm.yaml\"";
    if (!value.IsSequence()) throw InputError(at(key_node), expected);
    for (const YAML::Node& part : value) {
      if (!part.IsScalar() || part.Scalar().empty()) throw InputError(at(part), expected);
      file_.parts.push_back({part.Scalar(), at(part)});
    }
  }

  void read_section(const std::string& section, const YAML::Node& key_node,
                    const YAML::Node& value) {
    if (!value.IsMap()) {
      throw InputError(at(key_node), section + ": expected keys with their values below it");
    }
    for (const auto& entry : value) {
      const std::string path = section + "." + key_text(entry.first);
      const SourceLocation where = at(entry.first);
      if (find_key(path) == nullptr) throw InputError(where, unknown_key(path));
      refuse_second(path, entry.first);
      file_.settings.push_back({path, text_of(entry.second), where, source_of(where.line)});
    }
  }

  // The comment at the end of `line` (counted from 1), or else the comment lines directly above.
  std::string source_of(std::int64_t line) const {
    const auto position = static_cast<std::size_t>(line - 1);
    if (position >= lines_.size()) return {};
    if (std::string comment = comment_of(lines_[position]); !comment.empty()) return comment;
    std::size_t first = position;
    while (first > 0 && is_comment_line(lines_[first - 1])) --first;
    std::string block;
    for (std::size_t i = first; i < position; ++i) {
      if (!block.empty()) block += ' ';
      block += comment_of(lines_[i]);
    }
    return block;
  }

  const std::string& shown_as_;
  std::vector<std::string> lines_;
  FileRole role_;
  PartFile file_;
  std::map<std::string, int> line_of_;  // first line of each key
};

}  // namespace

PartFile read_part_file(const std::filesystem::path& path, const std::string& shown_as,
                        FileRole role) {
  const std::string text = read_text(path, shown_as);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) throw InputError({shown_as}, "expected a configuration, found nothing");
    if (documents.size() > 1) {
      throw InputError({shown_as, documents[1].Mark().line + 1},
                       "expected one YAML document, found a second one");
    }
    return Reader(shown_as, text, role).read(documents.front());
  } catch (const YAML::Exception& error) {
    throw InputError({shown_as, error.mark.is_null() ? 0 : error.mark.line + 1},
                     "not readable as YAML: " + error.msg);
  }
}

}  // namespace x25sim::config
