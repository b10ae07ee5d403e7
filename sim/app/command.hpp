// The commands of the program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace x25sim::app {

using Arguments = std::vector<std::string>;

// Exit statuses, see README.
inline constexpr int exit_done = 0;
inline constexpr int exit_verdict_failed = 1;
inline constexpr int exit_job_failed = 1;
inline constexpr int exit_input_error = 2;
inline constexpr int exit_system_error = 3;
inline constexpr int exit_interrupted = 130;

struct Command {
  std::string_view name;
  std::string_view summary;
  // Runs the command with the arguments behind its name; the exit status. Throws InputError and
  // SystemError.
  int (*run)(const Arguments& arguments);
};

int run_jobs(const Arguments& arguments);
int replay_trace(const Arguments& arguments);
int wear_out_drive(const Arguments& arguments);
int run_experiment(const Arguments& arguments);
int list_drives(const Arguments& arguments);
int show_drive(const Arguments& arguments);
int list_policies(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int theory(const Arguments& arguments);

// All commands, in the order in which the help lists them.
std::span<const Command> commands();

}  // namespace x25sim::app
