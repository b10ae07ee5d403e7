#include <cstdio>
#include <fmt/format.h>

#include "sim/app/command.hpp"
#include "sim/app/options.hpp"
#include "sim/app/output_file.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/config/show.hpp"
#include "sim/report/table.hpp"

namespace x25sim::app {

namespace {

constexpr OptionSet drives_options{.usage = "x25sim drives",
                                   .about = "Lists the drives that are modelled.",
                                   .example = "x25sim drives",
                                   .positional_name = "nothing"};

constexpr OptionSet show_options{
    .usage = "x25sim show DRIVE [--set KEY=VALUE]...",
    .about =
        "Prints a drive's effective configuration, where each value comes from, and what "
        "follows from it: capacities, spare area, and the limit of each part.",
    .example = "x25sim show x25-v-40 --set controller.populated_channels=5",
    .overrides = true,
    .positional_min = 1,
    .positional_max = 1,
    .positional_name = "a drive"};

}  // namespace

int list_drives(const Arguments& arguments) {
  if (!parse_options(drives_options, arguments)) return exit_done;
  using report::Align;
  report::Table table({{"drive", Align::left},
                       {"GB", Align::right},
                       {"channels", Align::right},
                       {"dies", Align::right},
                       {"description", Align::left}});
  for (const std::string& name : config::drive_names()) {
    const config::LoadedDrive drive = config::load_drive(name, {});
    table.add_row({name,
                   fmt::format("{:.1f}", static_cast<double>(drive.config.capacity().count) * 1e-9),
                   std::to_string(drive.config.geometry.channels),
                   std::to_string(drive.config.geometry.dies()), drive.description});
  }
  OutputFile({}).write(table.text());
  return exit_done;
}

int show_drive(const Arguments& arguments) {
  const auto options = parse_options(show_options, arguments);
  if (!options) return exit_done;
  OutputFile({}).write(
      config::show_text(config::load_drive(options->positional.front(), options->overrides)));
  return exit_done;
}

}  // namespace x25sim::app
