// Reproducible random numbers. Every consumer draws from a stream of its own, named by component
// and number, so that changing one consumer does not change what another one draws.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace x25sim {

// xoshiro256++ 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM
// TOMS 47, 2021), seeded through SplitMix64 as its authors advise.
class Random {
 public:
  using result_type = std::uint64_t;

  explicit constexpr Random(std::uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9e3779b97f4a7c15;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      word = z ^ (z >> 31);
    }
  }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  constexpr result_type operator()() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // A uniform integer in [0, bound), bound > 0, without bias (Lemire, "Fast random integer
  // generation in an interval", ACM TOMACS 29, 2019).
  constexpr std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>((*this)()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<Wide>((*this)()) * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // The state of the stream, to be saved.
  using State = std::array<std::uint64_t, 4>;
  State& state() { return state_; }

  // A uniform real number in [0, 1) with 53 random bits.
  constexpr double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  State state_{};
};

// The stream `number` of component `name` under `seed`. The name is hashed by FNV-1a.
constexpr Random random_stream(std::uint64_t seed, std::string_view name, std::uint64_t number) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const char c : name) mix(static_cast<unsigned char>(c));
  for (int shift = 0; shift < 64; shift += 8) mix((number >> shift) & 0xff);
  for (int shift = 0; shift < 64; shift += 8) mix((seed >> shift) & 0xff);
  return Random{hash};
}

}  // namespace x25sim
