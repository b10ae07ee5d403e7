// Where the files are that come with the program.
#pragma once

#include <filesystem>
#include <string>

namespace x25sim::config {

// The folder `name` ("configs", "experiments"): in the source tree that the program was built from;
// if that is gone, beside the folder that the program is in. Throws InputError if neither exists.
std::filesystem::path data_directory(const std::string& name);

}  // namespace x25sim::config
