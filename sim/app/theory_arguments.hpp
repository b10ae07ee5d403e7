// The options of one subject of `x25sim theory`, read and checked one by one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/app/command.hpp"
#include "sim/report/theory_report.hpp"

namespace x25sim::app {

enum class TheoryFormat : std::uint8_t { json, csv, normal };

struct TheoryOption {
  std::string_view name;  // without the dashes
  std::string_view value_name;
  std::string_view about;
};

class TheoryArguments;

// What can be asked for.
struct TheorySubject {
  std::string_view name;
  std::string_view summary;
  std::string_view about;    // a sentence or two
  std::string_view example;  // a command line that works
  std::span<const TheoryOption> options;
  std::vector<report::TheoryValue> (*evaluate)(TheoryArguments& arguments);
};

// Both ends included.
struct Interval {
  double min;
  double max;
};

// Every getter takes an option's name without the dashes, throws InputError with the name, what was
// expected and what was found, and notes the value for the report. Where a default is given as text
// it is read like the user's; without one the option is required.
class TheoryArguments {
 public:
  // Reads what follows the subject's name. Nothing if help was asked for, which has then been
  // printed. Throws InputError for options that are unknown or incomplete.
  static std::optional<TheoryArguments> parse(const TheorySubject& subject,
                                              const Arguments& arguments);

  bool given(std::string_view name) const;
  double number(std::string_view name, const Interval& range, std::string_view otherwise = {});
  std::uint32_t count(std::string_view name, std::uint32_t min, std::uint32_t max,
                      std::string_view otherwise = {});
  double time_s(std::string_view name, std::string_view otherwise = {});  // a duration, in seconds
  double bytes(std::string_view name, std::string_view otherwise = {});   // an amount of data > 0
  std::string choice(std::string_view name, std::initializer_list<std::string_view> choices,
                     std::string_view otherwise = {});

  // Refuses the value of an option: "--name: expected ..., found ...".
  [[noreturn]] void refuse(std::string_view name, const std::string& expected) const;

  TheoryFormat format() const { return format_; }
  const std::string& output() const { return output_; }  // path; empty: standard output
  const std::vector<report::TheoryInput>& inputs() const { return inputs_; }

 private:
  std::string text_of(std::string_view name, std::string_view otherwise) const;
  void note(std::string_view name, report::TheoryNumber value);

  std::map<std::string, std::string, std::less<>> texts_;
  std::vector<report::TheoryInput> inputs_;
  TheoryFormat format_ = TheoryFormat::json;
  std::string output_;
};

}  // namespace x25sim::app
