// Jobs of the command line: fio's options among the program's own.
#pragma once

#include <string>
#include <vector>

#include "sim/app/command.hpp"

namespace boost::program_options {
class options_description;
}

namespace x25sim::app {

struct SplitArguments {
  Arguments program;              // the program's own options, and words that belong to none
  std::vector<std::string> jobs;  // fio's, each as "--name=value" or "--name"
};

// Tells the words that are options of fio from the program's own `options`, which have their names
// for themselves. As in fio, a value may be a word of its own where an option must have one. Throws
// InputError for an option that is neither's, with the nearest of both kinds, and for options of
// jobs without a --name.
SplitArguments split_job_arguments(const Arguments& arguments,
                                   const boost::program_options::options_description& options);

}  // namespace x25sim::app
