#include "sim/app/command_line.hpp"

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"

namespace x25sim::app {

namespace {

namespace po = boost::program_options;

[[noreturn]] void fail_unknown(const std::string& option, const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& description : options.options()) {
    names.push_back("--" + description->long_name());
  }
  throw InputError("unknown option '" + option + "'" + did_you_mean(option, names));
}

}  // namespace

po::variables_map parse_command_line(const Arguments& arguments,
                                     const po::options_description& options) {
  po::options_description all;
  all.add(options).add_options()(positional_words, po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add(positional_words, -1);
  po::variables_map values;
  try {
    po::store(
        po::command_line_parser(arguments)
            .options(all)
            .positional(positional)
            .style(po::command_line_style::unix_style ^ po::command_line_style::allow_guessing)
            .run(),
        values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    fail_unknown(error.get_option_name(), options);
  } catch (const po::error& error) {
    throw InputError(error.what());
  }
  return values;
}

}  // namespace x25sim::app
