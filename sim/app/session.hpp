// What the commands that simulate one drive have in common: the drive, its preparation, progress,
// interruption and output.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/app/options.hpp"
#include "sim/app/output_file.hpp"
#include "sim/backend/simulation.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/model/workload_theory.hpp"
#include "sim/report/context.hpp"
#include "sim/report/timeline.hpp"
#include "sim/workload/job.hpp"

namespace x25sim::app {

class Session {
 public:
  // Loads the drive and opens the files to be written. Throws InputError and SystemError.
  explicit Session(const Options& options);

  const config::LoadedDrive& loaded() const { return loaded_; }

  // Prints what the user should know once, unless told to be quiet.
  void notice(const std::string& text) const;

  // Reads the job files of the command line, one behind the other, or its jobs.
  std::vector<workload::Job> read_jobs() const;

  // From now on the drive's blocks are taken out of service after their rated cycles.
  void limit_endurance() { loaded_.config.ftl.endurance_cycles = loaded_.config.rated_cycles; }

  // Lets `run` perform the jobs, and asks theory what their writes should come to on the drive as
  // it was before, for the report.
  void beside_theory(backend::Simulation& simulation, const std::vector<workload::Job>& jobs,
                     const std::function<void()>& run);

  // What theory says of the writes that are being measured, for the report.
  void set_theory(model::WorkloadTheory theory) { theory_ = std::move(theory); }

  // Brings the drive into the states of --prepare, lets `run` measure, and prints the result. The
  // exit status.
  int finish(const std::function<backend::RunResult(backend::Simulation&)>& run);

  // The same of a run that ends with the drive.
  int finish_life(const std::function<backend::EnduranceResult(backend::Simulation&)>& run);

 private:
  struct Output {
    std::string text;
    int status;
  };

  int simulate(const std::function<Output(backend::Simulation&)>& run);
  report::ReportContext context() const;

  const Options& options_;
  config::LoadedDrive loaded_;
  std::vector<backend::Preparation> preparations_;
  OutputFile output_;
  std::optional<report::TimelineWriter> timeline_;
  std::unique_ptr<backend::Simulation> simulation_;
  std::optional<model::WorkloadTheory> theory_;
};

}  // namespace x25sim::app
