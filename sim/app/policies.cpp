#include "ftl/victim_policy.hpp"
#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/output_file.hpp"
#include "sim/report/table.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet policies_options{
    .usage = "x25sim policies",
    .about = "Lists the interchangeable parts of the firmware and the keys that choose them.",
    .example = "x25sim policies",
    .positional_name = "nothing"};

}  // namespace

int list_policies(const Arguments& arguments) {
  if (!parse_options(policies_options, arguments)) return exit_done;
  using report::Align;
  report::Table table(
      {{"key", Align::left}, {"value", Align::left}, {"what it does", Align::left}});
  for (const ftl::PolicyEntry& entry : ftl::victim_policies()) {
    table.add_row({"firmware.gc_policy", std::string(entry.name),
                   "the block to clean is " + std::string(entry.description)});
  }
  table.add_row({"firmware.gc_pacing", "blocking",
                 "a victim's pages are copied at once when a block is opened"});
  table.add_row({"firmware.gc_pacing", "paced",
                 "they are spread over the host's writes that fill the block"});
  table.add_row(
      {"firmware.pool", "die", "each die has its own free blocks, frontier and collector"});
  table.add_row({"firmware.pool", "plane", "each plane has its own"});
  OutputFile({}).write(table.text());
  return exit_done;
}

}  // namespace x25sim::app
