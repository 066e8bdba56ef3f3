// The stalls of all routers: counted by cause, port and message, and reported to an observer.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "routers/engine/flit_observer.h"
#include "routers/engine/message_table.h"
#include "routers/engine/prefetch.h"
#include "routers/engine/router_memory.h"
#include "routers/engine/stall_spans.h"

namespace flitscope {

/// A stall of one cause begins when a request fails, and is counted at its end or at a query, so a stall
/// without change costs nothing.
class StallAccount {
 public:
  using RouterRef = RouterMemory::RouterRef;

  StallAccount(const RouterMemory& routers, MessageTable& messages)
      : routers_(routers), messages_(messages), blocked_(zeroed<Blocked>(routers.row(routers.nodes(), 0))) {}
  /// For another thread with a range of the routers of `whole`, which must merge() it.
  StallAccount(const RouterMemory& routers, const StallAccount& whole)
      : routers_(routers),
        messages_(whole.messages_),
        blocked_(whole.blocked_),
        spans_(whole.spans_),
        part_(true) {}
  /// Begins a cycle of this part of `whole`, whose observer may have changed.
  void begin_cycle_of_part(const StallAccount& whole) { spans_ = whole.spans_; }
  /// Takes the counts and the reports of a part.
  void merge(StallAccount& part);

  /// Every stall is reported to `observer`, with its culprit.
  void observe(StallObserver* observer);
  [[nodiscard]] bool observed() const { return spans_ != nullptr; }

  /// The head at the front of an input VC is stalled from cycle `now` on, without an output VC.
  void begin_without_vc(RouterRef router, unsigned vc, StallCause cause, Cycle now) {
    // If the last stall was counted up to this cycle, the flit has not moved.
    Blocked& blocked = blocked_[routers_.row(router.state().node, vc)];
    if (blocked.counted_to != now) blocked.since = now;
    blocked.counted_to = now;
    begin(router, vc, cause, now);
  }
  /// The flit at the front of an input VC is stalled from cycle `now` on, without a slot behind its output
  /// VC.
  void begin_with_vc(RouterRef router, unsigned vc, StallCause cause, Cycle now) {
    blocked_[routers_.row(router.state().node, vc)] = {now, now};
    begin(router, vc, cause, now);
  }
  /// The flit at the front of an input VC waits until cycle `from`, and is not stalled before.
  void begin_later(RouterRef router, unsigned vc, Cycle from) {
    blocked_[routers_.row(router.state().node, vc)] = {from, from};
  }
  /// Whether this flit still waits without a stall in cycle `now`.
  [[nodiscard]] bool begins_later(RouterRef router, unsigned vc, Cycle now) const {
    return blocked_[routers_.row(router.state().node, vc)].counted_to > now;
  }
  /// Counts the present stall up to (not including) cycle `end`. It continues unless the flit moves.
  void end(RouterRef router, unsigned vc, Cycle end);
  /// In cycle `now` alone, the flit lost the switch to that of the input VC `winner`.
  void lose_switch(RouterRef router, unsigned vc, unsigned winner, Cycle now);
  /// Adds `stalls` `times` times, to the totals only.
  void add(const std::array<std::uint64_t, kStallCauses>& stalls, std::uint64_t times) {
    for (unsigned cause = 0; cause < kStallCauses; ++cause) totals_[cause] += times * stalls[cause];
  }
  /// Counts and reports all present stalls up to (not including) cycle `now`, where new ones begin.
  void settle(Cycle now);
  /// Reports the finished stalls of a router after its step in cycle `now`.
  void report(NodeId node, Cycle now) {
    if (spans_ == nullptr) return;
    if (!part_) return spans_->report(node, now);
    spans_->take(node, now, [this](const FlitStall& stall) { over_.push_back(stall); });
  }

  /// Flit-cycles stalled, by cause.
  [[nodiscard]] const std::array<std::uint64_t, kStallCauses>& totals() const { return totals_; }
  /// The first cycle of the present stall of an input VC's front flit, with its output VC or without one; or
  /// the end of its wait without a stall. Requires that it waits, and not because it lost the switch.
  [[nodiscard]] Cycle since(NodeId node, unsigned vc) const { return blocked_[routers_.row(node, vc)].since; }
  /// The stall of an input VC's front flit in cycle `now`, complete for this router; nullptr if there is
  /// none. Known only while stalls are observed.
  [[nodiscard]] const FlitStall* in_cycle(NodeId node, unsigned vc, Cycle now) const {
    return spans_ != nullptr ? spans_->in_cycle(node, vc, now) : nullptr;
  }

 private:
  friend class FastForward;  // compares the whole state, and moves it on

  void count(RouterRef router, unsigned vc, StallCause cause, Cycle cycles);
  void begin(RouterRef router, unsigned vc, StallCause cause, Cycle now) {
    router.input(vc).cause = cause;
    if (spans_ != nullptr) note_begin(router, vc, cause, now);
  }
  /// The culprit, and the missing slot.
  struct Culprit {
    std::optional<std::uint64_t> message{};
    const Slot* slot = nullptr;
  };
  [[nodiscard]] std::uint64_t id_of(MessageSlot message) const { return messages_[message].id; }
  [[nodiscard]] Culprit culprit_of(RouterRef router, unsigned vc, StallCause cause, Cycle now) const;
  [[nodiscard]] Culprit occupant(RouterRef router, unsigned output, std::uint64_t ahead, Cycle now) const;
  // Out of line, for observed stalls only.
  [[gnu::noinline]] void note_begin(RouterRef router, unsigned vc, StallCause cause, Cycle now);
  [[gnu::noinline]] void note_lost_switch(RouterRef router, unsigned vc, unsigned winner, Cycle now);
  void note(RouterRef router, unsigned vc, StallCause cause, Culprit culprit, Cycle now);

  const RouterMemory& routers_;
  MessageTable& messages_;
  std::array<std::uint64_t, kStallCauses> totals_{};
  /// Times of a waiting flit.
  struct Blocked {
    Cycle since = 0;       ///< since() of its stall
    Cycle counted_to = 0;  ///< end of the counted part
  };
  SharedZeroed<Blocked> blocked_;      ///< by input VC, node by node
  std::shared_ptr<StallSpans> spans_;  ///< if stalls are observed
  bool part_ = false;
  std::vector<FlitStall>
      over_;  ///< of a part: for take_over(), in the order in which they are to be reported
};

}  // namespace flitscope
