#include "tests/program.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace x25sim::test {

namespace {

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

// What the program is to find when it starts: its folder and its three streams.
class FileActions {
 public:
  FileActions() {
    check(posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init");
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

  void open(int target, const std::string& path, int flags) {
    check(posix_spawn_file_actions_addopen(&actions_, target, path.c_str(), flags, 0600), "open");
  }
  void duplicate(int source, int target) {
    check(posix_spawn_file_actions_adddup2(&actions_, source, target), "dup2");
  }
  void change_folder(const std::string& path) {
    check(posix_spawn_file_actions_addchdir_np(&actions_, path.c_str()), "chdir");
  }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

Program::Capture::Capture() : descriptor_(memfd_create("program output", MFD_CLOEXEC)) {
  check(descriptor_ < 0 ? errno : 0, "memfd_create");
}

Program::Capture::~Capture() { close(descriptor_); }

std::string Program::Capture::text() const {
  std::string text;
  std::array<char, 1 << 16> part{};
  for (;;) {
    const ssize_t size =
        pread(descriptor_, part.data(), part.size(), static_cast<off_t>(text.size()));
    check(size < 0 ? errno : 0, "pread");
    if (size == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
}

Program::Program(const std::vector<std::string>& arguments, const ProgramPlace& place) {
  const std::string program = place.program.empty() ? X25SIM_PROGRAM : place.program;
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  FileActions actions;
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  if (place.output.empty()) {
    actions.duplicate(out_.descriptor(), STDOUT_FILENO);
  } else {
    actions.open(STDOUT_FILENO, place.output, O_WRONLY | O_CREAT | O_TRUNC);
  }
  actions.duplicate(err_.descriptor(), STDERR_FILENO);
  if (!place.folder.empty()) actions.change_folder(place.folder);
  check(posix_spawnp(&process_, program.c_str(), actions.get(), nullptr, pointers.data(), environ),
        program.c_str());
}

Program::~Program() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Program::send_signal(int number) const {
  check(kill(process_, number) != 0 ? errno : 0, "kill");
}

bool Program::catches(int number) const {
  std::istringstream lines(read_file("/proc/" + std::to_string(process_) + "/status"));
  const std::string key = "SigCgt:";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    return (std::stoull(line.substr(key.size()), nullptr, 16) >> (number - 1) & 1) != 0;
  }
  return false;
}

ProgramResult Program::wait() {
  int status = 0;
  pid_t waited = -1;
  do {
    waited = waitpid(process_, &status, 0);
  } while (waited < 0 && errno == EINTR);
  check(waited < 0 ? errno : 0, "waitpid");
  process_ = 0;
  ProgramResult result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = out_.text();
  result.err = err_.text();
  return result;
}

ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramPlace& place) {
  return Program(arguments, place).wait();
}

TemporaryFolder::TemporaryFolder() {
  std::string name = std::filesystem::temp_directory_path() / "x25sim-test-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) check(errno, "mkdtemp");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a destructor can't tell
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::filesystem::create_directories((path_ / name).parent_path());
  std::ofstream stream(path_ / name, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error("can't write " + file(name));
  return file(name);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("can't read " + path.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace x25sim::test
