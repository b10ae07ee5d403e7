// Where a result goes.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace x25sim::app {

// Standard output, or a file. The file is opened before the run, so that a path that can't be
// written is known at once; what it held stays until the result is there.
class OutputFile {
 public:
  // Opens the file at `path`; standard output where it is empty. Throws SystemError.
  explicit OutputFile(const std::string& path);
  // Removes a file that was made here and has got no result.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Writes the result, in place of what the file held. Throws SystemError. Call once.
  void write(const std::string& text);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] void fail() const;

  std::string path_;
  bool made_ = false;
  std::unique_ptr<std::FILE, Closer> file_;
};

}  // namespace x25sim::app
