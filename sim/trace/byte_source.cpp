#include "sim/trace/byte_source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "nand/errors.hpp"
#include "sim/trace/decompress.hpp"

namespace x25sim::trace {

namespace {

class FileStage final : public Stage {
 public:
  FileStage(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~FileStage() override { ::close(descriptor_); }
  FileStage(const FileStage&) = delete;
  FileStage& operator=(const FileStage&) = delete;

  std::size_t read(std::span<char> buffer) override {
    for (;;) {
      const ssize_t size = ::read(descriptor_, buffer.data(), buffer.size());
      if (size >= 0) return static_cast<std::size_t>(size);
      if (errno != EINTR) throw SystemError(name_ + ": can't read on: " + std::strerror(errno));
    }
  }

 private:
  int descriptor_;
  std::string name_;
};

class MemoryStage final : public Stage {
 public:
  explicit MemoryStage(std::string_view content) : content_(content) {}

  std::size_t read(std::span<char> buffer) override {
    const std::string_view rest = std::string_view(content_).substr(done_);
    const std::size_t size = std::min(buffer.size(), rest.size());
    std::copy_n(rest.begin(), size, buffer.begin());
    done_ += size;
    return size;
  }

 private:
  std::string content_;
  std::size_t done_ = 0;
};

// Gives the bytes that were read ahead before those of the rest.
class PrefixStage final : public Stage {
 public:
  PrefixStage(std::string_view prefix, std::unique_ptr<Stage> rest)
      : prefix_(prefix), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> buffer) override {
    if (prefix_.empty()) return rest_->read(buffer);
    const std::size_t size = std::min(buffer.size(), prefix_.size());
    std::copy_n(prefix_.begin(), size, buffer.begin());
    prefix_.erase(0, size);
    return size;
  }

 private:
  std::string prefix_;
  std::unique_ptr<Stage> rest_;
};

constexpr std::string_view gzip_magic{"\x1f\x8b", 2};
constexpr std::string_view zstandard_magic{"\x28\xb5\x2f\xfd", 4};
constexpr std::string_view xz_magic{
    "\xfd"
    "7zXZ\0",
    6};

std::size_t fill_from(Stage& stage, std::span<char> buffer) {
  std::size_t size = 0;
  while (size < buffer.size()) {
    const std::size_t more = stage.read(buffer.subspan(size));
    if (more == 0) break;
    size += more;
  }
  return size;
}

// `raw` itself, or behind the decompressor that its first bytes ask for.
std::unique_ptr<Stage> unpacked(std::unique_ptr<Stage> raw, const std::string& name) {
  std::array<char, 6> first{};
  const std::string_view magic(first.data(), fill_from(*raw, first));
  auto whole = std::make_unique<PrefixStage>(magic, std::move(raw));
  if (magic.starts_with(gzip_magic)) return gzip_stage(std::move(whole), name);
  if (magic.starts_with(zstandard_magic)) return zstandard_stage(std::move(whole), name);
  if (magic.starts_with(xz_magic)) return xz_stage(std::move(whole), name);
  return whole;
}

}  // namespace

ByteSource ByteSource::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw InputError({path, 0}, std::string("can't open the trace: ") + std::strerror(errno));
  }
  auto file = std::make_unique<FileStage>(descriptor, path);
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    throw InputError({path, 0}, "expected a trace, found a directory");
  }
  return {path, unpacked(std::move(file), path)};
}

ByteSource ByteSource::in_memory(std::string name, std::string_view content) {
  auto stage = unpacked(std::make_unique<MemoryStage>(content), name);
  return {std::move(name), std::move(stage)};
}

ByteSource::ByteSource(std::string name, std::unique_ptr<Stage> stage)
    : name_(std::move(name)), stage_(std::move(stage)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(std::span<char> buffer) { return stage_->read(buffer); }
std::size_t ByteSource::fill(std::span<char> buffer) { return fill_from(*stage_, buffer); }

}  // namespace x25sim::trace
