#include "sim/report/streamed_file.hpp"

#include <cerrno>
#include <cstring>

#include "nand/errors.hpp"

namespace x25sim::report {

namespace {

constexpr std::size_t buffer_size = 1 << 16;

}  // namespace

StreamedFile::StreamedFile(const std::string& path, std::string_view what)
    : path_(path), what_(what), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) fail(errno);
}

StreamedFile::~StreamedFile() {
  try {
    close();
  } catch (const SystemError&) {
    // Whoever wants to know calls close(); a destructor can't tell.
  }
}

void StreamedFile::go_on() {
  if (buffer_.size() >= buffer_size) flush();
}

void StreamedFile::end_line() {
  buffer_ += '\n';
  go_on();
}

void StreamedFile::close() {
  if (!file_) return;
  flush();
  if (std::fclose(file_.release()) != 0) fail(errno);
}

void StreamedFile::flush() {
  const std::size_t written = std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get());
  const int error = errno;
  const bool complete = written == buffer_.size();
  buffer_.clear();
  if (complete) return;
  // Closing it here keeps a later close() from failing again.
  file_.reset();
  fail(error);
}

void StreamedFile::fail(int error) const {
  throw SystemError(path_ + ": can't write " + what_ + ": " + std::strerror(error));
}

}  // namespace x25sim::report
