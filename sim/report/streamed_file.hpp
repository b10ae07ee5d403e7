// A text file that is written while a simulation runs.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace x25sim::report {

class StreamedFile {
 public:
  // Creates the file at `path`, or empties it; `what` it is says the error. Throws SystemError if
  // that fails.
  StreamedFile(const std::string& path, std::string_view what);
  // Writes what is left if close() has not been called; failures are not reported then.
  ~StreamedFile();
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;

  // Text to append to, and then to call one of the following. They throw SystemError if the file
  // can't be written.
  std::string& text() { return buffer_; }
  void go_on();
  void end_line();

  // Throws SystemError if the file can't be written. Nothing may be added afterwards.
  void close();
  bool closed() const { return file_ == nullptr; }

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string what_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::string buffer_;
};

}  // namespace x25sim::report
