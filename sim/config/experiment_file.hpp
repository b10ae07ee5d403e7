// Experiments as YAML files: a question, the runs that answer it, and the published figures beside
// them.
#pragma once

#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "sim/config/published_figures.hpp"

namespace x25sim::config {

struct ExperimentRun {
  std::string drive;
  std::vector<std::string> overrides;    // key=value
  std::vector<PublishedFigure> figures;  // to hold the result against
  SourceLocation where;
};

// One workload, run on some drives.
struct ExperimentCase {
  std::string name;
  std::vector<std::string> preparations;
  Metric metric = Metric::bandwidth;
  std::string job;  // text of a fio job file with one job
  SourceLocation job_where;
  std::vector<ExperimentRun> runs;
};

// Some of the cases, run on one drive at each of several points.
struct ExperimentSweep {
  struct Point {
    std::string label;
    std::vector<std::string> overrides;
  };

  std::string name;
  std::string drive;
  std::vector<std::size_t> cases;  // indices into Experiment::cases
  std::vector<Point> points;
  SourceLocation where;
};

struct Experiment {
  std::string name;
  std::string question;
  std::string reading;  // how to read the tables
  std::vector<ExperimentCase> cases;
  std::vector<ExperimentSweep> sweeps;
};

// Names of the experiments that come with the program, sorted.
std::vector<std::string> experiment_names();

// Loads an experiment that comes with the program by name, or a file if the argument has a '/' or
// ends in ".yaml". Throws InputError with file and line for unknown keys, figures and cases.
Experiment load_experiment(const std::string& name_or_path);

}  // namespace x25sim::config
