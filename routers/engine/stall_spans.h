// Stalls as they are told: each from its first cycle to its last.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "routers/engine/flit.h"
#include "routers/engine/flit_observer.h"

namespace flitscope {

/// Joins what the stages of a router say into stalls, and reports each when it is over. The stages look at a
/// waiting flit again whenever something near it changes; as long as its cause, its channel and its culprit
/// stay the same, that is one stall (docs/timing.md, "Stalls").
///
/// Memory follows the flits that are stalled. What belongs to one router is apart from that of others, so
/// that several threads may be busy with different ones.
class StallSpans {
 public:
  StallSpans(NodeId nodes, StallObserver& observer) : observer_(observer), routers_(nodes) {}

  /// The flit at the front of an input VC is stalled from `stall.from` on. `slot` is the one that lacks if
  /// the cause is no_credit: as long as a flit waits for the same slot, its culprit stays.
  void begin(const FlitStall& stall, const Slot* slot);
  /// The stall is over in cycle `end`, unless one begins then that is the same.
  void end(NodeId node, unsigned vc, Cycle end);
  /// The router has been looked at in cycle `now`: reports what is over, in order of input VC.
  void report(NodeId node, Cycle now) {
    take(node, now, [this](const FlitStall& stall) { tell(stall); });
  }
  /// Calls visit(stall) for each that is over instead.
  template <typename Visit>
  void take(NodeId node, Cycle now, Visit visit) {
    Router& router = routers_[node];
    if (router.ended == 0 && router.over.empty()) return;
    close_ended(router, now);
    for (const FlitStall& stall : router.over) visit(stall);
    router.over.clear();
  }
  void tell(const FlitStall& stall) {
    observer_.stalled(stall);
    ++reported_;
  }
  /// The stall of an input VC in cycle `now`; nullptr if its front flit is not stalled then.
  [[nodiscard]] const FlitStall* in_cycle(NodeId node, unsigned vc, Cycle now) const;

 private:
  friend class FastForward;  // compares the stalls under way

  struct Span {
    FlitStall stall;
    const Slot* slot = nullptr;
    Cycle end = kNever;
  };
  struct Router {
    std::vector<Span> spans;      ///< under way, of different input VCs
    std::vector<FlitStall> over;  ///< not reported yet
    std::uint64_t ended = 0;      ///< input VCs whose stall may be over
  };

  /// The stall under way of an input VC; nullptr if there is none.
  [[nodiscard]] const Span* find(NodeId node, unsigned vc) const;
  [[nodiscard]] Span* find(NodeId node, unsigned vc) {
    return const_cast<Span*>(std::as_const(*this).find(node, vc));
  }
  static void close(Router& router, Span& span);
  static void close_ended(Router& router, Cycle now);

  StallObserver& observer_;
  std::vector<Router> routers_;
  std::uint64_t reported_ = 0;
};

}  // namespace flitscope
