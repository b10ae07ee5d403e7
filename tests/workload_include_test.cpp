// Files that job files include, and copies of jobs.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "nand/errors.hpp"
#include "sim/workload/fio_job_file.hpp"

using namespace x25sim;
using namespace x25sim::workload;

namespace {

constexpr Bytes device{std::uint64_t{1} << 30};

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("x25sim-include-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_ / "deep");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string error_of(const std::string& path) {
  try {
    read_fio_job_file(path, device);
  } catch (const InputError& refusal) {
    return refusal.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("the lines of an included file stand in place of the line that names it") {
  const Folder folder;
  folder.write("sizes.fio", "bs=8k ; comment\ninclude deep/more.fio\n");
  folder.write("deep/more.fio", "iodepth=3\n");
  const std::string path = folder.write("a.fio",
                                        "[global]\ninclude sizes.fio\n[a]\nrw=write\n[b]\nbs=4k\n"
                                        "include deep/more.fio # twice\nbs=16k\n");
  const JobFile file = read_fio_job_file(path, device);
  REQUIRE(file.jobs.size() == 2);
  CHECK(file.jobs[0].sizes[0] == fixed_size(Bytes{8192}));
  CHECK(file.jobs[0].iodepth == 3);
  CHECK(file.jobs[1].sizes[0] == fixed_size(Bytes{16384}));
  CHECK(file.jobs[1].iodepth == 3);
}

TEST_CASE("errors of included files name their own file and line") {
  const Folder folder;
  folder.write("bad.fio", "bs=4k\niodpeth=4\n");
  folder.write("section.fio", "bs=4k\n[c]\n");
  folder.write("again.fio", "include again.fio\n");
  const auto error = [&](const std::string& line) {
    return error_of(folder.write("a.fio", "[a]\n" + line + "\n"));
  };
  CHECK(error("include bad.fio") ==
        folder.file("bad.fio") + ":2: unknown option 'iodpeth', did you mean 'iodepth'?");
  CHECK(error("include section.fio") ==
        folder.file("section.fio") + ":2: expected no sections in an included file, found '[c]'");
  CHECK(error("include again.fio") ==
        folder.file("again.fio") +
            ":1: expected files included at most 16 deep, found 'again.fio'");
  CHECK(error("include none.fio") == folder.file("a.fio") + ":2: can't open the job file '" +
                                         folder.file("none.fio") + "': No such file or directory");
  CHECK(error_of(folder.write("a.fio", "include bad.fio\n[a]\n")) ==
        folder.file("a.fio") +
            ":1: expected a section such as [global] before the first option, "
            "found 'include bad.fio'");
}

TEST_CASE("words of a command line are jobs from the first --name on") {
  const JobFile file = parse_fio_arguments(
      {"--bs=8k", "--name=a", "--rw=write", "--name=b", "--time_based", "--runtime=1", "--bs=4k"},
      device);
  REQUIRE(file.jobs.size() == 2);
  CHECK(file.jobs[0].name == "a");
  CHECK(file.jobs[0].where.text() == "--name=a");
  CHECK(file.jobs[0].direction == Direction::write);
  CHECK(file.jobs[0].sizes[0] == fixed_size(Bytes{8192}));
  CHECK(file.jobs[1].time_based);
  CHECK(file.jobs[1].direction == Direction::read);
  CHECK(file.jobs[1].sizes[0] == fixed_size(Bytes{4096}));
  const auto error = [](const std::vector<std::string>& words) -> std::string {
    try {
      parse_fio_arguments(words, device);
    } catch (const InputError& refusal) {
      return refusal.what();
    }
    return "none";
  };
  CHECK(error({"--name=a", "--iodepth=0"}) ==
        "--iodepth=0: iodepth: expected an integer from 1 to 1048576, found '0'");
  CHECK(error({"--name=a", "--size=2g", "--offset=4k"})
            .starts_with("--offset=4k: job 'a': expected a region within the device"));
  CHECK(error({"--name=a", "--offset=4k", "--size=2g"}).starts_with("--size=2g: job 'a'"));
  CHECK(error({"--name"}) == "--name: expected '=' and a name");
}

TEST_CASE("copies lie an offset_increment apart, counted from the last one as in fio") {
  // fio 3.33 on a file of 640 KiB does 640, 128 and 384 KiB.
  const JobFile file = parse_fio_arguments(
      {"--name=a", "--rw=read", "--bs=64k", "--numjobs=3", "--offset_increment=256k"},
      Bytes{640 << 10});
  REQUIRE(file.jobs.size() == 3);
  CHECK(file.jobs[0].offset == Bytes{0});
  CHECK(file.jobs[1].offset == Bytes{512 << 10});
  CHECK(file.jobs[1].size == Bytes{128 << 10});
  CHECK(file.jobs[2].offset == Bytes{256 << 10});
  CHECK(file.jobs[2].size == Bytes{384 << 10});
  CHECK_THROWS_AS(
      parse_fio_arguments({"--name=a", "--numjobs=4", "--offset_increment=256k"}, Bytes{640 << 10}),
      InputError);
}

TEST_CASE("a delay in a range is drawn for each job, from the run's seed") {
  const std::vector<std::string> words{"--name=a", "--startdelay=1-3", "--numjobs=2"};
  const auto delays = [&](std::uint64_t seed) {
    const JobFile file = parse_fio_arguments(words, device, {}, seed);
    for (const Job& job : file.jobs) {
      CHECK(job.start_delay >= std::chrono::seconds{1});
      CHECK(job.start_delay <= std::chrono::seconds{3});
    }
    return std::pair{file.jobs[0].start_delay, file.jobs[1].start_delay};
  };
  CHECK(delays(1) == delays(1));
  CHECK(delays(1) != delays(2));
  CHECK(delays(1).first != delays(1).second);
}
