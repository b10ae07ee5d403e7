// What a closed form says, as JSON, CSV and text.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace x25sim::report {

using TheoryNumber = std::variant<double, std::uint64_t, std::string>;

// What the result depends on, given or by default. Names are as in JSON: "spare_factor".
struct TheoryInput {
  std::string name;
  TheoryNumber value;
};

struct TheoryValue {
  std::string name;
  TheoryNumber value;
  std::string unit;     // empty: a plain number
  std::string formula;  // by name, with its source
};

struct TheoryReport {
  std::string subject;
  std::vector<TheoryInput> inputs;
  std::vector<TheoryValue> values;
};

// One object: the values by name, then "inputs", "units" and "formulas" by name. A number that is
// not finite is null.
std::string theory_json(const TheoryReport& report);
// A line of names and a line of what they stand for, inputs first. A number that is not finite is
// an empty field.
std::string theory_csv(const TheoryReport& report);
// A table of the values, for people.
std::string theory_text(const TheoryReport& report);

}  // namespace x25sim::report
