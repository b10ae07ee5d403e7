#include "ftl/choices.hpp"
#include "ftl/victim_policy.hpp"
#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/trace/formats.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet policies_options{
    .usage = "x25sim policies",
    .about =
        "Lists the interchangeable parts of the firmware and the keys that choose them, and the "
        "formats of traces.",
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
  const auto add = [&table](const char* key, const auto& choices) {
    for (const ftl::Choice& choice : choices) {
      table.add_row({key, std::string(choice.name), std::string(choice.description)});
    }
  };
  add("firmware.gc_pacing", ftl::gc_pacing_choices);
  add("firmware.write_frontiers", ftl::write_frontier_choices);
  add("firmware.wear_leveling", ftl::wear_leveling_choices);
  add("firmware.pool", ftl::pool_choices);
  for (const trace::Format& format : trace::formats()) {
    std::string name(format.name);
    if (!format.arguments.empty()) name.append(":").append(format.arguments);
    table.add_row({"--format", name, std::string(format.description)});
  }
  OutputFile({}).write(table.text());
  return exit_done;
}

}  // namespace x25sim::app
