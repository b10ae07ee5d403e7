#include "sim/app/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "nand/errors.hpp"

namespace x25sim::app {

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path.empty()) return;
  made_ = ::access(path.c_str(), F_OK) != 0;
  file_.reset(std::fopen(path.c_str(), "a"));
  if (!file_) fail();
}

OutputFile::~OutputFile() {
  if (file_ && made_) ::unlink(path_.c_str());
}

void OutputFile::fail() const {
  throw SystemError((path_.empty() ? "standard output" : path_) + ": " + std::strerror(errno));
}

void OutputFile::write(const std::string& text) {
  std::FILE* file = path_.empty() ? stdout : file_.get();
  // Devices and pipes hold nothing that could be cut.
  if (file_ && ::ftruncate(::fileno(file), 0) != 0 && errno != EINVAL) fail();
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) fail();
  // The system may report a full disk as late as here.
  if ((path_.empty() ? std::fflush(file) : std::fclose(file_.release())) != 0) fail();
}

}  // namespace x25sim::app
