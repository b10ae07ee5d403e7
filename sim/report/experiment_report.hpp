// Results of an experiment as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/config/drive_file.hpp"
#include "sim/config/experiment_file.hpp"
#include "sim/drive/counters.hpp"
#include "sim/model/workload_bounds.hpp"

namespace x25sim::report {

// One run of an experiment and what it measured.
struct ExperimentRecord {
  bool measured = false;  // an interrupted experiment has runs that were not done
  std::size_t case_index = 0;
  std::string drive;
  double bandwidth = 0;  // B/s
  double iops = 0;
  double device_latency_us = 0;  // mean, from the command's arrival at the drive to its completion
  std::optional<double> write_amplification;
  bool gc_ran = false;
  drive::BusyFractions busy;
  model::LoadBounds bounds{};
  Bytes block;
  std::vector<config::PublishedFigure> figures;

  // The result in the unit of `metric`.
  double value(config::Metric metric) const;
};

struct ExperimentResult {
  config::Experiment experiment;
  std::vector<ExperimentRecord> runs;  // of the cases, in their order
  // Of each sweep, point by point, and at each point case by case.
  std::vector<std::vector<ExperimentRecord>> sweeps;
  std::vector<config::FittedParameter> fitted;  // of all drives that took part, without repeats
  bool interrupted = false;
  std::vector<std::string> notices;  // of the job files, see workload::JobFile
};

// Whether every figure with a verdict is met, as far as it has been measured.
bool passes(const ExperimentResult& result);

std::string experiment_text(const ExperimentResult& result);
std::string experiment_json(const ExperimentResult& result);

}  // namespace x25sim::report
