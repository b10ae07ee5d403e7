#include "sim/app/session.hpp"

#include <cstdio>
#include <unistd.h>

#include "nand/errors.hpp"
#include "sim/app/interrupt.hpp"
#include "sim/app/progress.hpp"
#include "sim/backend/state_file.hpp"
#include "sim/report/endurance_report.hpp"
#include "sim/report/fio_json.hpp"
#include "sim/report/terse.hpp"
#include "sim/report/text.hpp"
#include "sim/workload/fio_job_file.hpp"

namespace x25sim::app {

namespace {

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

std::vector<workload::Job> Session::read_jobs() const {
  std::vector<workload::Job> jobs;
  workload::JobNumbering numbering;
  const Bytes capacity = loaded_.config.capacity();
  const auto add = [&](const workload::JobFile& file) {
    for (const std::string& line : file.notices) notice(line);
    jobs.insert(jobs.end(), file.jobs.begin(), file.jobs.end());
    numbering = file.next;
  };
  for (const std::string& path : options_.positional) {
    add(workload::read_fio_job_file(path, capacity, numbering, options_.seed));
  }
  if (!options_.jobs.empty()) {
    add(workload::parse_fio_arguments(options_.jobs, capacity, numbering, options_.seed));
  }
  return jobs;
}

void Session::beside_theory(backend::Simulation& simulation, const std::vector<workload::Job>& jobs,
                            const std::function<void()>& run) {
  const drive::DriveConfig& config = loaded_.config;
  const drive::Ssd& drive = simulation.drive();
  const model::WriteLoad load = model::write_load(jobs, config.geometry.page_size);
  model::Occupancy before;
  if (load.problem.empty()) before = model::survey(drive.ftl(), config, load);
  const Bytes written_before = drive.counters().host_write;
  run();
  const Bytes written = drive.counters().host_write - written_before;
  theory_ = model::workload_theory(config, load, before, written);
}

report::ReportContext Session::context() const {
  report::ReportContext context;
  context.version = X25SIM_VERSION;
  context.seed = options_.seed;
  context.json_plus = options_.format == OutputFormat::json_plus;
  report::DriveContext& drive = context.drives.emplace_back();
  drive.page_size = loaded_.config.geometry.page_size;
  for (const config::Setting& setting : loaded_.settings) {
    drive.configuration.emplace_back(setting.key, setting.value);
  }
  drive.theory = theory_;
  return context;
}

int Session::simulate(const std::function<Output(backend::Simulation&)>& run) {
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
  const Output output = run(*simulation_);
  progress.clear();
  if (timeline_) timeline_->close();
  output_.write(output.text);
  return output.status;
}

int Session::finish(const std::function<backend::RunResult(backend::Simulation&)>& run) {
  return simulate([&](backend::Simulation& simulation) {
    const backend::RunResult result = run(simulation);
    int status = result.interrupted ? exit_interrupted : exit_done;
    for (const backend::JobResult& job : result.jobs) {
      const auto& failure = job.statistics.outcome.failure;
      if (!failure) continue;
      std::fprintf(stderr, "x25sim: %s\n", failure->message.c_str());
      if (!result.interrupted) status = exit_job_failed;
    }
    return Output{render(options_.format, result, context()), status};
  });
}

int Session::finish_life(const std::function<backend::EnduranceResult(backend::Simulation&)>& run) {
  return simulate([&](backend::Simulation& simulation) {
    const backend::EnduranceResult result = run(simulation);
    const bool json = options_.format == OutputFormat::json;
    return Output{json ? report::endurance_json(result, context())
                       : report::endurance_text(result, context()),
                  result.interrupted ? exit_interrupted : exit_done};
  });
}

}  // namespace x25sim::app
