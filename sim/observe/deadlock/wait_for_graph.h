// The graph of waits between input VCs: exact deadlock detection.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "routers/engine/router_core.h"
#include "sim/network/clock_domain.h"

namespace flitscope {

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

  void find_stalled(const RouterCore& routers);
  void find_alternatives(const RouterCore& routers, const MessageTable& messages, Stalled& stalled);
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
