// Fuzzes the reader of fio job files, and the requests of the jobs that it accepts.
#include <cstdint>
#include <sstream>
#include <string>

#include "nand/check.hpp"
#include "nand/errors.hpp"
#include "sim/workload/fio_job_file.hpp"
#include "sim/workload/generator.hpp"

using namespace x25sim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr Bytes device{std::uint64_t{1} << 30};
  constexpr int jobs_max = 8;
  constexpr int requests_max = 64;
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const workload::JobFile file = workload::parse_fio_jobs(text, "fuzz", device);
    int jobs = 0;
    for (const workload::Job& job : file.jobs) {
      if (++jobs > jobs_max) break;
      if (!job.replay.path.empty()) continue;
      workload::RequestGenerator generator(job, 1);
      for (int i = 0; i < requests_max; ++i) {
        const auto request = generator.next();
        if (!request) break;
        if (request->operation == workload::Operation::flush) continue;
        X25_CHECK(request->offset >= job.offset);
        X25_CHECK(request->length <= job.size);
        X25_CHECK(request->offset - job.offset <= job.size - request->length);
      }
    }
  } catch (const InputError&) {
    // The job file is wrong, and that has been said.
  }
  return 0;
}
