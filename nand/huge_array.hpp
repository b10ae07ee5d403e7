// A fixed-size array for the large tables of a drive, in 2 MiB pages where the system grants them:
// random access to 80 MB tables otherwise spends its time in TLB misses.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <type_traits>

namespace x25sim {

template <typename T>
requires std::is_trivially_copyable_v<T>
class HugeArray {
 public:
  HugeArray() = default;

  HugeArray(std::size_t size, T value) : size_(size) {
    const std::size_t bytes = size * sizeof(T);
    // Only arrays of several huge pages gain from them; small ones would waste up to 2 MiB.
    const std::size_t alignment = bytes >= 4 * huge_page ? huge_page : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* memory = ::operator new (rounded, std::align_val_t{alignment});
    data_ = std::unique_ptr<T[], Release>(static_cast<T*>(memory), Release{alignment});
    // Advice only: the array works the same where it is refused.
    if (alignment == huge_page) ::madvise(memory, rounded, MADV_HUGEPAGE);
    std::uninitialized_fill_n(data_.get(), size, value);
  }

  std::size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_.get(); }
  T* end() { return data_.get() + size_; }
  const T* begin() const { return data_.get(); }
  const T* end() const { return data_.get() + size_; }

  // Memory held, in bytes.
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  struct Release {
    std::size_t alignment = huge_page;
    void operator()(T* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
  };

  std::unique_ptr<T[], Release> data_;
  std::size_t size_ = 0;
};

}  // namespace x25sim
