#include "sim/app/theory_arguments.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <fmt/format.h>
#include <iostream>
#include <utility>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/app/command_line.hpp"
#include "sim/config/quantity.hpp"

namespace x25sim::app {

namespace {

namespace po = boost::program_options;

po::options_description describe(const TheorySubject& subject) {
  po::options_description options("Options");
  const auto add = [&options](std::string_view name, std::string_view value_name,
                              std::string_view about) {
    options.add_options()(std::string(name).c_str(),
                          po::value<std::string>()->value_name(std::string(value_name)),
                          std::string(about).c_str());
  };
  for (const TheoryOption& option : subject.options) {
    add(option.name, option.value_name, option.about);
  }
  add("output-format", "FORMAT", "json (default), csv or normal");
  add("output", "FILE", "write the result there");
  options.add_options()("help,h", "this text");
  return options;
}

void print_help(const TheorySubject& subject, const po::options_description& options) {
  std::cout << "usage: x25sim theory " << subject.name << " [options]\n\n"
            << subject.about << "\n\n"
            << options << "\nexample:\n  " << subject.example << "\n";
}

po::variables_map read(const Arguments& arguments, const po::options_description& options) {
  po::variables_map values = parse_command_line(arguments, options);
  if (const auto words = values.find(positional_words); words != values.end()) {
    throw InputError("unexpected argument '" +
                     words->second.as<std::vector<std::string>>().front() + "'");
  }
  return values;
}

}  // namespace

std::optional<TheoryArguments> TheoryArguments::parse(const TheorySubject& subject,
                                                      const Arguments& arguments) {
  const po::options_description options = describe(subject);
  const po::variables_map values = read(arguments, options);
  if (values.count("help") > 0) {
    print_help(subject, options);
    return {};
  }
  TheoryArguments result;
  for (const auto& [name, value] : values) result.texts_[name] = value.as<std::string>();
  if (result.given("output")) result.output_ = result.texts_.at("output");
  const std::string format = result.text_of("output-format", "json");
  if (format == "csv") {
    result.format_ = TheoryFormat::csv;
  } else if (format == "normal") {
    result.format_ = TheoryFormat::normal;
  } else if (format != "json") {
    result.refuse("output-format", "json, csv or normal");
  }
  return result;
}

bool TheoryArguments::given(std::string_view name) const { return texts_.contains(name); }

std::string TheoryArguments::text_of(std::string_view name, std::string_view otherwise) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? std::string(otherwise) : found->second;
}

void TheoryArguments::refuse(std::string_view name, const std::string& expected) const {
  const auto found = texts_.find(name);
  throw InputError({"--" + std::string(name), 0},
                   "expected " + expected + ", found " +
                       (found == texts_.end() ? "nothing" : in_quotes(found->second)));
}

void TheoryArguments::note(std::string_view name, report::TheoryNumber value) {
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  inputs_.push_back({std::move(key), std::move(value)});
}

double TheoryArguments::number(std::string_view name, const Interval& range,
                               std::string_view otherwise) {
  const std::string text = text_of(name, otherwise);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  // Written so that what is no number is in no range.
  if (error != std::errc{} || rest != end || !(value >= range.min && value <= range.max)) {
    refuse(name, fmt::format("a number from {} to {}", range.min, range.max));
  }
  note(name, value);
  return value;
}

std::uint32_t TheoryArguments::count(std::string_view name, std::uint32_t min, std::uint32_t max,
                                     std::string_view otherwise) {
  const config::Parsed parsed = config::parse_count(text_of(name, otherwise));
  if (!parsed.ok() || parsed.value < min || parsed.value > max) {
    refuse(name, fmt::format("a whole number from {} to {}", min, max));
  }
  note(name, parsed.value);
  return static_cast<std::uint32_t>(parsed.value);
}

double TheoryArguments::time_s(std::string_view name, std::string_view otherwise) {
  const std::string text = text_of(name, otherwise);
  const config::Parsed parsed = config::parse_duration(text);
  if (!parsed.ok()) refuse(name, parsed.expected);
  note(name, config::format_duration(Duration(static_cast<Duration::rep>(parsed.value))));
  return static_cast<double>(parsed.value) * 1e-9;
}

double TheoryArguments::bytes(std::string_view name, std::string_view otherwise) {
  const config::Parsed parsed = config::parse_bytes(text_of(name, otherwise));
  if (!parsed.ok()) refuse(name, parsed.expected);
  if (parsed.value == 0) refuse(name, "an amount of data above 0 B");
  note(name, parsed.value);
  return static_cast<double>(parsed.value);
}

std::string TheoryArguments::choice(std::string_view name,
                                    std::initializer_list<std::string_view> choices,
                                    std::string_view otherwise) {
  std::string text = text_of(name, otherwise);
  if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
    std::string expected;
    for (const std::string_view choice : choices) {
      if (!expected.empty()) expected += choice == *(choices.end() - 1) ? " or " : ", ";
      expected += choice;
    }
    refuse(name, expected);
  }
  note(name, text);
  return text;
}

}  // namespace x25sim::app
