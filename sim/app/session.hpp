// What the commands that simulate one drive have in common: the drive, its preparation, progress,
// interruption and output.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/app/options.hpp"
#include "sim/app/output_file.hpp"
#include "sim/backend/simulation.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/report/timeline.hpp"

namespace x25sim::app {

class Session {
 public:
  // Loads the drive and opens the files to be written. Throws InputError and SystemError.
  explicit Session(const Options& options);

  const config::LoadedDrive& loaded() const { return loaded_; }

  // Prints what the user should know once, unless told to be quiet.
  void notice(const std::string& text) const;

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
};

}  // namespace x25sim::app
