#include "sim/app/replaced_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "nand/errors.hpp"

namespace x25sim::app {

ReplacedFile::ReplacedFile(const std::string& path) : path_(path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  written_ = special ? path : path + ".part";
  stream_.open(written_, std::ios::binary | std::ios::trunc);
  if (!stream_) throw SystemError(path + ": can't write it: " + std::strerror(errno));
}

ReplacedFile::~ReplacedFile() {
  if (committed_ || written_ == path_) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(written_, ignored);
}

void ReplacedFile::commit() {
  stream_.close();
  if (!stream_) throw SystemError(path_ + ": can't write all of it");
  if (written_ != path_) {
    std::error_code error;
    std::filesystem::rename(written_, path_, error);
    if (error) throw SystemError(path_ + ": can't write it: " + error.message());
  }
  committed_ = true;
}

}  // namespace x25sim::app
