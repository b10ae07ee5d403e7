// A text file that is written while a simulation runs.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace x25sim::report {

class LogFile {
 public:
  // Creates the file at `path`, or empties it. Throws SystemError if that fails.
  explicit LogFile(const std::string& path);
  // Writes what is left if close() has not been called; failures are not reported then.
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Text to append to; end_line() is to be called behind each line.
  std::string& text() { return buffer_; }
  // Throws SystemError if the file can't be written.
  void end_line();

  // Throws SystemError if the file can't be written. Nothing may be added afterwards.
  void close();

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::string buffer_;
};

}  // namespace x25sim::report
