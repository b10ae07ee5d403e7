// The bytes of a trace file, decompressed where gzip, Zstandard or xz packed them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace x25sim::trace {

class ByteSource {
 public:
  // The file at `path`. Its first bytes, not its name, tell whether it is compressed. Throws
  // InputError with the path if it can't be opened or is a folder.
  static ByteSource open(const std::string& path);
  // `content`, which errors call `name`; compressed or not.
  static ByteSource in_memory(std::string name, std::string_view content);

  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  // Reads into `buffer`; the number of bytes, 0 at the end only. Throws InputError for compressed
  // data that is damaged or ends too early, SystemError if the file can't be read on.
  std::size_t read(std::span<char> buffer);
  // Reads until `buffer` is full; the number of bytes, less at the end only.
  std::size_t fill(std::span<char> buffer);

  const std::string& name() const { return name_; }

  // What read() draws from: a file, memory, or a decompressor over one of these.
  class Stage {
   public:
    virtual ~Stage() = default;
    virtual std::size_t read(std::span<char> buffer) = 0;
  };

 private:
  ByteSource(std::string name, std::unique_ptr<Stage> stage);

  std::string name_;
  std::unique_ptr<Stage> stage_;
};

}  // namespace x25sim::trace
