// The X25-M G2 80 GB at its full size, against theory. Takes about a minute and 180 MB.
#include <doctest/doctest.h>

#include "sim/backend/simulation.hpp"
#include "sim/config/drive_file.hpp"
#include "sim/model/write_amplification.hpp"

using namespace x25sim;

TEST_CASE("80 GB amplify as the closed form says with and without the clock" *
          doctest::test_suite("long")) {
  for (const char* area : {"firmware.firmware_area=0%", "firmware.firmware_area=1.75%"}) {
    const drive::DriveConfig config = config::load_drive("x25-m-g2-80", {area}).config;
    backend::Simulation simulation(config);
    const Bytes span{config.capacity().count / 4096 * 4096};
    workload::Job job;
    job.direction = workload::Direction::write;
    job.random = true;
    job.no_random_map = true;
    job.iodepth = 32;
    job.size = span;
    job.io_size = span;
    const backend::Preparation overwrite{"", backend::Preparation::Kind::jobs, {}, {job}, {}};
    simulation.prepare({{"", backend::Preparation::Kind::used, span, {}, {}}, overwrite}, 1);
    job.io_size = Bytes{span.count / 20 / 4096 * 4096};
    const backend::RunResult result = simulation.run({job}, 2);

    const ftl::SpaceSummary& space = result.drives[0].space;
    const double expected = model::greedy_write_amplification(space.spare_factor_effective(),
                                                              config.geometry.pages_per_block);
    CAPTURE(expected);
    CHECK(space.valid_pages == space.user_pages);
    CHECK(result.preparation_steps[0][1].counters.ftl.write_amplification_gc() ==
          doctest::Approx(expected).epsilon(0.003));
    CHECK(result.drives[0].counters.ftl.write_amplification_gc() ==
          doctest::Approx(expected).epsilon(0.01));
    simulation.drive().check_invariants();
  }
}
