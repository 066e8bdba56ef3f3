// Stalls as they are told: each from its first cycle to its last.
#pragma once

#include <cstdint>
#include <vector>

#include "routers/engine/flit.h"
#include "routers/engine/flit_observer.h"

namespace flitscope {

/// Joins what the stages of a router say into stalls, and reports each when it is over. The stages look at a
/// waiting flit again whenever something near it changes; as long as its cause, its channel and its culprit
/// stay the same, that is one stall (docs/timing.md, "Stalls").
///
/// Memory follows the flits that are stalled.
class StallSpans {
 public:
  StallSpans(NodeId nodes, unsigned input_vcs, StallObserver& observer)
      : observer_(observer),
        input_vcs_(input_vcs),
        place_of_(std::size_t{nodes} * input_vcs, kNone),
        ended_(nodes) {}

  /// The flit at the front of an input VC is stalled from `stall.from` on. `slot` is the one that lacks if
  /// the cause is no_credit: as long as a flit waits for the same slot, its culprit stays.
  void begin(const FlitStall& stall, const Slot* slot);
  /// The stall is over in cycle `end`, unless one begins then that is the same.
  void end(NodeId node, unsigned vc, Cycle end);
  /// The router has been looked at in cycle `now`: reports what is over, in order of input VC.
  void report(NodeId node, Cycle now) {
    if (ended_[node] != 0 || !over_.empty()) report_ended(node, now);
  }
  /// The stall of an input VC in cycle `now`; nullptr if its front flit is not stalled then.
  [[nodiscard]] const FlitStall* in_cycle(NodeId node, unsigned vc, Cycle now) const;

 private:
  friend class FastForward;  // compares the stalls under way

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Span {
    FlitStall stall;
    const Slot* slot = nullptr;
    Cycle end = kNever;
  };

  [[nodiscard]] std::uint32_t& place_of(NodeId node, unsigned vc) {
    return place_of_[std::size_t{node} * input_vcs_ + vc];
  }
  void close(NodeId node, unsigned vc);
  void report_ended(NodeId node, Cycle now);

  StallObserver& observer_;
  unsigned input_vcs_;
  std::vector<std::uint32_t> place_of_;  ///< by input VC, node by node: in spans_
  std::vector<Span> spans_;
  std::vector<std::uint32_t> free_;   ///< in spans_
  std::vector<std::uint64_t> ended_;  ///< by node: input VCs whose stall may be over
  std::vector<FlitStall> over_;       ///< of the router that is looked at
  std::uint64_t reported_ = 0;
};

}  // namespace flitscope
