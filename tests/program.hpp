// Runs the built program as a user does, without a shell in between.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace x25sim::test {

struct ProgramResult {
  int status = 0;  // exit status; of a program that a signal ended: 128 + the signal's number
  std::string out;
  std::string err;
};

// Which program runs, where, and where its standard output goes.
struct ProgramPlace {
  std::filesystem::path folder = {};  // working directory; empty: this process's own
  std::filesystem::path output = {};  // empty: ProgramResult::out
  std::string program = {};           // another one than x25sim, found as a shell finds it
};

// A program that runs beside the test.
class Program {
 public:
  // Starts x25sim, or place.program. Throws std::system_error if that fails.
  explicit Program(const std::vector<std::string>& arguments, const ProgramPlace& place = {});
  // Kills the program if nobody has waited for its end.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send_signal(int number) const;
  // Whether the program has installed a handler for this signal.
  bool catches(int number) const;
  // Waits for the end of the program. Call once.
  ProgramResult wait();

 private:
  // A file without a name that takes what the program prints.
  class Capture {
   public:
    Capture();
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    int descriptor() const { return descriptor_; }
    std::string text() const;

   private:
    int descriptor_;
  };

  Capture out_;
  Capture err_;
  pid_t process_ = 0;
};

// The same to its end.
ProgramResult run_program(const std::vector<std::string>& arguments,
                          const ProgramPlace& place = {});

// A folder of its own for a test, which goes with everything in it when the test ends.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The path of `name` in the folder.
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  // Writes a file; its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);

}  // namespace x25sim::test
