// Stalls of routers that are stepped together, each with its culprit, as they are reported to an observer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/bits.h"
#include "routers/engine/planes.h"
#include "routers/engine/stall_spans.h"

namespace flitscope {

/// What RouterGroups keeps while stalls are observed. Begins and ends of stalls are noted in any order within
/// a cycle; report() reports those that are over, router by router.
class GroupStalls {
 public:
  /// A flit at the front of an input VC lacks a slot behind an output VC.
  struct MissingSlot {
    NodeId node = 0;
    unsigned vc = 0;
    // Of a head without an output VC; others wait for the next slot behind theirs.
    unsigned output = 0;
    std::uint32_t beyond = 0;  ///< place of the slot behind the first one that is not usable
    std::uint64_t name = 0;    ///< of the slot, with its number since the first flit that was put there
  };

  /// `rows` is the number of input VCs of all routers.
  GroupStalls(NodeId nodes, std::size_t rows, StallObserver& observer)
      : spans_(nodes, observer),
        ended_(nodes / 64 + 1),
        ends_next_(nodes / 64 + 1),
        tails_(rows),
        sent_(rows) {}

  void begin(const FlitStall& stall, std::uint64_t slot = 0) {
    spans_.begin(stall, slot);
    ended_[stall.node / 64] |= Plane{1} << stall.node % 64;
  }
  /// A stall that is over.
  void add(const FlitStall& stall) {
    spans_.add(stall);
    ended_[stall.node / 64] |= Plane{1} << stall.node % 64;
  }
  /// The stall of an input VC ends in cycle `end`, now or in the next one.
  void end(NodeId node, unsigned vc, Cycle end, Cycle now) {
    spans_.end(node, vc, end);
    (end > now ? ends_next_ : ended_)[node / 64] |= Plane{1} << node % 64;
  }
  /// A stall of a flit without room: its culprit is known at the end of the cycle.
  void begin_without_room(const MissingSlot& slot) { without_room_.push_back(slot); }
  [[nodiscard]] std::vector<MissingSlot> take_without_room() { return std::exchange(without_room_, {}); }

  /// The tail of a message has left the input VC `row` in cycle `now`.
  void note_tail(std::size_t row, std::uint64_t message, Cycle now) { tails_[row] = {message, now}; }
  /// Flits of whole messages that have left by the output VC `row`.
  void note_sent(std::size_t row, std::uint32_t flits) { sent_[row] += flits; }
  [[nodiscard]] std::uint64_t sent(std::size_t row) const { return sent_[row]; }
  /// The message whose tail has left it in cycle `now`.
  [[nodiscard]] std::optional<std::uint64_t> tail_of(std::size_t row, Cycle now) const {
    const Tail& tail = tails_[row];
    return tail.left == now ? std::optional(tail.message) : std::nullopt;
  }

  [[nodiscard]] const FlitStall* in_cycle(NodeId node, unsigned vc, Cycle now) const {
    return spans_.in_cycle(node, vc, now);
  }

  /// Reports the stalls of a router that are over in cycle `now`.
  void report(NodeId node, Cycle now) { spans_.report(node, now); }
  /// Reports those of all routers, each after a call of before(router).
  template <typename Before>
  void report(Cycle now, Before before) {
    for (std::size_t group = 0; group < ended_.size(); ++group) {
      for_each_bit(std::exchange(ended_[group], std::exchange(ends_next_[group], 0)), [&](unsigned router) {
        const auto node = static_cast<NodeId>(group * 64 + router);
        before(node);
        spans_.report(node, now);
      });
    }
  }

 private:
  struct Tail {
    std::uint64_t message = 0;
    Cycle left = kNever;
  };

  StallSpans spans_;
  std::vector<Plane> ended_;      ///< routers with stalls that may be over, by group
  std::vector<Plane> ends_next_;  ///< in the next cycle
  std::vector<MissingSlot> without_room_;
  std::vector<Tail> tails_;  ///< by row
  std::vector<std::uint64_t> sent_;
};

}  // namespace flitscope
