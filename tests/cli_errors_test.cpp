// What a user can get wrong, through the program: exit status 2 with the place, what was expected
// and what was found; exit status 3 where the system refuses.
#include <doctest/doctest.h>

#include "tests/cli_fixture.hpp"

using namespace x25sim::test;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The program's error message without its name; nothing may have been printed beside it.
std::string error_of(const Words& arguments, int status = 2) {
  const ProgramResult result = run_program(arguments);
  CHECK(result.status == status);
  CHECK(result.out.empty());
  CHECK(result.err.ends_with("\n"));
  const std::size_t line = result.err.rfind("x25sim: ");
  REQUIRE(line != std::string::npos);
  return result.err.substr(line + 8, result.err.size() - line - 9);
}

// A drive file whose own sections are `sections`, which start in its line 4.
std::string write_drive(const TemporaryFolder& folder, const std::string& sections) {
  return folder.write("own.yaml",
                      "parts: [nand/l63a-34nm-mlc.yaml, controllers/pc29as21ba0.yaml,\n"
                      "        firmware/g2.yaml, hosts/sata-3g-ahci.yaml]\n"
                      "drive: {sectors: 32000}\n" +
                          sections);
}

constexpr const char* populated =
    "controller: {populated_channels: 5, packages_per_channel: 1, dies_per_package: 2}\n";

std::string drive_error(const std::string& sections) {
  const TemporaryFolder folder;
  const std::string drive = write_drive(folder, sections);
  const std::string job = folder.write("job.fio", "[job]\nrw=read\nbs=4k\nio_size=64k\n");
  const std::string error = error_of({"run", "-d", drive, job});
  CHECK(error.starts_with(drive));
  CHECK(error_of({"show", drive}) == error);
  return error.substr(std::min(drive.size(), error.size()));
}

std::string job_error(const std::string& options) {
  const TemporaryFolder folder;
  const std::string error = error_of(run_arguments(folder, options) + Words{"--quiet"});
  CHECK(error.starts_with(folder.file("job.fio")));
  return error.substr(std::min(folder.file("job.fio").size(), error.size()));
}

std::string trace_error(const std::string& format, const std::string& text,
                        const Words& further_arguments = {}) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("a.trace", text);
  const std::string error = error_of(Words{"replay"} + small_drive() +
                                     Words{"--format", format, trace} + further_arguments);
  CHECK(error.starts_with(trace));
  return error.substr(std::min(trace.size(), error.size()));
}

std::string option_error(const Words& options) {
  const TemporaryFolder folder;
  return error_of(run_arguments(folder, "rw=read\nbs=4k\nio_size=64k\n") + options);
}

}  // namespace

TEST_CASE("a drive file of one's own runs") {
  const TemporaryFolder folder;
  const ProgramResult result = run_program({"show", write_drive(folder, populated)});
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(contains(result.out, "sectors: 32000"));
}

TEST_CASE("A19, A21: a geometry that cannot be is refused at its line") {
  CHECK(drive_error(std::string(populated) + "nand:\n  blocks_per_die: 8191\n") ==
        ":6: nand.blocks_per_die: expected blocks per die to be a multiple of planes per die (2), "
        "found 8191");
  CHECK(drive_error("controller: {populated_channels: 11, packages_per_channel: 1,\n"
                    "             dies_per_package: 2}\n")
            .starts_with(":4: controller.populated_channels: expected at most 10 "));
  // Twice the capacity of the flash: the message has both numbers.
  const std::string small = "nand:\n  blocks_per_die: 8\n  pages_per_block: 16\n";
  const std::string error = drive_error(populated + small);
  CHECK(error.starts_with(":3: drive.sectors: expected at most "));
  CHECK(contains(error, "found 32000"));
  CHECK(contains(error, "5242880 bytes of flash"));
}

TEST_CASE("unknown keys, values without a unit and sectors that are none name their line") {
  CHECK(drive_error(std::string(populated) + "nand:\n  raed_time: 36 us\n") ==
        ":6: unknown key 'nand.raed_time', did you mean 'nand.read_time'?");
  CHECK(drive_error(std::string(populated) + "nadn:\n  read_time: 36 us\n") ==
        ":5: unknown key 'nadn', did you mean 'nand'?");
  CHECK(drive_error(std::string(populated) + "nand:\n  read_time: 36\n") ==
        ":6: nand.read_time: expected a duration such as \"60 us\", found \"36\"");
  CHECK(drive_error(std::string(populated) + "link:\n  rate: 3 GB\n")
            .starts_with(":6: link.rate: expected "));
  CHECK(contains(drive_error(std::string(populated) + "nand: [\n"), "not readable as YAML"));
}

TEST_CASE("--set is checked like a file, and its message repeats it") {
  CHECK(option_error({"--set", "nand.raed_time=5us"}) ==
        "--set nand.raed_time=5us: unknown key 'nand.raed_time', did you mean 'nand.read_time'?");
  CHECK(
      option_error({"--set", "nand.read_time=5"}) ==
      "--set nand.read_time=5: nand.read_time: expected a duration such as \"60 us\", found \"5\"");
  CHECK(option_error({"--set", "nand.read_time"})
            .starts_with("--set nand.read_time: expected path.to.key=value"));
  CHECK(contains(option_error({"--set", "drive.sectors=0"}), "found \"0\""));
  CHECK(option_error({"--set", "link.queue_depth=33"})
            .starts_with("--set link.queue_depth=33: link.queue_depth: expected a whole number "
                         "from 1 to 32"));
}

TEST_CASE("a job file's errors name line, expectation and finding") {
  CHECK(job_error("rw=read\niodpeth=4\n") ==
        ":3: unknown option 'iodpeth', did you mean 'iodepth'?");
  CHECK(job_error("rw=raed\n").starts_with(":2: rw: expected "));
  CHECK(job_error("rw=read\nbs=100\n").starts_with(":3: bs: expected a multiple of 512 bytes"));
  CHECK(contains(job_error("rw=read\nsize=80g\n"), "device of 16384000 bytes"));
  CHECK(contains(job_error("rw=read\noffset=16m\nsize=4k\n"), "device of 16384000 bytes"));
  CHECK(job_error("rw=read\nbs=4k\nramp_time=200d\n").starts_with(":1: job 'job': expected"));
  CHECK(job_error("rw=read\nbs=4k\ntime_based\nruntime=101d\n").starts_with(":1: job 'job'"));
}

TEST_CASE("A43: the last block of the drive can be reached, and nothing beyond it") {
  const Json report =
      run_job("rw=read\nbs=4k\noffset=" + std::to_string(small_bytes - 4096) + "\n");
  CHECK(report["jobs"][0]["read"]["total_ios"] == 1);
  CHECK(contains(job_error("rw=read\nbs=4k\noffset=" + std::to_string(small_bytes) + "\n"),
                 "device of 16384000 bytes"));
}

TEST_CASE("A3, A16: a damaged or foreign line ends a replay with its number, never silently") {
  CHECK(trace_error("mqsim", "1 0 0 8 0\n2 0 0 8 0 7\n3 0 0 8 0\n") ==
        ":2: expected 5 fields (time, device, sector, sectors, operation), found 6 in "
        "'2 0 0 8 0 7'");
  CHECK(trace_error("mqsim", "1,h,0,Read,0,512,1\n").starts_with(":1: expected 5 fields"));
  CHECK(trace_error("msr", "1,h,0,Read,0,512,1\n2,h,0,Raed,0,512,1\n") ==
        ":2: expected Read or Write, found 'Raed'");
  CHECK(trace_error("msr", "1 0 0 8 0\n").starts_with(":1: expected 7 fields"));
  CHECK(trace_error("mqsim", "") ==
        ": expected records in format mqsim, found none in the whole "
        "file");
  CHECK(
      trace_error("msr", "# nothing but a comment\n").starts_with(": expected records in format"));
}

TEST_CASE("A62: a record beyond the drive is refused with its line, the last sector is not") {
  CHECK(trace_error("mqsim", "0 0 0 8 0\n1 0 31999 1 0\n2 0 32000 1 0\n") ==
        ":3: expected a request within the device of 16384000 bytes, found a write of 512 bytes at "
        "byte 16384000; 1 of 3 records lies beyond it, for which --out-of-range has other rules "
        "than 'error'");
  CHECK(contains(trace_error("mqsim", "0 0 31999 2 1\n"), ":1: expected a request within"));
  CHECK(contains(trace_error("mqsim", "0 0 0 32001 1\n", {"--out-of-range", "wrap"}),
                 ":1: expected a request of at most the device's 16384000 bytes to wrap"));
}

TEST_CASE("recorded times beyond the clock's reach are refused, unless they are left aside") {
  for (const char* const time : {"9223372036854775807", "18446744073709551615"}) {
    CAPTURE(time);
    const std::string text = std::string("0 0 0 8 0\n") + time + " 0 8 8 0\n";
    CHECK(
        contains(trace_error("mqsim", text), ":2: expected a record at most 8640000000000000 ns"));
    const TemporaryFolder folder;
    const Json report =
        run_json(Words{"replay"} + small_drive() +
                 Words{"--format", "mqsim", folder.write("a.trace", text), "--queue-depth", "1"});
    CHECK(report["x25sim"]["trace"]["issued"] == 2);
    CHECK(report["jobs"][0]["write"]["total_ios"] == 2);
  }
}

TEST_CASE("A22: inputs that are missing are named") {
  const TemporaryFolder folder;
  const std::string missing = folder.file("missing");
  const std::string job = folder.write("job.fio", "[job]\nrw=read\nio_size=64k\n");
  CHECK(error_of({"run", "-d", missing + ".yaml", job}) == missing + ".yaml: no such drive file");
  CHECK(error_of({"run", "-d", "x25-v-40", missing + ".fio"}).starts_with(missing + ".fio: "));
  CHECK(error_of({"replay", "-d", "x25-v-40", "--format", "msr", missing}).starts_with(missing));
  CHECK(error_of({"experiment", missing + ".yaml"}) == missing + ".yaml: no such experiment file");
  CHECK(error_of({"experiment", "why-hafl"}) ==
        "unknown experiment 'why-hafl', did you mean 'why-half'?");
  CHECK(option_error({"--prepare", missing + ".fio"}).starts_with(missing + ".fio: "));
  CHECK(error_of({"run", "-d", "x25-v-4", job})
            .starts_with("unknown drive 'x25-v-4'; known drives, the nearest first: x25-v-40"));
  CHECK(contains(error_of({"run", job}), "expected a drive"));
  CHECK(contains(error_of({"run", "-d", "x25-v-40"}), "expected a fio job file"));
  CHECK(contains(error_of({"replay", "-d", "x25-v-40", job}), "--format"));
  CHECK(error_of({"show", folder.write("a.yaml", "name: a\nparts: [nand/none.yaml]\n")}) ==
        folder.file("a.yaml") +
            ":2: part 'nand/none.yaml' not found beside this file or in configs/");
}

TEST_CASE("preparations that cannot be are refused with what was expected") {
  const auto error = [](const std::string& state) { return option_error({"--prepare", state}); };
  for (const char* const state : {"usde", "stedy", "steady:8g", "filled:8g", "", "8g"}) {
    CAPTURE(state);
    CHECK(error(state).starts_with("--prepare " + std::string(state) +
                                   ": expected fresh, filled, used[:SPAN], trimmed:SPAN, steady or "
                                   "a job file"));
  }
  CHECK(contains(error("usde"), "did you mean 'used'?"));
  CHECK(contains(error("stedy"), "did you mean 'steady'?"));
  CHECK(error("used:lots") ==
        "--prepare used:lots: expected a size such as 8G or 50%, found 'lots'");
  CHECK(contains(error("used:0"), "expected a span that is a multiple of 4096 bytes"));
  CHECK(contains(error("used:4097"), "found 4097"));
  CHECK(contains(error("used:16m"), "up to the drive's 16384000, found 16777216"));
  CHECK(contains(error("trimmed"), "expected a span"));
  CHECK(contains(option_error({"--prepare", "filled", "--prepare", "fresh"}),
                 "expected the first of the preparations"));
  const TemporaryFolder folder;
  const std::string timed =
      folder.write("timed.fio", "[a]\nrw=write\ntime_based\nruntime=1\nsize=1m\n");
  CHECK(contains(option_error({"--prepare", timed}),
                 timed + ":1: job 'a' is performed without the clock"));
}

TEST_CASE("values of options that cannot be are refused with what was expected") {
  for (const char* const seed : {"-1", "x", "1.5", "", "18446744073709551616"}) {
    CAPTURE(seed);
    CHECK(option_error({"--seed", seed}) ==
          "--seed: expected a whole number from 0 to 18446744073709551615, found \"" +
              std::string(seed) + "\"");
  }
  CHECK(option_error({"--output-format", "xml"}) ==
        "--output-format: expected normal, json, json+ or terse, found \"xml\"");
  const Words replay = Words{"replay"} + small_drive() + Words{"--format", "mqsim", "a.trace"};
  CHECK(error_of(replay + Words{"--out-of-range", "fold"})
            .starts_with("expected a rule for requests out of range (error, wrap, clip, skip, "
                         "scale), found 'fold'"));
  CHECK(error_of(replay + Words{"--queue-depth", "0"})
            .starts_with("--queue-depth: expected a whole number from 1 to"));
  CHECK(
      contains(error_of({"replay", "-d", "x25-v-40", "--format", "mqsin", "a.trace"}), "'mqsin'"));
  CHECK(contains(error_of({"experiment", "why-half", "--output-format", "terse"}),
                 "expected normal or json"));
}

TEST_CASE("an experiment's errors have its file and line") {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) {
    const std::string file = folder.write("own.yaml", text);
    const std::string message = error_of({"experiment", file});
    CHECK(message.starts_with(file));
    return message.substr(std::min(file.size(), message.size()));
  };
  const std::string head = "experiment: own\nquestion: Why?\ncases:\n  - name: a\n";
  CHECK(error(head + "    metirc: MB/s\n") == ":5: unknown key 'metirc', did you mean 'metric'?");
  const std::string job = "    job: |\n      [a]\n      rw=read\n";
  const std::string runs = "    runs: [{drive: x25-v-40, figures: [P999]}]\n";
  CHECK(error(head + "    metric: MB\n" + job + runs) ==
        ":5: expected MB/s, IOPS or us, found \"MB\"");
  CHECK(error(head + "    metric: MB/s\n" + job + runs) == ":9: unknown published figure \"P999\"");
  CHECK(contains(error(head + "    metric: [\n"), ":"));
}

TEST_CASE("an output that cannot be written is the system's refusal, with its words") {
  const TemporaryFolder folder;
  const Words arguments =
      run_arguments(folder, "rw=randwrite\nbs=4k\nio_size=2m\n") + Words{"--quiet"};
  const std::string nowhere = folder.file("no-such-folder/x");
  const std::string no_folder = "No such file or directory";
  const std::string no_space = "No space left on device";
  CHECK(error_of(arguments + Words{"--output", nowhere}, 3) == nowhere + ": " + no_folder);
  CHECK(error_of(arguments + Words{"--output", "/dev/full"}, 3) == "/dev/full: " + no_space);
  CHECK(error_of(arguments + Words{"--timeline", nowhere}, 3) ==
        nowhere + ": can't write the timeline: " + no_folder);
  CHECK(error_of(arguments + Words{"--timeline", "/dev/full"}, 3) ==
        "/dev/full: can't write the timeline: " + no_space);
  for (const Words& command : {arguments, Words{"drives"}, Words{"show", "x25-v-40"},
                               arguments + Words{"--help"}, Words{"--help"}, Words{"--version"}}) {
    CAPTURE(command.back());
    const ProgramResult result = run_program(command, {.folder = {}, .output = "/dev/full"});
    CHECK(result.status == 3);
    CHECK(contains(result.err, no_space));
  }
}
