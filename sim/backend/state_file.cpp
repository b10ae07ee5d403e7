#include "sim/backend/state_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "nand/check.hpp"
#include "nand/errors.hpp"
#include "nand/suggestion.hpp"

namespace x25sim::backend {

namespace {

constexpr std::string_view magic{"x25sim drive state\n"};
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::uint32_t swapped_byte_order_mark = 0x04030201;
constexpr std::string_view end_mark{"complete"};
constexpr std::uint64_t alignment = 8;
constexpr std::size_t read_size = std::size_t{1} << 20;

// The parts of a file, none of which has padding.
struct Header {
  std::array<char, 24> magic;
  std::uint32_t byte_order;
  std::uint32_t version;
};
struct SectionHeader {
  std::array<char, 8> tag;
  std::uint32_t kind;
  std::uint32_t element_size;
  std::uint64_t count;
};
struct Trailer {
  std::array<char, 8> mark;
  std::uint64_t length;  // of the whole file
};
using Digest = std::uint64_t;  // follows the trailer
constexpr std::uint64_t trailer_size = sizeof(Trailer) + sizeof(Digest);

template <std::size_t size>
std::array<char, size> padded(std::string_view text) {
  X25_CHECK(text.size() <= size);
  std::array<char, size> result{};
  std::copy(text.begin(), text.end(), result.begin());
  return result;
}

template <std::size_t size>
std::string_view trimmed(const std::array<char, size>& text) {
  return std::string_view(text.data(), size)
      .substr(0, std::string_view(text.data(), size).find('\0'));
}

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// Bytes up to the next multiple of the alignment.
std::uint64_t padding_after(std::uint64_t size) {
  return (alignment - size % alignment) % alignment;
}

std::string elements(std::uint32_t kind, std::uint32_t size) {
  const std::string of_bytes = " of " + std::to_string(size) + " bytes";
  switch (static_cast<ElementKind>(kind)) {
    case ElementKind::record: return "records" + of_bytes;
    case ElementKind::whole: return "whole numbers" + of_bytes;
    case ElementKind::with_sign: return "numbers with sign" + of_bytes;
    case ElementKind::floating: return "floating-point numbers" + of_bytes;
    case ElementKind::text: return "characters";
  }
  return "elements of an unknown kind";
}

std::string describe(std::string_view tag, std::uint32_t kind, std::uint32_t element_size,
                     std::optional<std::uint64_t> count) {
  return "section " + in_quotes(tag) + " with " + (count ? std::to_string(*count) + " " : "") +
         elements(kind, element_size);
}

}  // namespace

class StateChecksum {
 public:
  StateChecksum() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }

  void add(std::span<const std::byte> bytes) {
    if (!bytes.empty()) XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
  }
  Digest digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Release {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Release> state_;
};

// ---- Writing ------------------------------------------------------------------------------------

StateWriter::TemporaryFile::~TemporaryFile() {
  if (!path.empty()) ::unlink(path.c_str());
}

StateWriter::StateWriter(const std::string& path)
    : path_(path), checksum_(std::make_unique<StateChecksum>()) {
  const std::filesystem::path target(path);
  if (target.filename().empty()) {
    throw InputError("expected the name of a file for the drive's state, found " + in_quotes(path));
  }
  folder_ = target.has_parent_path() ? target.parent_path().string() : ".";
  const mode_t mode = mode_of_target();
  open_temporary();
  if (::fchmod(::fileno(temporary_.file.get()), mode) != 0) fail();
  write(bytes_of(Header{padded<24>(magic), byte_order_mark, state_format}));
}

StateWriter::~StateWriter() = default;

void StateWriter::fail() const {
  throw SystemError(path_ + ": can't write the drive's state: " + std::strerror(errno));
}

// The permissions that the file is to have. A rename would replace whatever is there, devices
// included, with leave of the folder alone.
mode_t StateWriter::mode_of_target() const {
  struct stat there {};
  if (::stat(path_.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) {
      errno = EISDIR;
      fail();
    }
    if (!S_ISREG(there.st_mode)) {
      throw SystemError(path_ + ": can't write the drive's state: not a regular file");
    }
    if (::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0) fail();
    return there.st_mode & 0777;
  }
  if (errno != ENOENT) fail();
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

void StateWriter::open_temporary() {
  // Not the target's own name with something added, which could be too long.
  std::string name = folder_ + "/.x25sim-state-XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) fail();
  temporary_.path = name;
  temporary_.file.reset(::fdopen(descriptor, "wb"));
  if (temporary_.file) return;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  fail();
}

void StateWriter::write(std::span<const std::byte> bytes) {
  X25_CHECK(temporary_.file != nullptr);
  if (bytes.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), temporary_.file.get()) != bytes.size()) fail();
  checksum_->add(bytes);
  length_ += bytes.size();
}

void StateWriter::write_section(std::string_view tag, ElementKind kind, std::uint32_t element_size,
                                std::span<const std::byte> content) {
  X25_CHECK(!tag.empty());
  write(bytes_of(SectionHeader{padded<8>(tag), static_cast<std::uint32_t>(kind), element_size,
                               content.size() / element_size}));
  write(content);
  static constexpr std::array<std::byte, alignment> zeros{};
  write(std::span(zeros).first(padding_after(content.size())));
}

void StateWriter::write_text(std::string_view tag, std::string_view text) {
  write_section(tag, ElementKind::text, 1, std::as_bytes(std::span(text)));
}

void StateWriter::commit() {
  write(bytes_of(Trailer{padded<8>(end_mark), length_ + trailer_size}));
  const Digest digest = checksum_->digest();
  write(bytes_of(digest));
  std::FILE* const file = temporary_.file.get();
  if (std::fflush(file) != 0 || ::fsync(::fileno(file)) != 0) fail();
  if (std::fclose(temporary_.file.release()) != 0) fail();
  if (::rename(temporary_.path.c_str(), path_.c_str()) != 0) fail();
  temporary_.path.clear();
  // The file is complete in either place; some systems can't make sure of the folder.
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const bool refused = ::fsync(folder) != 0 && errno != EINVAL && errno != ENOTSUP;
  const int error = errno;
  ::close(folder);
  errno = error;
  if (refused) fail();
}

// ---- Reading ------------------------------------------------------------------------------------

StateReader::Descriptor::~Descriptor() {
  if (number >= 0) ::close(number);
}

StateReader::StateReader(const std::string& path) : path_(path) {
  // A pipe without a writer must not hold up the program.
  descriptor_.number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_.number < 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw InputError({path, 0}, "no such drive state");
    fail_system();
  }
  struct stat status {};
  if (::fstat(descriptor_.number, &status) != 0) fail_system();
  if (S_ISDIR(status.st_mode)) fail("a folder");
  if (!S_ISREG(status.st_mode)) fail("something that is not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  check_header(size);
  check_trailer(size);
  position_ = sizeof(Header);
  end_ = size - trailer_size;
}

void StateReader::fail(const std::string& found) const {
  throw InputError({path_, 0}, "expected a drive state of x25sim, format " +
                                   std::to_string(state_format) + ", found " + found);
}

void StateReader::fail_system() const {
  throw SystemError(path_ + ": can't read the drive's state: " + std::strerror(errno));
}

void StateReader::check_header(std::uint64_t size) const {
  if (size == 0) fail("an empty file");
  Header header{};
  const auto there = static_cast<std::size_t>(std::min<std::uint64_t>(size, sizeof(Header)));
  read_at(0, std::as_writable_bytes(std::span(&header, 1)).first(there));
  const auto expected = padded<24>(magic);
  const std::size_t compared = std::min(there, expected.size());
  if (!std::equal(expected.begin(), expected.begin() + compared, header.magic.begin())) {
    fail("a file that begins with " + in_quotes({header.magic.data(), compared}));
  }
  if (there < sizeof(Header)) fail("the first " + std::to_string(size) + " bytes of one");
  if (header.byte_order == swapped_byte_order_mark) {
    fail("one of a machine with another order of bytes");
  }
  if (header.byte_order != byte_order_mark) fail("a damaged one: its byte order mark is wrong");
  if (header.version != state_format) {
    fail("format " + std::to_string(header.version) +
         (header.version > state_format ? ", written by a newer version" : ""));
  }
}

// Reads the whole file: its checksum comes last.
void StateReader::check_trailer(std::uint64_t size) const {
  const std::string cut = "one that is cut short or damaged: ";
  if (size < sizeof(Header) + trailer_size) fail(cut + "its end is missing");
  const auto trailer = read_at<Trailer>(size - trailer_size);
  if (trimmed(trailer.mark) != end_mark) fail(cut + "its end is missing");
  if (trailer.length != size) {
    fail(cut + "it has " + std::to_string(size) + " bytes instead of " +
         std::to_string(trailer.length));
  }
  StateChecksum checksum;
  std::vector<std::byte> buffer(
      static_cast<std::size_t>(std::min<std::uint64_t>(read_size, size - sizeof(Digest))));
  for (std::uint64_t offset = 0; offset < size - sizeof(Digest);) {
    const std::uint64_t left = size - sizeof(Digest) - offset;
    const auto part =
        std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, read_size)));
    read_at(offset, part);
    checksum.add(part);
    offset += part.size();
  }
  if (checksum.digest() != read_at<Digest>(size - sizeof(Digest))) {
    fail("a damaged one: its checksum differs");
  }
}

void StateReader::read_at(std::uint64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t count =
        ::pread(descriptor_.number, target.data(), target.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_system();
    if (count == 0) fail("one that became shorter while it was read");
    target = target.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

template <typename T>
T StateReader::read_at(std::uint64_t offset) const {
  T value{};
  read_at(offset, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::uint64_t StateReader::begin_section(const Section& expected,
                                         std::optional<std::uint64_t> count) {
  const auto kind = static_cast<std::uint32_t>(expected.kind);
  const auto fail_section = [&](const std::string& found) {
    throw InputError({path_, 0}, "expected " +
                                     describe(expected.tag, kind, expected.element_size, count) +
                                     ", found " + found);
  };
  if (position_ == end_) fail_section("the end");
  if (end_ - position_ < sizeof(SectionHeader)) fail_section("the rest of a section");
  const auto header = read_at<SectionHeader>(position_);
  if (trimmed(header.tag) != expected.tag || header.kind != kind ||
      header.element_size != expected.element_size || (count && header.count != *count)) {
    fail_section(describe(trimmed(header.tag), header.kind, header.element_size, header.count));
  }
  position_ += sizeof(SectionHeader);
  if (header.count > (end_ - position_) / expected.element_size) {
    fail_section(std::to_string(header.count) + " of them beyond the end");
  }
  return header.count;
}

void StateReader::read_content(std::span<std::byte> target) {
  read_at(position_, target);
  position_ = std::min(end_, position_ + target.size() + padding_after(target.size()));
}

std::string StateReader::read_text(std::string_view tag) {
  std::string text(begin_section({tag, ElementKind::text, 1}, {}), '\0');
  read_content(std::as_writable_bytes(std::span(text)));
  return text;
}

void StateReader::finish() const {
  if (position_ == end_) return;
  std::string found = "the rest of a section";
  if (end_ - position_ >= sizeof(SectionHeader)) {
    const auto header = read_at<SectionHeader>(position_);
    found = describe(trimmed(header.tag), header.kind, header.element_size, header.count);
  }
  throw InputError({path_, 0}, "expected the end of the drive's state, found " + found);
}

}  // namespace x25sim::backend
