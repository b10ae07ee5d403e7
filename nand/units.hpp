// Time and amounts of data as types, so that wrong arithmetic does not compile.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace x25sim {

// Simulated durations and instants: integer nanoseconds, never floating point, so that results are
// exact and equal on every machine. 63 bits hold 292 years.
using Duration = std::chrono::duration<std::int64_t, std::nano>;

struct SimulatedClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SimulatedClock>;
  static constexpr bool is_steady = true;
};

// An instant of simulated time, counted from the start of the simulation.
using Time = SimulatedClock::time_point;

constexpr std::int64_t nanoseconds(Duration duration) { return duration.count(); }
constexpr std::int64_t nanoseconds(Time time) { return time.time_since_epoch().count(); }
constexpr double seconds(Duration duration) { return static_cast<double>(duration.count()) * 1e-9; }

// An amount of data in bytes.
struct Bytes {
  std::uint64_t count = 0;

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    count += other.count;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(Bytes a, std::uint64_t n) { return {a.count * n}; }
  friend constexpr std::uint64_t operator/(Bytes a, Bytes b) { return a.count / b.count; }
  friend constexpr Bytes operator%(Bytes a, Bytes b) { return {a.count % b.count}; }
};

// A logical sector, the unit of SATA addresses.
inline constexpr Bytes sector_size{512};

}  // namespace x25sim
