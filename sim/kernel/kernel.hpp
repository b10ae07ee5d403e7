// Runs a simulation: takes the earliest event, tells its owner, and goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "nand/units.hpp"
#include "sim/kernel/event_tree.hpp"

namespace x25sim::kernel {

// Something that owns resources with events.
class Actor {
 public:
  virtual ~Actor() = default;
  // The event of the actor's resource `number` is due: the leaf is clear, the time is now.
  virtual void on_event(std::uint32_t number) = 0;
};

class Kernel {
 public:
  // Gives `actor` `count` leaves; its resource 0 has the leaf returned, and so on. Leaves of
  // earlier calls win ties. Requires: nothing has been scheduled yet.
  std::uint32_t add_resources(Actor& actor, std::uint32_t count) {
    const auto first = static_cast<std::uint32_t>(owners_.size());
    owners_.insert(owners_.end(), count, Owner{&actor, first});
    tree_ = EventTree(first + count);
    return first;
  }

  Time now() const { return now_; }

  // Sets the next event of a leaf; replaces the one it had. Requires: not in the past.
  void schedule(std::uint32_t leaf, Time time) { tree_.set(leaf, time); }
  void cancel(std::uint32_t leaf) { tree_.clear(leaf); }
  bool is_scheduled(std::uint32_t leaf) const { return tree_.is_set(leaf); }

  // Performs the earliest event; false if there is none.
  bool step() {
    if (tree_.empty()) return false;
    const std::uint32_t leaf = tree_.earliest_leaf();
    const Time time = tree_.earliest_time();
    X25_CHECK(time >= now_, "an event in the past");
    now_ = time;
    tree_.clear(leaf);
    const Owner& owner = owners_[leaf];
    owner.actor->on_event(leaf - owner.first);
    return true;
  }

 private:
  struct Owner {
    Actor* actor;
    std::uint32_t first;
  };

  EventTree tree_{0};
  std::vector<Owner> owners_;
  Time now_{};
};

}  // namespace x25sim::kernel
