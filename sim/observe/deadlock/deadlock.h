// A deadlock: worms that hold channels in a dependency cycle; and its exact detection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/topology.h"
#include "sim/network/clock_domain.h"

namespace flitscope {

/// One virtual channel of a link, or of an ejection or injection channel.
struct HeldChannel {
  NodeId node = 0;    ///< it leaves this node
  unsigned port = 0;  ///< of links, then of ejection or injection channels
  unsigned vc = 0;
  bool injects = false;  ///< an injection channel
  bool operator==(const HeldChannel&) const = default;
};

/// One worm of the dependency cycle. It waits for the next one in the list, the last for the first.
struct DeadlockedWorm {
  std::uint64_t message = 0;  ///< the driver's id
  std::uint32_t step = 0;
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t flits = 0;
  NodeId node = 0;  ///< where its foremost stalled flit of the dependency cycle waits
  /// Channels of the dependency cycle in the order of its path, from the one for which the worm before it
  /// waits, or another VC of that link, if they share a buffer; never empty.
  std::vector<HeldChannel> holds;
  HeldChannel wants;
  bool wants_room = false;  ///< true: it waits for room in the buffer behind the channel wanted
  /// Room in an ejection buffer, whose node takes a message only when it can send one: a reply, which waits
  /// behind the next worm.
  bool wants_reply = false;
  Cycle stalled_since = 0;  ///< from which on that flit has waited for it: with its output VC, or without any
};

struct Deadlock {
  Cycle detected = 0;  ///< cycle after which it was found
  /// From this cycle on nothing of the dependency cycle could move: its front flits, those that bar their
  /// alternatives, and so on, have been stalled ever since, each with the output VC that it holds, or without
  /// any.
  Cycle standstill = 0;
  std::vector<DeadlockedWorm> dependency_cycle;
  std::uint64_t blocked_buffers =
      0;  ///< input VCs that can never move again, in or behind the dependency cycle
  std::uint64_t blocked_messages = 0;  ///< different messages at their fronts
};

/// The deadlock in the present state of a network, or nothing. Exact: no time-out, no false alarm.
[[nodiscard]] std::optional<Deadlock> find_deadlock(const ClockDomain& clock);

/// "[1]+0", "ejection 0 of [1]", "injection 0 of [1]"
[[nodiscard]] std::string channel_name(const HeldChannel& held, const Topology& topology);

/// One line a worm.
[[nodiscard]] std::vector<std::string> describe(const Deadlock& deadlock, const Topology& topology);

// Detection of deadlocks while the rest of the network still moves.

/// Looks for a deadlock now and then, and halts the clock when there is one.
class DeadlockWatch final : public ClockWatcher {
 public:
  explicit DeadlockWatch(const ClockDomain& clock) : clock_(clock) {}

  static constexpr Cycle kFirstLook = 1024;
  [[nodiscard]] std::optional<Cycle> after_cycle(Cycle now) override {
    deadlock_ = find_deadlock(clock_);
    if (deadlock_) return std::nullopt;
    // A look costs time in proportion to the network; the pause keeps it a small part of the run's.
    return now + std::max({kFirstLook, Cycle{clock_.numbers().nodes()}, now / 16});
  }
  [[nodiscard]] const std::optional<Deadlock>& deadlock() const { return deadlock_; }

 private:
  const ClockDomain& clock_;
  std::optional<Deadlock> deadlock_;
};

// The graph of waits between input VCs: exact deadlock detection.

/// An input VC by node and number (docs/timing.md, "Terms and numbers").
using VcPlace = std::pair<NodeId, unsigned>;

/// The input VCs whose front flits are stalled for want of a buffer or a virtual channel, and what each waits
/// for, at one event of a run.
///
/// A front flit can go on as soon as one of its alternatives is open, and an alternative opens when all input
/// VCs it requires go on: the one at the neighbour that must make room, the one that holds the output VC. An
/// input VC that is not stalled like this is *live*: its front moves, or competes for the switch, or waits
/// for time to pass. So is everything that has an alternative requiring live ones only. What is left over can
/// never move again, whatever the rest of the network does: it is *deadlocked*.
class WaitForGraph {
 public:
  /// Reads the state after the last cycle that was looked at.
  explicit WaitForGraph(const ClockDomain& clock);

  /// Deadlocked input VCs, in order of node and number.
  [[nodiscard]] std::vector<VcPlace> deadlocked() const;

  /// A shortest dependency cycle of deadlocked input VCs: each waits for the next one, the last for the
  /// first. Empty if nothing is deadlocked.
  [[nodiscard]] std::vector<VcPlace> shortest_cycle() const;

  /// The cycle since which some deadlocked input VCs have not been able to move: since which they, and all
  /// that bar their alternatives, and so on, have been stalled as they are.
  [[nodiscard]] Cycle standstill(const std::vector<VcPlace>& places) const;

 private:
  using Index = std::uint32_t;
  /// Stalled input VCs that must all go on (at most two).
  using Alternative = std::vector<Index>;
  struct Stalled {
    VcPlace place;
    Cycle since = 0;  ///< from which on it has been stalled with the output VC that it holds, or without any
    std::vector<Alternative> alternatives;
    bool live = false;
  };

  void find_stalled(const RouterGroups& routers);
  void find_alternatives(const RouterGroups& routers, const MessageTable& messages, Stalled& stalled);
  void propagate_liveness();
  /// Adds `place` to what is required; an input VC that is not stalled is no hindrance.
  void require(Alternative& alternative, VcPlace place) const;
  [[nodiscard]] bool can_go_on(const Stalled& stalled) const;
  template <typename Visit>
  void for_each_hindrance(Index from, Visit visit) const;

  std::vector<Stalled> stalled_;
  std::map<VcPlace, Index> index_of_;
};

}  // namespace flitscope
