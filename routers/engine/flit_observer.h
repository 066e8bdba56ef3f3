// Whoever wants to see every flit move, and why it does not.
#pragma once

#include <cstdint>
#include <optional>

#include "model/machine.h"
#include "model/types.h"

namespace flitscope {

/// Called by routers and network interfaces at the cycle in which a flit moves. Without an observer a flit
/// pays one test of a pointer for it. Within a cycle routers come in the order of their numbers; within a
/// cycle and a router the calls are routed and granted, each in order of input VC, then moved in order of
/// input VC, then injected in order of channel. `vc` of an input is the number of an input VC, see
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
  /// A head came to the front of input VC `input_vc` and asked the routing function: it wants link port
  /// `port` (of several candidates, the one it asks for first), or the ejection channels if that is the
  /// number of the first of them.
  virtual void routed(Cycle /*now*/, NodeId /*node*/, unsigned /*input_vc*/, unsigned /*port*/,
                      std::uint64_t /*message*/) {}
  /// A head was granted VC `vc` of output port `port`.
  virtual void granted(Cycle /*now*/, NodeId /*node*/, unsigned /*input_vc*/, unsigned /*port*/,
                       unsigned /*vc*/, std::uint64_t /*message*/) {}
};

/// Cycles on end in which the flit at the front of an input VC was stalled for one cause, for want of one
/// channel and because of one culprit (docs/timing.md, "Stalls"). A flit that stands still can have several
/// of these: when one of the three changes, another begins.
struct FlitStall {
  Cycle from = 0;
  Cycle cycles = 0;
  NodeId node = 0;
  unsigned input_vc = 0;
  StallCause cause{};
  /// What it wants: a link port, or an ejection channel (the first one, if it may take any).
  unsigned port = 0;
  /// Output VC of that port, if it holds one.
  std::optional<unsigned> vc;
  std::uint64_t message = 0;
  std::uint32_t index = 0;
  /// The message that is to blame, perhaps its own:
  /// vc_taken and an ejection channel that is held: who holds it (of several VCs, the one of lowest number);
  /// no_credit: whose flit was in the slot that is needed at the beginning of cycle `from`; switch_lost: who
  /// was picked at the same input port, or else won the output port.
  /// None if no message is: a slot's credit is on its way, or the ejection channel keeps its pace.
  std::optional<std::uint64_t> culprit;
};

/// Called in the first cycle in which a stall does not go on, before all else that a FlitObserver hears of
/// the router in that cycle; within a cycle and a router in order of input VC. Costs nothing while no flit is
/// stalled.
class StallObserver {
 public:
  virtual ~StallObserver() = default;
  virtual void stalled(const FlitStall& stall) = 0;
};

}  // namespace flitscope
