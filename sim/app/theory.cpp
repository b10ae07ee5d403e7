// The command `theory`: closed forms on their own.
#include <array>
#include <iostream>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/app/output_file.hpp"
#include "sim/app/theory_subjects.hpp"

namespace x25sim::app {

namespace {

using Subjects = std::array<const TheorySubject*, 5>;

const Subjects& subjects() {
  static const Subjects all{&write_amplification_subject(), &span_subject(), &transient_subject(),
                            &wear_subject(), &iops_subject()};
  return all;
}

std::string subject_names() {
  std::string names;
  for (const TheorySubject* const subject : subjects()) {
    if (!names.empty()) names += subject == subjects().back() ? " or " : ", ";
    names += subject->name;
  }
  return names;
}

void print_help() {
  std::cout << "usage: x25sim theory SUBJECT [options]\n\n"
               "Closed forms of what the simulation is held against, with their sources, as JSON, "
               "CSV or text.\n\n";
  for (const TheorySubject* const subject : subjects()) {
    std::cout << "  " << subject->name << std::string(12 - subject->name.size(), ' ')
              << subject->summary << "\n";
  }
  std::cout << "\n`x25sim theory SUBJECT --help` shows a subject's options and an example.\n\n"
            << "example:\n  " << subjects().front()->example << "\n";
}

std::string text_of(TheoryFormat format, const report::TheoryReport& report) {
  switch (format) {
    case TheoryFormat::json: return report::theory_json(report);
    case TheoryFormat::csv: return report::theory_csv(report);
    case TheoryFormat::normal: return report::theory_text(report);
  }
  return {};
}

const TheorySubject& find_subject(const std::string& name) {
  std::vector<std::string> names;
  for (const TheorySubject* const subject : subjects()) {
    if (subject->name == name) return *subject;
    names.emplace_back(subject->name);
  }
  throw InputError("expected a subject (" + subject_names() + "), found " + in_quotes(name) +
                   did_you_mean(name, names));
}

}  // namespace

int theory(const Arguments& arguments) {
  if (arguments.empty()) {
    throw InputError("expected a subject (" + subject_names() +
                     "), found nothing; usage: x25sim theory SUBJECT [options]");
  }
  if (arguments.front() == "--help" || arguments.front() == "-h") {
    print_help();
    return exit_done;
  }
  const TheorySubject& subject = find_subject(arguments.front());
  auto options = TheoryArguments::parse(subject, {arguments.begin() + 1, arguments.end()});
  if (!options) return exit_done;
  OutputFile output(options->output());
  report::TheoryReport report{std::string(subject.name), {}, subject.evaluate(*options)};
  report.inputs = options->inputs();
  output.write(text_of(options->format(), report));
  return exit_done;
}

}  // namespace x25sim::app
