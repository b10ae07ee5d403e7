// How the parts of a drive hand over their state to be saved, and take it back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace x25sim {

// What can be handed over: plain values without padding, so that equal states are equal bytes.
template <typename T>
concept StateElement = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                       (std::is_floating_point_v<T> || std::has_unique_object_representations_v<T>);

// A part names its tables once, in one function that both saves and loads: the archive knows which.
class StateArchive {
 public:
  virtual ~StateArchive() = default;
  virtual bool loading() const = 0;
  // The state loaded can't be, for the reason given. Requires: loading().
  [[noreturn]] virtual void reject(const std::string& reason) const = 0;

  // A table whose size is known. Loading one of another size is an error.
  template <StateElement T>
  void array(std::string_view tag, std::span<T> values) {
    exchange(tag, values.data(), sizeof(T), values.size());
  }

  template <StateElement T>
  void value(std::string_view tag, T& value) {
    array(tag, std::span<T>(&value, 1));
  }

  // A table of any size up to `size_max`.
  template <StateElement T>
  void vector(std::string_view tag, std::vector<T>& values, std::size_t size_max) {
    std::uint64_t size = values.size();
    value(tag, size);
    if (size > size_max) reject(std::string(tag) + " has more entries than the drive can have");
    values.resize(static_cast<std::size_t>(size));
    array(tag, std::span<T>(values));
  }

 protected:
  // Writes `count` elements, or reads as many into the same place.
  virtual void exchange(std::string_view tag, void* data, std::size_t element_size,
                        std::size_t count) = 0;
};

}  // namespace x25sim
