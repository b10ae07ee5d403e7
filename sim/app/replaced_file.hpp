// A file that is written piece by piece, and is there once it is whole.
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace x25sim::app {

// Writes beside the file at `path` and takes its place in commit(): what it held stays until then,
// and is what remains if there is no commit. A path that is not a regular file, such as a pipe, is
// written at once.
class ReplacedFile {
 public:
  // Throws SystemError if the file can't be made.
  explicit ReplacedFile(const std::string& path);
  // Removes what was written, if it was not committed.
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  std::ostream& stream() { return stream_; }

  // Throws SystemError if anything could not be written. Call once.
  void commit();

 private:
  std::string path_;
  std::string written_;  // what the stream writes: path_, or a file beside it
  bool committed_ = false;
  std::ofstream stream_;
};

}  // namespace x25sim::app
