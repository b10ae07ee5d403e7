#include "sim/app/replay_options.hpp"

#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <string>

#include "nand/errors.hpp"
#include "nand/suggestion.hpp"
#include "sim/app/option_values.hpp"
#include "sim/workload/fio_suffix.hpp"

namespace x25sim::app {

namespace {

namespace po = boost::program_options;

double parse_time_scale(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value) || value <= 0) {
    throw InputError({"--time-scale", 0},
                     "expected a factor above 0, such as 0.5, found " + in_quotes(text));
  }
  return value;
}

Bytes parse_merge(const std::string& text) {
  const auto size = workload::parse_fio_number(text, workload::kb_base_binary);
  if (!size || size->value < sector_size.count) {
    throw InputError({"--merge", 0},
                     "expected a size from 512 bytes on, such as 128k, found " + in_quotes(text));
  }
  return Bytes{size->value};
}

}  // namespace

void describe_replay_options(po::options_description& options) {
  using Text = std::string;
  auto add = options.add_options();
  add("queue-depth", po::value<Text>()->value_name("N"),
      "keep N requests in flight instead of the recorded times");
  add("time-scale", po::value<Text>()->value_name("X"),
      "multiply the recorded distances in time, 0.5: twice as fast");
  add("repeat", po::value<Text>()->value_name("N"),
      "replay the trace N times, each time behind the one before");
  add("backward-times", po::value<Text>()->value_name("RULE"),
      "records before their predecessor in time: clamp (default, issued together with it), "
      "sort[:N] "
      "(put in order within N records) or refuse");
  add("devices", po::value<Text>()->value_name("RULE"),
      "several devices in the trace: separate (default, one behind the other on the drive), pool "
      "(share its addresses), refuse, or the name of the only one to replay");
  add("partial-sectors", po::value<Text>()->value_name("RULE"),
      "requests not in whole sectors of 512 bytes: error (default), expand or refuse");
  add("out-of-range", po::value<Text>()->value_name("RULE"),
      "records beyond the drive: error (default), wrap, clip, skip or scale");
  add("merge", po::value<Text>()->value_name("BYTES"),
      "join requests that follow each other within 1 ms and in address, up to so many bytes");
}

ReplayOptions read_replay_options(const po::variables_map& values) {
  const auto text = [&values](const char* name, const char* otherwise) {
    return values.count(name) > 0 ? values[name].as<std::string>() : std::string(otherwise);
  };
  ReplayOptions options;
  trace::ReplayRules& rules = options.rules;
  rules.backward_times = trace::backward_times(text("backward-times", "clamp"));
  rules.devices = trace::device_choice(text("devices", "separate"));
  rules.partial_sectors = trace::partial_sectors(text("partial-sectors", "error"));
  rules.out_of_range = trace::out_of_range_policy(text("out-of-range", "error"));
  rules.time_scale = parse_time_scale(text("time-scale", "1"));
  rules.repeat =
      static_cast<std::uint32_t>(parse_count("--repeat", text("repeat", "1"), 1, 1'000'000));
  if (values.count("merge") > 0) rules.merge = parse_merge(text("merge", ""));
  if (values.count("queue-depth") > 0) {
    if (values.count("time-scale") > 0) {
      throw InputError({"--time-scale", 0},
                       "expected recorded times to scale, found --queue-depth, which leaves them "
                       "aside");
    }
    options.queue_depth =
        static_cast<std::uint32_t>(parse_count("--queue-depth", text("queue-depth", ""), 1, 65536));
  }
  return options;
}

}  // namespace x25sim::app
