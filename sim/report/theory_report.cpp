#include "sim/report/theory_report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/table.hpp"

namespace x25sim::report {

namespace {

using Json = nlohmann::ordered_json;

Json as_json(const TheoryNumber& number) {
  if (const double* const value = std::get_if<double>(&number)) {
    return std::isfinite(*value) ? Json(*value) : Json(nullptr);
  }
  if (const auto* const count = std::get_if<std::uint64_t>(&number)) return *count;
  return std::get<std::string>(number);
}

// With the digits that tell the number from its neighbours, as the JSON has it.
std::string exact_text(const TheoryNumber& number) {
  if (const auto* const text = std::get_if<std::string>(&number)) return *text;
  const Json json = as_json(number);
  return json.is_null() ? std::string{} : json.dump();
}

std::string rounded_text(const TheoryNumber& number) {
  const double* const value = std::get_if<double>(&number);
  if (value == nullptr) return exact_text(number);
  if (!std::isfinite(*value)) return "-";
  return std::abs(*value) < 1e6 ? fmt::format("{:.6g}", *value) : fmt::format("{:.0f}", *value);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace

std::string theory_json(const TheoryReport& report) {
  Json json;
  Json inputs = Json::object();
  Json units = Json::object();
  Json formulas = Json::object();
  for (const TheoryValue& value : report.values) {
    json[value.name] = as_json(value.value);
    if (!value.unit.empty()) units[value.name] = value.unit;
    formulas[value.name] = value.formula;
  }
  for (const TheoryInput& input : report.inputs) inputs[input.name] = as_json(input.value);
  json["inputs"] = std::move(inputs);
  json["units"] = std::move(units);
  json["formulas"] = std::move(formulas);
  return json.dump(2) + "\n";
}

std::string theory_csv(const TheoryReport& report) {
  std::string names;
  std::string numbers;
  const auto add = [&](const std::string& name, const TheoryNumber& number) {
    names += csv_field(name) + ',';
    numbers += csv_field(exact_text(number)) + ',';
  };
  for (const TheoryInput& input : report.inputs) add(input.name, input.value);
  for (const TheoryValue& value : report.values) add(value.name, value.value);
  for (std::string* const line : {&names, &numbers}) {
    if (!line->empty()) line->back() = '\n';
  }
  return names + numbers;
}

std::string theory_text(const TheoryReport& report) {
  std::string text = report.subject;
  const char* separator = ": ";
  for (const TheoryInput& input : report.inputs) {
    text += separator + in_words(input.name) + " " + rounded_text(input.value);
    separator = ", ";
  }
  Table table({{"quantity", Align::left},
               {"value", Align::right},
               {"unit", Align::left},
               {"formula and source", Align::left}});
  for (const TheoryValue& value : report.values) {
    table.add_row({in_words(value.name), rounded_text(value.value), value.unit, value.formula});
  }
  return text + "\n\n" + table.text();
}

}  // namespace x25sim::report
