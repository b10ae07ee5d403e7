#include "sim/app/job_arguments.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <string_view>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/workload/fio_options.hpp"

namespace x25sim::app {

namespace {

namespace po = boost::program_options;

const po::option_description* find_own(const po::options_description& options,
                                       std::string_view name) {
  for (const auto& description : options.options()) {
    if (description->long_name() == name) return description.get();
  }
  return nullptr;
}

[[noreturn]] void fail_unknown(std::string_view name, const po::options_description& options) {
  const auto with_dashes = [](std::string_view text) { return std::string("--").append(text); };
  std::vector<std::string> names;
  for (const auto& description : options.options()) {
    names.push_back(with_dashes(description->long_name()));
  }
  for (const std::string_view option : workload::supported_options()) {
    names.push_back(with_dashes(option));
  }
  const std::string option = with_dashes(name);
  throw InputError("unknown option '" + option + "'" + did_you_mean(option, names));
}

}  // namespace

SplitArguments split_job_arguments(const Arguments& arguments,
                                   const po::options_description& options) {
  SplitArguments split;
  bool named = false;
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    const std::string& word = *argument;
    const std::size_t equals = word.find('=');
    const std::string name = word.starts_with("--") ? word.substr(2, equals - 2) : std::string();
    const bool has_value = equals != std::string::npos;
    const auto next = argument + 1;
    if (name.empty()) {
      split.program.push_back(*argument);
      continue;
    }
    if (const auto* const own = find_own(options, name)) {
      split.program.push_back(*argument);
      // Its value may look like an option.
      const bool takes_next = own->semantic()->min_tokens() > 0 && !has_value;
      if (takes_next && next != arguments.end()) split.program.push_back(*++argument);
      continue;
    }
    if (!workload::is_fio_option(name)) fail_unknown(name, options);
    named |= name == "name";
    split.jobs.push_back(word);
    if (has_value || !workload::needs_value(name) || next == arguments.end()) continue;
    split.jobs.back() += "=" + *next;
    ++argument;
  }
  if (!split.jobs.empty() && !named) {
    throw InputError({split.jobs.front(), 0},
                     "expected --name=JOB beside the options of a job, found none");
  }
  return split;
}

}  // namespace x25sim::app
