// A queue in an array that is sized at the start.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace x25sim::drive {

template <typename T>
class Ring {
 public:
  // Holds at least `capacity` elements; grows if there are ever more.
  explicit Ring(std::size_t capacity) : slots_(std::bit_ceil(capacity + 1)) {}

  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }

  void push(const T& value) {
    if (size() == slots_.size()) grow();
    slots_[tail_++ & (slots_.size() - 1)] = value;
  }
  // Puts an element that was just taken back to the front.
  void push_front(const T& value) {
    if (size() == slots_.size()) grow();
    slots_[--head_ & (slots_.size() - 1)] = value;
  }
  T& front() { return slots_[head_ & (slots_.size() - 1)]; }
  T pop() { return slots_[head_++ & (slots_.size() - 1)]; }

  // Element `i` from the front.
  T& operator[](std::size_t i) { return slots_[(head_ + i) & (slots_.size() - 1)]; }

  // Takes element `i` out; those behind it move up.
  T take(std::size_t i) {
    const T taken = (*this)[i];
    for (; i > 0; --i) (*this)[i] = (*this)[i - 1];
    ++head_;
    return taken;
  }

 private:
  void grow() {
    std::vector<T> larger(2 * slots_.size());
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = (*this)[i];
    slots_ = std::move(larger);
    head_ = 0;
    tail_ = count;
  }

  std::vector<T> slots_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace x25sim::drive
