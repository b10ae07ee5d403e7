// The command `trace`: what can be done with a recorded trace without a drive.
#include <algorithm>
#include <array>
#include <iostream>
#include <vector>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/app/trace_subcommands.hpp"

namespace x25sim::app {

namespace {

constexpr std::array subcommands{
    Command{"convert", "write a trace in another format", trace_convert},
    Command{"info", "what is in a trace: amounts, sizes, times, locality, oddities", trace_info},
};

std::string subcommand_names() {
  std::string names;
  for (const Command& command : subcommands) {
    names += (names.empty() ? "" : ", ") + std::string(command.name);
  }
  return names;
}

void print_help() {
  std::cout << "usage: x25sim trace SUBCOMMAND [options] TRACE...\n\n"
               "Looks into recorded block traces, without a drive.\n\n";
  for (const Command& command : subcommands) {
    std::cout << "  " << command.name << std::string(12 - command.name.size(), ' ')
              << command.summary << "\n";
  }
  std::cout << "\n`x25sim trace SUBCOMMAND --help` shows its options and an example.\n\n"
               "example:\n  x25sim trace info --format mqsim experiments/traces/sample.mqsim\n";
}

}  // namespace

int trace_command(const Arguments& arguments) {
  if (arguments.empty()) {
    throw InputError("expected a subcommand (" + subcommand_names() +
                     "), found nothing; usage: x25sim trace SUBCOMMAND [options] TRACE...");
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h") {
    print_help();
    return exit_done;
  }
  const auto found = std::find_if(subcommands.begin(), subcommands.end(),
                                  [&name](const Command& command) { return command.name == name; });
  if (found == subcommands.end()) {
    std::vector<std::string> names;
    for (const Command& command : subcommands) names.emplace_back(command.name);
    throw InputError("expected a subcommand (" + subcommand_names() + "), found " +
                     in_quotes(name) + did_you_mean(name, names));
  }
  return found->run({arguments.begin() + 1, arguments.end()});
}

}  // namespace x25sim::app
