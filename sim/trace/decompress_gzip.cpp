#include <array>
#include <string>
#include <utility>
#include <zlib.h>

#include "nand/errors.hpp"
#include "sim/trace/decompress.hpp"

namespace x25sim::trace {

namespace {

class GzipStage final : public Stage {
 public:
  GzipStage(std::unique_ptr<Stage> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)) {
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (::inflateInit2(&stream_, gzip_only) != Z_OK) {
      throw SystemError(name_ + ": no memory to decompress it");
    }
  }
  ~GzipStage() override { ::inflateEnd(&stream_); }
  GzipStage(const GzipStage&) = delete;
  GzipStage& operator=(const GzipStage&) = delete;

  std::size_t read(std::span<char> buffer) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(buffer.size(), 1u << 30));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0 && !refill()) {
        if (in_member_) fail("the end of the compressed data", "the end of the file");
        return 0;
      }
      // Another member, or zeros that pad a tape block.
      if (!in_member_) {
        if (*stream_.next_in == 0) {
          ++stream_.next_in;
          --stream_.avail_in;
          continue;
        }
        ::inflateReset(&stream_);
        in_member_ = true;
      }
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        in_member_ = false;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail("sound gzip data", stream_.msg != nullptr ? stream_.msg : "damaged data");
      }
    }
    return room - stream_.avail_out;
  }

 private:
  bool refill() {
    const std::size_t size = packed_->read(input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(size);
    return size > 0;
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw InputError({name_, 0}, "expected " + expected + ", found " + found);
  }

  std::unique_ptr<Stage> packed_;
  std::string name_;
  std::array<char, 1u << 16> input_{};
  z_stream stream_{};
  bool in_member_ = true;
};

}  // namespace

std::unique_ptr<Stage> gzip_stage(std::unique_ptr<Stage> packed, const std::string& name) {
  return std::make_unique<GzipStage>(std::move(packed), name);
}

}  // namespace x25sim::trace
