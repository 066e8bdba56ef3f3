// Stalls as they are reported: each from its first cycle to its last.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "routers/engine/flit_observer.h"
#include "routers/engine/message_slot.h"

namespace flitscope {

/// Joins the stalls of single steps, and reports each at its end. The stages visit a waiting flit whenever a
/// resource near it changes; with the same cause, channel and culprit it is one stall (docs/timing.md,
/// "Stalls").
///
/// Memory is proportional to stalled flits. Routers have separate memory for concurrent threads.
class StallSpans {
 public:
  StallSpans(NodeId nodes, StallObserver& observer) : observer_(observer), routers_(nodes) {}

  /// The flit at the front of an input VC is stalled from `stall.from` on. `slot` is a name of the missing
  /// one for no_credit, or 0: while a flit waits for the same slot, its culprit stays.
  void begin(FlitStall stall, std::uint64_t slot);
  /// A stall that is over.
  void add(const FlitStall& stall) { routers_[stall.node].over.push_back(stall); }
  /// The stall ends in cycle `end`, unless an equal one begins then.
  void end(NodeId node, unsigned vc, Cycle end);
  /// Reports the finished stalls of a router after its step in cycle `now`, in order of input VC.
  void report(NodeId node, Cycle now) {
    Router& router = routers_[node];
    if (router.ended == 0 && router.over.empty()) return;
    close_ended(router, now);
    for (const FlitStall& stall : router.over) observer_.stalled(stall);
    router.over.clear();
  }
  /// The stall of an input VC in cycle `now`; nullptr if its front flit is not stalled then.
  [[nodiscard]] const FlitStall* in_cycle(NodeId node, unsigned vc, Cycle now) const;

 private:
  struct Span {
    FlitStall stall;
    std::uint64_t slot = 0;
    Cycle end = kNever;
  };
  struct Router {
    std::vector<Span> spans;      ///< present stalls, of different input VCs
    std::vector<FlitStall> over;  ///< not reported yet
    std::uint64_t ended = 0;      ///< input VCs whose stall may be over
  };

  /// The present stall of an input VC; nullptr if there is none.
  [[nodiscard]] const Span* find(NodeId node, unsigned vc) const;
  [[nodiscard]] Span* find(NodeId node, unsigned vc) {
    return const_cast<Span*>(std::as_const(*this).find(node, vc));
  }
  static void close(Router& router, Span& span);
  static void close_ended(Router& router, Cycle now);

  StallObserver& observer_;
  std::vector<Router> routers_;
};

}  // namespace flitscope
