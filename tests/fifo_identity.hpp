// The identity of FIFO collection, observed: a page that is still valid is copied once in every
// cycle of the drive, so with L host writes from a page's write to its next overwrite or trim, and
// tau = T / A host writes in a cycle, A = E[1 + floor(L / tau)], whatever the load.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/one_pool.hpp"

namespace x25sim::test {

// Writes and trims of a pool, and the right side of the identity for those since start(). Pages
// that are never overwritten count too: one copy in each cycle.
class FifoIdentity {
 public:
  explicit FifoIdentity(OnePool& pool) : pool_(pool), written_(pool.pages()) {}

  void write(std::uint64_t page) {
    const double programs = now().programs;  // those of this write come after the old page's end
    pool_.write(page);
    note(page, true, {now().writes, programs});
  }
  void trim(std::uint64_t page) {
    pool_.trim(page);
    note(page, false, now());
  }
  void fill() {
    for (std::uint32_t page = 0; page < pool_.pages(); ++page) write(page);
  }

  // From here on.
  void start() {
    events_.clear();
    written_before_ = written_;
    start_ = now();
    before_ = pool_.ftl().counters();
  }

  double amplification() const {
    return (pool_.ftl().counters() - before_).write_amplification_gc();
  }

  // E[1 + floor(L / tau)], L in host writes, at the tau of the write amplification measured.
  double from_writes() const { return evaluate(&Clock::writes, raw() / amplification()); }
  // The same with L in pages programmed and tau = T: exact where the load, and so the number of
  // host writes in a cycle, changes from cycle to cycle.
  double from_programs() const { return evaluate(&Clock::programs, raw()); }

 private:
  struct Clock {
    double writes = never;
    double programs = never;
  };
  static constexpr double never = -1;

  struct Event {
    std::uint32_t page;
    bool write;
    Clock end;    // of the page's old data
    Clock begin;  // of its new data, if it is a write
  };

  double raw() const { return static_cast<double>(pool_.ftl().space().gc_pages); }

  Clock now() const {
    const ftl::Counters& counters = pool_.ftl().counters();
    return {static_cast<double>(counters.host_pages()),
            static_cast<double>(counters.program_total())};
  }

  void note(std::uint64_t page, bool write, const Clock& end) {
    written_[page] = write ? now() : Clock{};
    events_.push_back({static_cast<std::uint32_t>(page), write, end, written_[page]});
  }

  // Copies since the start: the multiples of `cycle` in the age of each page between its write, or
  // the start, and its end.
  double evaluate(double Clock::*clock, double cycle) const {
    std::vector<Clock> written = written_before_;
    double copies = 0;
    double writes = 0;
    const auto end_life = [&](std::uint32_t page, double end) {
      const double begin = written[page].*clock;
      if (begin == never) return;
      copies += std::floor((end - begin) / cycle);
      if (begin < start_.*clock) copies -= std::floor((start_.*clock - begin) / cycle);
    };
    for (const Event& event : events_) {
      end_life(event.page, event.end.*clock);
      written[event.page] = event.begin;
      if (event.write) ++writes;
    }
    for (std::uint32_t page = 0; page < written.size(); ++page) end_life(page, now().*clock);
    return 1 + copies / writes;
  }

  OnePool& pool_;
  std::vector<Clock> written_;  // when each page was written last
  std::vector<Clock> written_before_;
  std::vector<Event> events_;
  Clock start_;
  ftl::Counters before_;
};

// The two sides of the identity, the right one by both clocks.
struct Sides {
  double measured;
  double from_writes;
  double from_programs;
};

inline Sides sides_of(const FifoIdentity& identity) {
  return {identity.amplification(), identity.from_writes(), identity.from_programs()};
}

}  // namespace x25sim::test
