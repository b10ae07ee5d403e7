// The layout of blktrace's binary events, version 7 (linux/blktrace_api.h): where their fields are,
// in bytes, and what the numbers in them mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace x25sim::trace::blktrace {

inline constexpr std::uint32_t magic = 0x65617400;  // with the version in its lowest byte
inline constexpr std::uint32_t version = 7;

inline constexpr std::size_t magic_at = 0;
inline constexpr std::size_t sequence_at = 4;
inline constexpr std::size_t time_at = 8;
inline constexpr std::size_t sector_at = 16;
inline constexpr std::size_t bytes_at = 24;
inline constexpr std::size_t action_at = 28;
inline constexpr std::size_t process_at = 32;
inline constexpr std::size_t device_at = 36;
inline constexpr std::size_t processor_at = 40;
inline constexpr std::size_t error_at = 44;
inline constexpr std::size_t pdu_size_at = 46;
inline constexpr std::size_t event_size = 48;

inline constexpr unsigned minor_bits = 20;  // of a device; the rest is its major number
inline constexpr std::uint32_t major_max = (1u << (32 - minor_bits)) - 1;
inline constexpr std::uint32_t minor_max = (1u << minor_bits) - 1;

// Of an action: what happened, and the mask above it. The bit between them says that the payload
// begins with a control group.
inline constexpr std::uint32_t action_mask = 0xff;
inline constexpr unsigned mask_shift = 16;

inline constexpr std::uint32_t read_bit = 1u << 0;
inline constexpr std::uint32_t write_bit = 1u << 1;
inline constexpr std::uint32_t flush_bit = 1u << 2;
inline constexpr std::uint32_t queue_bit = 1u << 4;
inline constexpr std::uint32_t issue_bit = 1u << 6;
inline constexpr std::uint32_t file_system_bit = 1u << 8;
inline constexpr std::uint32_t passthrough_bit = 1u << 9;
inline constexpr std::uint32_t notify_bit = 1u << 10;
inline constexpr std::uint32_t discard_bit = 1u << 13;
inline constexpr std::uint32_t fua_bit = 1u << 15;

// The actions' letters, as blkparse prints them, from number 1 on.
inline constexpr std::array<std::string_view, 15> action_letters{
    "Q", "M", "F", "G", "S", "R", "D", "C", "P", "U", "UT", "I", "X", "B", "A"};

// The letters of the action with this number; empty for one that blkparse doesn't print.
constexpr std::string_view letters_of(std::uint32_t number) {
  if (number == 0 || number > action_letters.size()) return {};
  return action_letters[number - 1];
}

// The number of the action with these letters. Requires: there is one.
constexpr std::uint32_t number_of(std::string_view letters) {
  std::uint32_t number = 1;
  while (action_letters[number - 1] != letters) ++number;
  return number;
}

}  // namespace x25sim::trace::blktrace
