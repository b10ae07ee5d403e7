// What the commands that simulate one drive have in common: the drive, its preparation, progress,
// interruption and output.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sim/app/options.hpp"
#include "sim/app/output_file.hpp"
#include "sim/backend/simulation.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/model/workload_theory.hpp"
#include "sim/report/timeline.hpp"

namespace x25sim::app {

class Session {
 public:
  // Loads the drive and opens the files to be written. Throws InputError and SystemError.
  explicit Session(const Options& options);

  const config::LoadedDrive& loaded() const { return loaded_; }

  // Prints what the user should know once, unless told to be quiet.
  void notice(const std::string& text) const;

  // What theory says of the writes that are being measured, for the report.
  void set_theory(model::WorkloadTheory theory) { theory_ = std::move(theory); }

  // Brings the drive into the states of --prepare, lets `run` measure, and prints the result. The
  // exit status.
  int finish(const std::function<backend::RunResult(backend::Simulation&)>& run);

 private:
  const Options& options_;
  config::LoadedDrive loaded_;
  std::vector<backend::Preparation> preparations_;
  OutputFile output_;
  std::optional<report::TimelineWriter> timeline_;
  std::unique_ptr<backend::Simulation> simulation_;
  std::optional<model::WorkloadTheory> theory_;
};

}  // namespace x25sim::app
