// Options of a job that depend on each other.
#pragma once

#include "sim/workload/fio_options.hpp"

namespace x25sim::workload {

// Joins what a section has set to the job's fields. What fio changes where options do not fit
// together is changed here, and said in `notes`; what fio refuses is an InputError at the section's
// place. The region and what differs between copies of the job are left to resolve_region().
void reconcile_options(JobDraft& draft, FioNotes& notes);

}  // namespace x25sim::workload
