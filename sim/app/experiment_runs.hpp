// Carries out the runs of an experiment.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/config/experiment_file.hpp"
#include "sim/report/experiment_report.hpp"

namespace x25sim::app {

// Runs all cases and sweeps, on as many threads as there are processors; the result does not depend
// on their number. `progress` is called with the number of runs done and in all. Interrupted, it
// returns what has been measured. Throws InputError for drives, jobs and preparations that do not
// fit.
report::ExperimentResult run_experiment(
    const config::Experiment& experiment, std::uint64_t seed,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace x25sim::app
