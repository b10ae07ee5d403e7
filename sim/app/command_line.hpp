// Boost.Program_options with the program's rules, for the files that declare options.
#pragma once

#include "sim/app/command.hpp"

namespace boost::program_options {
class options_description;
class variables_map;
}  // namespace boost::program_options

namespace x25sim::app {

// Where the words are that belong to no option: a vector of strings, if there are any.
inline constexpr const char* positional_words = "positional";

// Reads `arguments` against `options`, without abbreviations: an option added later must not change
// what a script means. Throws InputError, with a suggestion for an unknown option.
boost::program_options::variables_map parse_command_line(
    const Arguments& arguments, const boost::program_options::options_description& options);

}  // namespace x25sim::app
