// Stalls as they are reported to an observer: each from its first cycle to its last, with its culprit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/bits.h"
#include "routers/engine/flit_observer.h"
#include "routers/engine/message_table.h"
#include "routers/engine/planes.h"
#include "routers/engine/prefetch.h"
#include "routers/parts/vc_set.h"

namespace flitscope {

/// Joins the stalls of single cycles. The stages note a stall whenever a resource near a waiting flit
/// changes; with the same cause, channel and culprit it is one stall (docs/timing.md, "Stalls"). Begins and
/// ends are noted in any order within a cycle; report() reports the stalls that are over, router by router.
///
/// What belongs to the routers of a group is written by the thread of the group. Memory follows the groups
/// with stalls.
class GroupStalls {
 public:
  /// A flit at the front of an input VC lacks a slot behind an output VC.
  struct MissingSlot {
    NodeId node = 0;
    unsigned vc = 0;
    // Of a head without an output VC; others wait for the next slot behind theirs.
    unsigned output = 0;
    std::int32_t beyond = 0;  ///< place of the slot behind the first one that is not usable; negative: it is
    std::uint64_t name = 0;   ///< of the slot, with its number since the first flit that was put there
  };
  /// Why a flit is stalled, as in FlitStall.
  struct Reason {
    StallCause cause{};
    std::optional<std::uint64_t> culprit;
    /// A name of the missing slot for no_credit, or 0: while a flit waits for the same slot, its culprit
    /// stays.
    std::uint64_t slot = 0;
  };
  static constexpr unsigned kNoVc = 0xFF;
  /// The requested channel, as in FlitStall.
  struct Channel {
    unsigned port = 0;
    unsigned vc = kNoVc;
  };
  struct Flit {
    std::uint64_t message = 0;
    std::uint32_t index = 0;
  };

  GroupStalls(NodeId nodes, unsigned input_vcs, unsigned ports, StallObserver& observer)
      : input_vcs_(input_vcs),
        ports_(ports),
        observer_(observer),
        needs_all_(observer.needs_all()),
        routers_(nodes),
        groups_(nodes / kGroupSize + 1),
        tails_(zeroed<Tail>(std::size_t{nodes} * input_vcs)),
        sent_(zeroed<std::uint64_t>(std::size_t{nodes} * input_vcs)),
        holders_(zeroed<MessageSlot>(std::size_t{nodes} * input_vcs)),
        longest_(zeroed<Cycle>(needs_all_ ? 0 : std::size_t{nodes} * ports)) {}

  /// The flit at the front of an input VC is stalled from cycle `from` on, until end() or begin() is called
  /// or, if `end` is not kNever, until then, the next cycle. A stall that goes on, or ended right before, is
  /// one of the same flit; otherwise the flit is what flit() returns.
  template <typename FindFlit>
  void begin(NodeId node, unsigned vc, const Reason& reason, const Channel& channel, Cycle from, Cycle end,
             FindFlit flit) {
    Span& span = this->span(node, vc);
    Router& router = routers_[node];
    const bool present = router.present.has(vc);
    if (present && (span.end == from || span.end == kNever)) {
      change(node, vc, span, reason, channel, from);
    } else {
      if (present) close(node, vc, span);
      const auto [message, index] = flit();
      span.message = message;
      span.index = index;
      set(span, reason, channel, from);
      router.present.add(vc);
    }
    span.end = end;
    if (end == kNever) {
      router.ended.remove(vc);
    } else {
      router.ended.add(vc);
      groups_[node / kGroupSize].ends_next |= Plane{1} << node % kGroupSize;
    }
  }
  /// A body or tail flit loses the switch in cycle `now` to a message, or to none (kNoMessage), and is to be
  /// noted by begin() from the returned cycle on; nothing if that need not be reported, unless it loses the
  /// switch again. No message has the slot of one that won in the cycle before.
  [[nodiscard]] std::optional<Cycle> begin_lost(NodeId node, unsigned vc, unsigned port, MessageSlot culprit,
                                                Cycle now) {
    if (needs_all_ || longest_[port_row(node, port)] == 0) return now;
    if (routers_[node].present.has(vc)) return now;
    Span& last = span(node, vc);
    const bool goes_on = last.end == now && last.culprit == culprit;
    last.end = now + 1;
    last.culprit = culprit;
    return goes_on ? std::optional(now - 1) : std::nullopt;
  }
  /// A stall that is over.
  void add(const FlitStall& stall) {
    Group& group = groups_[stall.node / kGroupSize];
    group.over.push_back(stall);
    group.ends |= Plane{1} << stall.node % kGroupSize;
    routers_[stall.node].has_over = true;
  }
  /// The stall of an input VC, if there is one, ends in cycle `now`, unless it goes on then.
  void end(NodeId node, unsigned vc, Cycle now) {
    Router& router = routers_[node];
    if (!router.present.has(vc)) return;
    span(node, vc).end = now;
    router.ended.add(vc);
    groups_[node / kGroupSize].ends |= Plane{1} << node % kGroupSize;
  }
  /// Lost switches after this begin stalls of their own.
  void forget_losses(NodeId node) {
    if (groups_[node / kGroupSize].spans == nullptr) return;
    for (unsigned vc = 0; vc < input_vcs_; ++vc) {
      if (!routers_[node].present.has(vc)) span(node, vc).end = 0;
    }
  }

  /// The tail of a message has left the input VC `row` in cycle `now`.
  void note_tail(std::size_t row, std::uint64_t message, Cycle now) { tails_[row] = {message, now + 1}; }
  /// A message has been granted the output VC `row`.
  void note_holder(std::size_t row, MessageSlot message) { holders_[row] = message + 1; }
  /// The message that holds it has left, with so many flits.
  void note_sent(std::size_t row, std::uint32_t flits) {
    sent_[row] += flits;
    holders_[row] = 0;
  }
  /// The message that holds the output VC `row`; nothing if it has left, and the VC is not free yet.
  [[nodiscard]] std::optional<MessageSlot> holder(std::size_t row) const {
    return holders_[row] != 0 ? std::optional(holders_[row] - 1) : std::nullopt;
  }
  [[nodiscard]] std::uint64_t sent(std::size_t row) const { return sent_[row]; }
  /// The message whose tail has left it in cycle `now`.
  [[nodiscard]] std::optional<std::uint64_t> tail_of(std::size_t row, Cycle now) const {
    const Tail& tail = tails_[row];
    return tail.behind == now + 1 ? std::optional(tail.message) : std::nullopt;
  }

  /// The stall of an input VC's front flit in cycle `now`.
  [[nodiscard]] std::optional<FlitStall> in_cycle(NodeId node, unsigned vc, Cycle now) const;

  /// Reports the stalls of a router that are over in cycle `now`, by input VC.
  void report(NodeId node, Cycle now);
  /// Reports those of all routers, each after a call of before(router).
  template <typename Before>
  void report(Cycle now, Before before) {
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      Group& group = groups_[number];
      for_each_bit(std::exchange(group.ends, std::exchange(group.ends_next, 0)), [&](unsigned router) {
        const auto node = static_cast<NodeId>(number * kGroupSize + router);
        before(node);
        report(node, now);
      });
    }
  }

 private:
  /// The present stall of an input VC. Without one `end` and `culprit` are of its last lost switch that is no
  /// stall to report: behind its cycle, and the MessageSlot.
  struct Span {
    Cycle from;
    Cycle end;  ///< kNever: not known
    std::uint64_t message;
    std::uint64_t culprit;
    std::uint64_t slot;
    std::uint32_t index;
    StallCause cause;
    std::uint8_t port;
    std::uint8_t vc;  ///< kNoVc: none
    bool has_culprit;
  };
  /// Sets of input VCs.
  struct Router {
    VcSet present;          ///< with a span
    VcSet ended;            ///< whose span may be over
    bool has_over = false;  ///< has stalls in Group::over
  };
  struct Group {
    std::unique_ptr<Span[]> spans;  ///< by router and input VC; nullptr: no flit has been stalled yet
    std::vector<FlitStall> over;    ///< stalls that are over, but for those of spans
    Plane ends = 0;                 ///< routers with stalls that may be over
    Plane ends_next = 0;            ///< in the next cycle
  };
  struct Tail {
    std::uint64_t message;
    Cycle behind;  ///< the cycle after it has left; 0: no tail has left yet
  };

  [[nodiscard]] Span& span(NodeId node, unsigned vc) {
    Group& group = groups_[node / kGroupSize];
    if (group.spans == nullptr) group.spans = std::make_unique<Span[]>(std::size_t{kGroupSize} * input_vcs_);
    return group.spans[node % kGroupSize * input_vcs_ + vc];
  }
  static void set(Span& span, const Reason& reason, const Channel& channel, Cycle from) {
    span.from = from;
    span.slot = reason.slot;
    span.cause = reason.cause;
    span.port = static_cast<std::uint8_t>(channel.port);
    span.vc = static_cast<std::uint8_t>(channel.vc);
    span.culprit = reason.culprit.value_or(0);
    span.has_culprit = reason.culprit.has_value();
  }
  [[nodiscard]] std::size_t port_row(NodeId node, unsigned port) const {
    return std::size_t{node} * ports_ + port;
  }
  /// Whether a stall of so many cycles is to be reported; now, or later if others are reported before.
  [[nodiscard]] bool is_needed(NodeId node, unsigned port, std::uint32_t index, Cycle cycles) const {
    return needs_all_ || index == 0 || cycles > longest_[port_row(node, port)];
  }
  [[nodiscard]] bool is_needed(NodeId node, const Span& span) const {
    return is_needed(node, span.port, span.index, span.end - span.from);
  }
  void report_one(const FlitStall& stall);
  void change(NodeId node, unsigned vc, Span& span, const Reason& reason, const Channel& channel, Cycle now);
  void close(NodeId node, unsigned vc, const Span& span);
  [[nodiscard]] static FlitStall stall_of(NodeId node, unsigned vc, const Span& span);

  unsigned input_vcs_;
  unsigned ports_;
  StallObserver& observer_;
  bool needs_all_;
  std::vector<Router> routers_;
  std::vector<Group> groups_;
  std::vector<FlitStall> of_router_;  ///< of one router, in report()
  Zeroed<Tail> tails_;                ///< by row
  Zeroed<std::uint64_t> sent_;
  Zeroed<MessageSlot> holders_;  ///< of output VCs, by row; one more than the message's, 0: none
  Zeroed<Cycle> longest_;        ///< of those reported, by node and output port, unless all are
};

}  // namespace flitscope
