#include "sim/config/published_figures.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <utility>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"

namespace x25sim::config {

namespace {

constexpr std::array<std::pair<std::string_view, FigureRole>, 5> roles{{
    {"calibrate", FigureRole::calibrate},
    {"check", FigureRole::check},
    {"floor", FigureRole::floor},
    {"ceiling", FigureRole::ceiling},
    {"info", FigureRole::info},
}};

constexpr std::array<std::pair<std::string_view, Metric>, 3> units{{
    {"MB/s", Metric::bandwidth},
    {"IOPS", Metric::iops},
    {"us", Metric::latency},
}};

constexpr std::string_view header =
    "id,drive,array,metric,conditions,value,low,high,unit,role,confidence,source";
constexpr std::size_t columns = 12;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t begin = 0;
  for (std::size_t comma = line.find(','); comma != std::string::npos;
       comma = line.find(',', begin)) {
    cells.push_back(line.substr(begin, comma - begin));
    begin = comma + 1;
  }
  cells.push_back(line.substr(begin));
  return cells;
}

std::optional<double> parse_number(const std::string& cell, const SourceLocation& where) {
  if (cell.empty()) return {};
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [rest, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || rest != end || !(value > 0)) {
    throw InputError(where, "expected a positive number, found " + in_quotes(cell));
  }
  return value;
}

FigureRole parse_role(const std::string& cell, const SourceLocation& where) {
  for (const auto& [word, role] : roles) {
    if (word == cell) return role;
  }
  throw InputError(where,
                   "expected calibrate, check, floor, ceiling or info, found " + in_quotes(cell));
}

PublishedFigure parse_figure(const std::string& line, const SourceLocation& where) {
  const std::vector<std::string> cells = split(line);
  if (cells.size() != columns) {
    throw InputError(where, "expected " + std::to_string(columns) + " columns, found " +
                                std::to_string(cells.size()));
  }
  PublishedFigure figure;
  figure.id = cells[0];
  figure.drive = cells[1];
  figure.metric = cells[3];
  figure.conditions = cells[4];
  figure.value = parse_number(cells[5], where);
  figure.low = parse_number(cells[6], where);
  figure.high = parse_number(cells[7], where);
  const auto unit = metric_of(cells[8]);
  if (!unit) throw InputError(where, "expected MB/s, IOPS or us, found " + in_quotes(cells[8]));
  figure.unit = *unit;
  figure.role = parse_role(cells[9], where);
  figure.confidence = cells[10];
  figure.source = cells[11];
  if (figure.value.has_value() == (figure.low && figure.high)) {
    throw InputError(where, "expected a value, or a range from low to high");
  }
  return figure;
}

}  // namespace

std::string_view unit(Metric metric) {
  for (const auto& [word, known] : units) {
    if (known == metric) return word;
  }
  return "";
}

std::optional<Metric> metric_of(std::string_view unit) {
  for (const auto& [word, metric] : units) {
    if (word == unit) return metric;
  }
  return {};
}

std::string_view name(FigureRole role) {
  for (const auto& [word, known] : roles) {
    if (known == role) return word;
  }
  return "";
}

std::vector<PublishedFigure> read_published_figures(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw InputError({path.string(), 0}, "cannot read the published figures");
  std::vector<PublishedFigure> figures;
  bool has_header = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const SourceLocation where{path.string(), ++number};
    if (line.empty() || line.front() == '#') continue;
    if (!has_header) {
      if (line != header) throw InputError(where, "expected the columns " + std::string(header));
      has_header = true;
      continue;
    }
    figures.push_back(parse_figure(line, where));
  }
  return figures;
}

double relative_error(const PublishedFigure& figure, double simulated) {
  if (figure.value) return simulated / *figure.value - 1;
  if (simulated < *figure.low) return simulated / *figure.low - 1;
  if (simulated > *figure.high) return simulated / *figure.high - 1;
  return 0;
}

std::optional<bool> meets(const PublishedFigure& figure, double simulated) {
  const double error = relative_error(figure, simulated);
  switch (figure.role) {
    case FigureRole::calibrate:
    case FigureRole::check: return std::abs(error) <= measured_tolerance;
    case FigureRole::floor: return error >= -rated_tolerance;
    case FigureRole::ceiling: return error <= rated_tolerance;
    case FigureRole::info: break;
  }
  return {};
}

}  // namespace x25sim::config
