// Why a tail came later behind its head than its length explains.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "model/machine.h"
#include "routers/engine/flit_observer.h"

namespace flitscope {

/// The lag of a tail (docs/timing.md) by what caused it, in cycles. The parts add up to the lag.
struct LagParts {
  /// Flits behind the head waited in the network interface for a slot of the source router's FIFO.
  Cycle injection = 0;
  /// They were stalled in a router.
  std::array<Cycle, kStallCauses> stalls{};

  [[nodiscard]] Cycle of(StallCause cause) const { return stalls[static_cast<unsigned>(cause)]; }
  [[nodiscard]] Cycle total() const {
    Cycle sum = injection;
    for (const Cycle cycles : stalls) sum += cycles;
    return sum;
  }
};

/// Keeps the gaps between the flits of every worm.
///
/// The lag is the sum of the gaps at the destination, where a gap is the time between two flits of a message
/// that follow each other, less the pace of the ejection channel. On its way a gap grows by the stalls of the
/// flit behind it and shrinks while the flit before it waits: what has been caught up is nobody's fault any
/// more. Stalls that only part flits which had come closer than that are not charged. Of several causes of a
/// gap that shrinks the first one in the order of LagParts is forgotten first.
///
/// Must see all flits and stalls from the start of a message on; memory follows the flits in the network.
class TailLag final : public FlitObserver, public StallObserver {
 public:
  TailLag(const MachineConfig& machine, unsigned link_ports)
      : pace_(machine.ejection_interval), link_ports_(link_ports) {}

  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool /*tail*/) override;
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool /*tail*/) override;
  void stalled(const FlitStall& stall) override;

  /// The parts of a message that has arrived. Forgets it.
  [[nodiscard]] LagParts take(std::uint64_t message);

 private:
  /// A flit in the network and the gap before it.
  struct Follower {
    std::size_t place = 0;                     ///< routers it has left, the network interface included
    std::int64_t gap = 0;                      ///< below zero: closer than that pace
    LagParts parts;                            ///< of the gap, if it is above zero
    std::array<Cycle, kStallCauses> stalls{};  ///< in the router it is in
  };
  struct Worm {
    std::vector<Cycle> left;         ///< by place: when the last flit so far left it
    std::deque<Follower> followers;  ///< flits that have not left the network, in order
    std::uint32_t gone = 0;          ///< flits that have
    LagParts lag;
  };

  static void shrink(Follower& follower, std::int64_t cycles);
  static void grow(Follower& follower);
  void leave(Worm& worm, Follower& follower, Cycle now) const;

  std::int64_t pace_;  ///< of ejection channels
  unsigned link_ports_;
  std::unordered_map<std::uint64_t, Worm> worms_;
};

}  // namespace flitscope
