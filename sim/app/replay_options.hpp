// The options of how a recorded trace is replayed.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/trace/replay_rules.hpp"

namespace boost::program_options {
class options_description;
class variables_map;
}  // namespace boost::program_options

namespace x25sim::app {

struct ReplayOptions {
  trace::ReplayRules rules;
  std::optional<std::uint32_t> queue_depth;  // none: at the recorded times
};

// Adds the options to `options`.
void describe_replay_options(boost::program_options::options_description& options);

// Their values on a command line. Throws InputError for values that can't be.
ReplayOptions read_replay_options(const boost::program_options::variables_map& values);

}  // namespace x25sim::app
