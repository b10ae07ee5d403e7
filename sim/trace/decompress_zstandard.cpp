#include <array>
#include <string>
#include <utility>
#include <zstd.h>

#include "nand/errors.hpp"
#include "sim/trace/decompress.hpp"

namespace x25sim::trace {

namespace {

class ZstandardStage final : public Stage {
 public:
  ZstandardStage(std::unique_ptr<Stage> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), context_(::ZSTD_createDCtx()) {
    if (context_ == nullptr) throw SystemError(name_ + ": no memory to decompress it");
    // A file may ask for windows of up to 2 GiB; the tool itself stops at 128 MiB.
    ::ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, 27);
  }

  std::size_t read(std::span<char> buffer) override {
    ZSTD_outBuffer output{buffer.data(), buffer.size(), 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size && !flushing_ && !refill()) {
        if (in_frame_) fail("the end of the compressed data", "the end of the file");
        return 0;
      }
      const std::size_t rest = ::ZSTD_decompressStream(context_.get(), &output, &input_);
      if (::ZSTD_isError(rest) != 0) fail("sound Zstandard data", ::ZSTD_getErrorName(rest));
      in_frame_ = rest != 0;
      flushing_ = in_frame_ && output.pos == output.size;
    }
    return output.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ::ZSTD_freeDCtx(context); }
  };

  bool refill() {
    input_ = {bytes_.data(), packed_->read(bytes_), 0};
    return input_.size > 0;
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw InputError({name_, 0}, "expected " + expected + ", found " + found);
  }

  std::unique_ptr<Stage> packed_;
  std::string name_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::array<char, 1u << 16> bytes_{};
  ZSTD_inBuffer input_{};
  bool in_frame_ = true;
  bool flushing_ = false;  // the decompressor may hold more than its last output had room for
};

}  // namespace

std::unique_ptr<Stage> zstandard_stage(std::unique_ptr<Stage> packed, const std::string& name) {
  return std::make_unique<ZstandardStage>(std::move(packed), name);
}

}  // namespace x25sim::trace
