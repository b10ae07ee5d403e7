#include <array>
#include <lzma.h>
#include <string>
#include <utility>

#include "nand/errors.hpp"
#include "sim/trace/decompress.hpp"

namespace x25sim::trace {

namespace {

class XzStage final : public Stage {
 public:
  XzStage(std::unique_ptr<Stage> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)) {
    constexpr std::uint64_t memory_max = std::uint64_t{128} << 20;  // xz -9 needs 65 MiB
    if (::lzma_stream_decoder(&stream_, memory_max, LZMA_CONCATENATED) != LZMA_OK) {
      throw SystemError(name_ + ": no memory to decompress it");
    }
  }
  ~XzStage() override { ::lzma_end(&stream_); }
  XzStage(const XzStage&) = delete;
  XzStage& operator=(const XzStage&) = delete;

  std::size_t read(std::span<char> buffer) override {
    if (ended_) return 0;
    stream_.next_out = reinterpret_cast<std::uint8_t*>(buffer.data());
    stream_.avail_out = buffer.size();
    while (stream_.avail_out == buffer.size() && !ended_) {
      if (stream_.avail_in == 0 && !at_end_) refill();
      const lzma_ret status = ::lzma_code(&stream_, at_end_ ? LZMA_FINISH : LZMA_RUN);
      ended_ = status == LZMA_STREAM_END;
      if (status == LZMA_MEMLIMIT_ERROR) fail("xz data that needs at most 128 MiB", "more");
      if (status == LZMA_BUF_ERROR) {
        fail("the end of the compressed data", "the end of the file");
      }
      if (!ended_ && status != LZMA_OK) fail("sound xz data", "damaged data");
    }
    return buffer.size() - stream_.avail_out;
  }

 private:
  void refill() {
    stream_.next_in = reinterpret_cast<std::uint8_t*>(bytes_.data());
    stream_.avail_in = packed_->read(bytes_);
    at_end_ = stream_.avail_in == 0;
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw InputError({name_, 0}, "expected " + expected + ", found " + found);
  }

  std::unique_ptr<Stage> packed_;
  std::string name_;
  std::array<char, 1u << 16> bytes_{};
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool at_end_ = false;  // of the file
  bool ended_ = false;   // of the data
};

}  // namespace

std::unique_ptr<Stage> xz_stage(std::unique_ptr<Stage> packed, const std::string& name) {
  return std::make_unique<XzStage>(std::move(packed), name);
}

}  // namespace x25sim::trace
