#include "sim/app/session.hpp"

#include <cstdio>
#include <unistd.h>

#include "nand/errors.hpp"
#include "sim/app/interrupt.hpp"
#include "sim/app/progress.hpp"
#include "sim/backend/state_file.hpp"
#include "sim/report/fio_json.hpp"
#include "sim/report/terse.hpp"
#include "sim/report/text.hpp"

namespace x25sim::app {

namespace {

report::ReportContext context_of(const Options& options, const config::LoadedDrive& loaded) {
  report::ReportContext context;
  context.version = X25SIM_VERSION;
  context.seed = options.seed;
  context.json_plus = options.format == OutputFormat::json_plus;
  report::DriveContext& drive = context.drives.emplace_back();
  drive.page_size = loaded.config.geometry.page_size;
  for (const config::Setting& setting : loaded.settings) {
    drive.configuration.emplace_back(setting.key, setting.value);
  }
  return context;
}

std::string render(OutputFormat format, const backend::RunResult& result,
                   const report::ReportContext& context) {
  switch (format) {
    case OutputFormat::normal: return report::text_report(result, context);
    case OutputFormat::json:
    case OutputFormat::json_plus: return report::fio_json(result, context);
    case OutputFormat::terse: return report::terse_report(result, context);
  }
  return {};
}

}  // namespace

Session::Session(const Options& options)
    : options_(options),
      loaded_(config::load_drive(options.drive, options.overrides)),
      output_(options.output) {
  // The folder must take the file: better known before the preparation than after it.
  if (!options.save.empty()) backend::StateWriter{options.save};
  for (const std::string& text : options.preparations) {
    preparations_.push_back(backend::parse_preparation(text, loaded_.config.capacity()));
    for (const std::string& line : preparations_.back().notices) notice(line);
  }
}

void Session::notice(const std::string& text) const {
  if (!options_.quiet) std::fprintf(stderr, "x25sim: %s\n", text.c_str());
}

int Session::finish(const std::function<backend::RunResult(backend::Simulation&)>& run) {
  simulation_ = std::make_unique<backend::Simulation>(loaded_.config, options_.seed);
  // Only now, as it empties the file: whatever the user got wrong has been found before.
  if (!options_.timeline.empty()) timeline_.emplace(options_.timeline);
  if (timeline_) simulation_->set_observer(&*timeline_);
  ProgressLine progress(!options_.quiet && ::isatty(STDERR_FILENO) != 0);
  simulation_->on_progress([&](const backend::Progress& now) { progress.show(now); });
  simulation_->stop_on(interrupt_flag());
  if (!options_.load.empty()) simulation_->load(options_.load);
  for (const std::string& line : simulation_->prepare(preparations_, options_.seed)) {
    progress.clear();
    notice(line);
  }
  if (!options_.save.empty() && !interrupt_flag()) simulation_->save(options_.save);
  const backend::RunResult result = run(*simulation_);
  progress.clear();
  if (timeline_) timeline_->close();
  report::ReportContext context = context_of(options_, loaded_);
  context.drives.front().theory = theory_;
  output_.write(render(options_.format, result, context));
  return result.interrupted ? exit_interrupted : exit_done;
}

}  // namespace x25sim::app
