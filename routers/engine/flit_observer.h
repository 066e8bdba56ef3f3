// Observers of flit moves and of stalls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/machine.h"
#include "model/types.h"

namespace flitscope {

/// Called by routers and network interfaces in the cycle of a flit move. Without an observer a flit costs one
/// test of a pointer. Within a cycle routers are in the order of their numbers; within a cycle and a router
/// the calls are routed and granted, each in order of input VC, then moved in order of input VC, then
/// injected in order of channel. `vc` of an input is the number of an input VC, see
/// docs/timing.md.
class FlitObserver {
 public:
  virtual ~FlitObserver() = default;
  /// A flit was put into its source router through injection channel `channel`.
  virtual void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                        bool tail) = 0;
  /// A flit left a router through output port `port` (link ports first, then ejection channels).
  virtual void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message,
                     std::uint32_t index, bool tail) = 0;
  /// A head at the front of input VC `input_vc` was routed to link port `port` (of several candidates, the
  /// first request), or to the ejection channels if that is the number of the first of them.
  virtual void routed(Cycle /*now*/, NodeId /*node*/, unsigned /*input_vc*/, unsigned /*port*/,
                      std::uint64_t /*message*/) {}
  /// A head was granted VC `vc` of output port `port`.
  virtual void granted(Cycle /*now*/, NodeId /*node*/, unsigned /*input_vc*/, unsigned /*port*/,
                       unsigned /*vc*/, std::uint64_t /*message*/) {}
};

/// Consecutive cycles in which the flit at the front of an input VC was stalled with one cause, one requested
/// channel and one culprit (docs/timing.md, "Stalls"). When one of the three changes, another stall begins.
struct FlitStall {
  Cycle from = 0;
  Cycle cycles = 0;
  NodeId node = 0;
  unsigned input_vc = 0;
  StallCause cause{};
  /// The requested link port or ejection channel (the first one, if it may take any).
  unsigned port = 0;
  /// Output VC of that port, if it holds one.
  std::optional<unsigned> vc;
  std::uint64_t message = 0;
  std::uint32_t index = 0;
  /// The message that causes the stall, perhaps the flit's own:
  /// vc_taken and a held ejection channel: the holder (of several VCs, of the lowest number); no_credit: the
  /// owner of the flit in the needed slot at the beginning of cycle `from`; switch_lost: the message picked
  /// at the same input port, or else the winner of the output port. None if a credit is in flight, or the
  /// ejection channel keeps its interval.
  std::optional<std::uint64_t> culprit;
};

/// Called in the first cycle after a stall, before the calls of a FlitObserver for the router in that cycle;
/// within a cycle and a router in order of input VC. Free while no flit is stalled.
class StallObserver {
 public:
  virtual ~StallObserver() = default;
  virtual void stalled(const FlitStall& stall) = 0;
  /// Whether every stall is reported. Otherwise stalls of body and tail flits may be left out that are no
  /// longer than one that was reported before for the same output port of the node.
  [[nodiscard]] virtual bool needs_all() const { return true; }
};

/// Observers of all routers, those that are set.
struct RouterObservers {
  StallObserver* stalls = nullptr;
  FlitObserver* flits = nullptr;
  std::vector<NodeId> flits_at{};  ///< routers whose flits are observed; all if these are none
};

}  // namespace flitscope
