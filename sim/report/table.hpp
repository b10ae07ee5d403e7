// Tables in text output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace x25sim::report {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
};

// Columns as wide as their widest cell, two blanks apart, with a rule below the titles. Widths
// count characters of UTF-8, not bytes.
class Table {
 public:
  explicit Table(std::vector<Column> columns);

  // Requires: as many cells as columns.
  void add_row(std::vector<std::string> cells);

  // Every line ends with a newline and has no blanks before it.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace x25sim::report
