// Files that hold the state of a drive: tagged sections of plain data, complete or not there at
// all.
//
// A file is, in the byte order of the machine that wrote it: a header (24 bytes "x25sim drive
// state\n" and zeros, a byte order mark, the format's version), sections (tag, kind, size and
// number of elements, then the elements up to a multiple of 8 bytes), and a trailer (a mark, the
// length of the whole file, and the XXH3 checksum of all before it).
//
// Knows nothing of what the sections mean: who writes a drive's state says which there are, in
// which order, and raises `state_format` when that changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <type_traits>
#include <vector>

namespace x25sim::backend {

// The version of the format, of the container and of what is put into it.
inline constexpr std::uint32_t state_format = 1;

// What a section may hold: numbers, enumerations, and structures of whole numbers without pointers.
// Padding is excluded, so that equal states give equal files; for floating point in a structure,
// which hides padding from the compiler, write arrays instead.
template <typename T>
concept PlainData = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                    (std::is_floating_point_v<T> || std::has_unique_object_representations_v<T>);

enum class ElementKind : std::uint32_t { record = 1, whole, with_sign, floating, text };

template <PlainData T>
constexpr ElementKind element_kind() {
  if constexpr (std::is_enum_v<T>) return element_kind<std::underlying_type_t<T>>();
  if constexpr (std::is_floating_point_v<T>) return ElementKind::floating;
  if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? ElementKind::with_sign : ElementKind::whole;
  }
  return ElementKind::record;
}

class StateChecksum;

// Writes a file beside its target and puts it in the target's place when it is complete: whatever
// happens before leaves the target as it was. All functions throw SystemError where the system
// refuses.
class StateWriter {
 public:
  // Opens a temporary file in the folder of `path`. Throws InputError for a path that names no
  // file.
  explicit StateWriter(const std::string& path);
  // Removes the temporary file unless commit() has succeeded.
  ~StateWriter();
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;

  // Each adds a section. `tag`: 1 to 8 characters.
  template <PlainData T>
  void write_array(std::string_view tag, std::span<const T> values) {
    write_section(tag, element_kind<T>(), sizeof(T), std::as_bytes(values));
  }
  template <PlainData T>
  void write_value(std::string_view tag, const T& value) {
    write_array<T>(tag, {&value, 1});
  }
  void write_text(std::string_view tag, std::string_view text);

  // Completes the file and puts it in its place, both for good (fsync). Call once, last.
  void commit();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  // A file that goes with this object, as long as it has a path.
  struct TemporaryFile {
    TemporaryFile() = default;
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    std::string path;
    std::unique_ptr<std::FILE, Closer> file;
  };

  mode_t mode_of_target() const;
  void open_temporary();
  void write_section(std::string_view tag, ElementKind kind, std::uint32_t element_size,
                     std::span<const std::byte> content);
  void write(std::span<const std::byte> bytes);
  [[noreturn]] void fail() const;

  std::string path_;
  std::string folder_;
  TemporaryFile temporary_;
  std::unique_ptr<StateChecksum> checksum_;
  std::uint64_t length_ = 0;
};

// Reads a file that a StateWriter made: the same sections in the same order. All functions throw
// InputError where they find something else, which names the file, what was expected and what was
// found, and SystemError where the system refuses.
class StateReader {
 public:
  // Opens the file and checks the whole of it, so that nothing of a damaged file is handed out.
  explicit StateReader(const std::string& path);

  const std::string& path() const { return path_; }

  // Each reads the next section, which has this tag and elements of this type.
  // As many elements as `target` takes.
  template <PlainData T>
  void read_array(std::string_view tag, std::span<T> target) {
    begin_section({tag, element_kind<T>(), sizeof(T)}, target.size());
    read_content(std::as_writable_bytes(target));
  }
  // As many elements as there are.
  template <PlainData T>
  std::vector<T> read_vector(std::string_view tag) {
    std::vector<T> values(begin_section({tag, element_kind<T>(), sizeof(T)}, {}));
    read_content(std::as_writable_bytes(std::span(values)));
    return values;
  }
  template <PlainData T>
  T read_value(std::string_view tag) {
    T value{};
    read_array<T>(tag, {&value, 1});
    return value;
  }
  std::string read_text(std::string_view tag);

  // Checks that there are no further sections.
  void finish() const;

 private:
  struct Section {
    std::string_view tag;
    ElementKind kind;
    std::uint32_t element_size;
  };

  struct Descriptor {
    Descriptor() = default;
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number = -1;
  };

  // Finds the next section as expected, `count` elements if given; how many elements it has.
  std::uint64_t begin_section(const Section& expected, std::optional<std::uint64_t> count);
  void read_content(std::span<std::byte> target);
  void check_header(std::uint64_t size) const;
  void check_trailer(std::uint64_t size) const;
  void read_at(std::uint64_t offset, std::span<std::byte> target) const;
  template <typename T>
  T read_at(std::uint64_t offset) const;
  [[noreturn]] void fail(const std::string& found) const;
  [[noreturn]] void fail_system() const;

  std::string path_;
  Descriptor descriptor_;
  std::uint64_t position_ = 0;
  std::uint64_t end_ = 0;  // of the sections
};

}  // namespace x25sim::backend
