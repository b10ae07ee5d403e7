// x25sim: a simulator of Intel's X25 solid-state drives.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/app/command.hpp"

namespace x25sim::app {

std::span<const Command> commands() {
  static constexpr std::array table{
      Command{"run", "run fio job files on a simulated drive", run_jobs},
      Command{"replay", "replay a recorded block trace", replay_trace},
      Command{"endurance", "how much a drive writes until it is worn out", wear_out_drive},
      Command{"experiment", "a question, its runs, its published figures, its verdict",
              run_experiment},
      Command{"drives", "list the drives that are modelled", list_drives},
      Command{"show", "a drive's configuration, its sources and its arithmetic", show_drive},
      Command{"policies", "list every interchangeable part", list_policies},
      Command{"theory", "closed forms: write amplification, wear, IOPS against queue depth",
              theory},
      Command{"trace", "look into a recorded trace", trace_command},
  };
  return table;
}

namespace {

void print_usage() {
  std::cout << "x25sim " X25SIM_VERSION
               ", a simulator of Intel X25 solid-state drives\n\n"
               "usage: x25sim COMMAND [options]\n\n";
  for (const Command& command : commands()) {
    std::cout << "  " << command.name << std::string(12 - command.name.size(), ' ')
              << command.summary << "\n";
  }
  std::cout << "\n`x25sim COMMAND --help` shows a command's options and an example.\n";
}

// A message may quote whatever was in the user's files: nothing of it may act on the terminal.
void print_error(std::string message) {
  for (char& c : message) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  std::fprintf(stderr, "x25sim: %s\n", message.c_str());
}

int run(const Arguments& arguments) {
  if (arguments.empty()) {
    print_usage();
    return exit_input_error;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_usage();
    return exit_done;
  }
  if (name == "--version") {
    std::cout << "x25sim " X25SIM_VERSION "\n";
    return exit_done;
  }
  const auto found = std::find_if(commands().begin(), commands().end(),
                                  [&name](const Command& command) { return command.name == name; });
  if (found == commands().end()) {
    std::vector<std::string> names;
    for (const Command& command : commands()) names.emplace_back(command.name);
    throw InputError("unknown command '" + name + "'" + did_you_mean(name, names) +
                     "; `x25sim --help` lists the commands");
  }
  return found->run({arguments.begin() + 1, arguments.end()});
}

}  // namespace

}  // namespace x25sim::app

int main(int argc, char** argv) {
  using namespace x25sim;
  try {
    const int status = app::run({argv + 1, argv + argc});
    // Help goes through std::cout, and the system may refuse to take it as late as here.
    if (!std::cout.flush()) {
      throw SystemError(std::string("standard output: ") + std::strerror(errno));
    }
    return status;
  } catch (const InputError& error) {
    app::print_error(error.what());
    return app::exit_input_error;
  } catch (const SystemError& error) {
    app::print_error(error.what());
    return app::exit_system_error;
  } catch (const std::bad_alloc&) {
    app::print_error("the system has not enough memory for this drive");
    return app::exit_system_error;
  } catch (const std::system_error& error) {
    app::print_error(error.what());
    return app::exit_system_error;
  }
}
