// The container of saved states: what is written is read, and nothing else ever is.
#include "sim/backend/state_file.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "nand/errors.hpp"
#include "tests/program.hpp"

using namespace x25sim;
using backend::StateReader;
using backend::StateWriter;
using test::read_file;
using test::TemporaryFolder;

namespace fs = std::filesystem;

namespace {

enum class Colour : std::uint16_t { red, green };

struct Block {
  std::uint32_t next;
  std::uint16_t valid;
  std::uint16_t pool;
  bool operator==(const Block&) const = default;
};

using Numbers = std::vector<std::uint32_t>;

// A file of `numbers` and a name.
void write_numbers(const std::string& path, const Numbers& numbers) {
  StateWriter writer(path);
  writer.write_text("name", "a drive");
  writer.write_array<std::uint32_t>("numbers", numbers);
  writer.commit();
}

Numbers read_numbers(const std::string& path) {
  StateReader reader(path);
  CHECK(reader.read_text("name") == "a drive");
  Numbers numbers = reader.read_vector<std::uint32_t>("numbers");
  reader.finish();
  return numbers;
}

// The message with which an action fails, without `path` in front; empty if it does not.
template <typename Error, typename Action>
std::string error_of(const std::string& path, Action action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(message.starts_with(path + ": "));
    return message.substr(std::min(message.size(), path.size() + 2));
  }
  return {};
}

// Why the file cannot be read, from "found" on.
std::string refusal_of(const std::string& path) {
  const std::string error = error_of<InputError>(path, [&] { StateReader reader(path); });
  const std::string expected = "expected a drive state of x25sim, format 1, found ";
  CHECK(error.starts_with(expected));
  return error.substr(std::min(error.size(), expected.size()));
}

std::string write_refusal(const std::string& path) {
  return error_of<SystemError>(path, [&] { StateWriter writer(path); });
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Who may not do everything, as root may.
class AsNobody {
 public:
  AsNobody() {
    if (before_ == 0) REQUIRE(::seteuid(65534) == 0);
  }
  ~AsNobody() {
    if (before_ == 0) CHECK(::seteuid(0) == 0);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  uid_t before_ = ::geteuid();
};

void overwrite(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace

TEST_CASE("what is written to a state is read from it") {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.state");
  const Numbers many(100'000, 7);
  const std::vector<Block> blocks{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const std::array<double, 3> reals{0.1, -1e300, 5e-324};
  {
    StateWriter writer(path);
    writer.write_value<std::uint64_t>("u64", ~std::uint64_t{0});
    writer.write_value<std::int8_t>("i8", -3);
    writer.write_value("flag", true);
    writer.write_value("colour", Colour::green);
    writer.write_value("time", std::chrono::nanoseconds{-5});
    writer.write_text("text", std::string("zero \0 and more", 15));
    writer.write_text("none", "");
    writer.write_array<Block>("blocks", blocks);
    writer.write_array<std::uint32_t>("many", many);
    writer.write_array<std::uint8_t>("empty", {});
    writer.write_array<double>("reals", reals);
    writer.write_value<char>("12345678", 'x');
    writer.commit();
  }
  CHECK(files_in(folder.path()) == 1);
  StateReader reader(path);
  CHECK(reader.path() == path);
  CHECK(reader.read_value<std::uint64_t>("u64") == ~std::uint64_t{0});
  CHECK(reader.read_value<std::int8_t>("i8") == -3);
  CHECK(reader.read_value<bool>("flag"));
  CHECK(reader.read_value<Colour>("colour") == Colour::green);
  CHECK(reader.read_value<std::chrono::nanoseconds>("time") == std::chrono::nanoseconds{-5});
  CHECK(reader.read_text("text") == std::string("zero \0 and more", 15));
  CHECK(reader.read_text("none").empty());
  CHECK(reader.read_vector<Block>("blocks") == blocks);
  Numbers target(many.size());
  reader.read_array<std::uint32_t>("many", target);
  CHECK(target == many);
  CHECK(reader.read_vector<std::uint8_t>("empty").empty());
  std::array<double, 3> real_target{};
  reader.read_array<double>("reals", real_target);
  CHECK(real_target == reals);
  CHECK(reader.read_value<char>("12345678") == 'x');
  reader.finish();
}

TEST_CASE("equal contents make equal files, and an empty state is one") {
  const TemporaryFolder folder;
  write_numbers(folder.file("a"), {1, 2, 3});
  write_numbers(folder.file("b"), {1, 2, 3});
  CHECK(read_file(folder.file("a")) == read_file(folder.file("b")));
  StateWriter(folder.file("empty")).commit();
  StateReader(folder.file("empty")).finish();
}

TEST_CASE("a state with any one byte changed is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.state");
  write_numbers(path, {1, 2, 3});
  const std::string good = read_file(path);
  REQUIRE(good.size() > 100);
  for (std::size_t i = 0; i < good.size(); ++i) {
    CAPTURE(i);
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ change);
      overwrite(path, bad);
      CHECK_FALSE(refusal_of(path).empty());
    }
  }
  overwrite(path, good);
  CHECK(read_numbers(path) == Numbers{1, 2, 3});
}

TEST_CASE("a state of any shorter length, or a longer one, is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.state");
  write_numbers(path, {1, 2, 3});
  const std::string good = read_file(path);
  for (std::size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    overwrite(path, good.substr(0, length));
    const std::string refusal = refusal_of(path);
    if (length == 0) CHECK(refusal == "an empty file");
    if (length > 0 && length < 32) {
      CHECK(refusal == "the first " + std::to_string(length) + " bytes of one");
    }
    if (length >= 32) CHECK(refusal == "one that is cut short or damaged: its end is missing");
  }
  overwrite(path, good + "x");
  CHECK(refusal_of(path) == "one that is cut short or damaged: its end is missing");
  // Two files in a row, as a slip with `cat` makes them: the end is there.
  overwrite(path, good + good);
  CHECK(refusal_of(path) == "one that is cut short or damaged: it has " +
                                std::to_string(2 * good.size()) + " bytes instead of " +
                                std::to_string(good.size()));
}

TEST_CASE("other files, versions and machines are named for what they are") {
  const TemporaryFolder folder;
  const std::string path = folder.write("x.state", "[job]\nrw=randwrite\nbs=4k\nsize=8g\n");
  CHECK(refusal_of(path) == "a file that begins with \"[job]?rw=randwrite?bs=4k\"");
  overwrite(path, "x");
  CHECK(refusal_of(path) == "the first 1 bytes of one");
  overwrite(path, "y");
  CHECK(refusal_of(path) == "a file that begins with \"y\"");

  write_numbers(path, {1});
  const std::string good = read_file(path);
  const auto with = [&](std::size_t position, const std::string& bytes) {
    overwrite(path, std::string(good).replace(position, bytes.size(), bytes));
    return refusal_of(path);
  };
  CHECK(with(28, {"\x02", 1}) == "format 2, written by a newer version");
  CHECK(with(28, {"\x00", 1}) == "format 0");
  CHECK(with(24, {"\x01\x02\x03\x04", 4}) == "one of a machine with another order of bytes");
  CHECK(with(24, {"\x01\x02\x03\x05", 4}) == "a damaged one: its byte order mark is wrong");
  CHECK(with(60, "\x55") == "a damaged one: its checksum differs");
}

TEST_CASE("states that are not there, or are no files, are refused") {
  const TemporaryFolder folder;
  const std::string missing = folder.file("missing");
  const auto open = [](const std::string& path) { StateReader reader(path); };
  CHECK(error_of<InputError>(missing, [&] { open(missing); }) == "no such drive state");
  const std::string below = folder.write("file", "x") + "/x.state";
  CHECK(error_of<InputError>(below, [&] { open(below); }) == "no such drive state");
  CHECK(refusal_of(folder.path().string()) == "a folder");
  CHECK(refusal_of("/dev/null") == "something that is not a regular file");
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal_of(pipe) == "something that is not a regular file");
  const std::string secret = folder.write("secret", "x");
  REQUIRE(::chmod(secret.c_str(), 0) == 0);
  const AsNobody nobody;
  CHECK(error_of<SystemError>(secret, [&] { open(secret); }) ==
        "can't read the drive's state: Permission denied");
}

TEST_CASE("sections other than expected are named with what was expected") {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.state");
  write_numbers(path, {1, 2, 3});
  const auto error = [&path](auto action) {
    StateReader reader(path);
    CHECK(reader.read_text("name") == "a drive");
    return error_of<InputError>(path, [&] { action(reader); });
  };
  const std::string found = ", found section \"numbers\" with 3 whole numbers of 4 bytes";
  CHECK(error([](StateReader& reader) { reader.read_vector<std::uint32_t>("blocks"); }) ==
        "expected section \"blocks\" with whole numbers of 4 bytes" + found);
  CHECK(error([](StateReader& reader) { reader.read_value<std::uint32_t>("numbers"); }) ==
        "expected section \"numbers\" with 1 whole numbers of 4 bytes" + found);
  CHECK(error([](StateReader& reader) { reader.read_vector<std::uint64_t>("numbers"); }) ==
        "expected section \"numbers\" with whole numbers of 8 bytes" + found);
  CHECK(error([](StateReader& reader) { reader.read_vector<std::int32_t>("numbers"); }) ==
        "expected section \"numbers\" with numbers with sign of 4 bytes" + found);
  CHECK(error([](StateReader& reader) { reader.read_vector<float>("numbers"); }) ==
        "expected section \"numbers\" with floating-point numbers of 4 bytes" + found);
  CHECK(error([](StateReader& reader) { reader.read_vector<Block>("numbers"); }) ==
        "expected section \"numbers\" with records of 8 bytes" + found);
  CHECK(error([](StateReader& reader) { reader.read_text("numbers"); }) ==
        "expected section \"numbers\" with characters" + found);
  CHECK(error([](StateReader& reader) { reader.finish(); }) ==
        "expected the end of the drive's state" + found);
  CHECK(error([](StateReader& reader) {
          reader.read_vector<std::uint32_t>("numbers");
          reader.read_text("more");
        }) == "expected section \"more\" with characters, found the end");
}

TEST_CASE("a save that does not come to its end leaves nothing, and what was there stays") {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.state");
  {
    StateWriter writer(path);
    writer.write_array<std::uint32_t>("numbers", Numbers(100'000));
    CHECK(files_in(folder.path()) == 1);
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(files_in(folder.path()) == 0);
  write_numbers(path, {1, 2, 3});
  {
    StateWriter writer(path);
    writer.write_text("name", "another drive");
    CHECK(read_numbers(path) == Numbers{1, 2, 3});
  }
  CHECK(files_in(folder.path()) == 1);
  CHECK(read_numbers(path) == Numbers{1, 2, 3});
  write_numbers(path, {4});
  CHECK(read_numbers(path) == Numbers{4});
}

TEST_CASE("a save that is killed leaves the old state, and nothing that loads") {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.state");
  write_numbers(path, {1, 2, 3});
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    StateWriter writer(path);
    writer.write_array<std::uint32_t>("numbers", Numbers(100'000));
    ::_exit(0);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(read_numbers(path) == Numbers{1, 2, 3});
  REQUIRE(files_in(folder.path()) == 2);
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (entry.path() == path) continue;
    CHECK(refusal_of(entry.path()).starts_with("one that is cut short"));
  }
}

TEST_CASE("a save for which the system has no room is its refusal, and what was there stays") {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.state");
  write_numbers(path, {1, 2, 3});
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 64 << 10;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string error = error_of<SystemError>(path, [&] {
    StateWriter writer(path);
    writer.write_array<std::uint32_t>("numbers", Numbers(100'000));
    writer.commit();
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(error == "can't write the drive's state: File too large");
  CHECK(files_in(folder.path()) == 1);
  CHECK(read_numbers(path) == Numbers{1, 2, 3});
}

TEST_CASE("targets that cannot be written are refused before anything is written") {
  const TemporaryFolder folder;
  const std::string cannot = "can't write the drive's state: ";
  CHECK(write_refusal(folder.file("no-such-folder/x")) == cannot + "No such file or directory");
  CHECK(write_refusal(folder.write("file", "x") + "/x") == cannot + "Not a directory");
  fs::create_directory(folder.path() / "folder");
  CHECK(write_refusal(folder.file("folder")) == cannot + "Is a directory");
  CHECK(write_refusal("/dev/null") == cannot + "not a regular file");
  CHECK(fs::is_character_file("/dev/null"));
  CHECK_FALSE(write_refusal("/proc/x.state").empty());
  for (const std::string& path : {std::string(), folder.file("folder/")}) {
    CHECK_THROWS_WITH_AS(StateWriter{path},
                         doctest::Contains("expected the name of a file for the drive's state"),
                         InputError);
  }
  CHECK(files_in(folder.path()) == 2);
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  REQUIRE(::chmod(folder.file("folder").c_str(), 0555) == 0);
  REQUIRE(::chmod(folder.file("file").c_str(), 0444) == 0);
  const AsNobody nobody;
  CHECK(write_refusal(folder.file("folder/x")) == cannot + "Permission denied");
  CHECK(write_refusal(folder.file("file")) == cannot + "Permission denied");
}

TEST_CASE("a state's file has the permissions of any new file, or those of the one it replaces") {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.state");
  const mode_t mask = ::umask(027);
  write_numbers(path, {1});
  ::umask(mask);
  const auto mode = [&path] {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777;
  };
  CHECK(mode() == 0640);
  REQUIRE(::chmod(path.c_str(), 0604) == 0);
  write_numbers(path, {2});
  CHECK(mode() == 0604);
}

TEST_CASE("a name without a folder is one in the present folder, and may be as long as names are") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const std::string name(255, 'x');
  write_numbers(name, {5});
  CHECK(read_numbers(name) == Numbers{5});
  fs::current_path(before);
  CHECK(fs::exists(folder.path() / name));
}
