// The stalls of all routers: counted by cause, by port and by message, and told to whoever wants to know.
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

/// A stall of one cause begins when a flit is refused, and is counted when it ends or when somebody asks: as
/// long as nothing changes it costs nothing.
class StallAccount {
 public:
  using Here = RouterMemory::Here;

  StallAccount(const RouterMemory& routers, MessageTable& messages)
      : routers_(routers), messages_(messages), blocked_(zeroed<Blocked>(routers.row(routers.nodes(), 0))) {}
  /// For another thread that steps some of the routers of `whole`, which must be told by take_over().
  StallAccount(const RouterMemory& routers, const StallAccount& whole)
      : routers_(routers),
        messages_(whole.messages_),
        blocked_(whole.blocked_),
        spans_(whole.spans_),
        part_(true) {}
  /// A cycle begins that this part of `whole` steps: somebody may observe it since the last one.
  void begin_cycle_of_part(const StallAccount& whole) { spans_ = whole.spans_; }
  /// What a part has counted, and would have reported.
  void take_over(StallAccount& part);

  /// Every stall is reported to `observer`, with its culprit.
  void observe(StallObserver* observer);
  [[nodiscard]] bool observed() const { return spans_ != nullptr; }

  /// The head at the front of an input VC is stalled from cycle `now` on, without an output VC.
  void begin_without_vc(Here here, unsigned vc, StallCause cause, Cycle now) {
    // A flit whose last stall has been counted up to this cycle is still the same one: it has not moved.
    Blocked& blocked = blocked_[routers_.row(here.state().node, vc)];
    if (blocked.counted_to != now) blocked.since = now;
    blocked.counted_to = now;
    begin(here, vc, cause, now);
  }
  /// The flit at the front of an input VC is stalled from cycle `now` on, for want of a slot behind its
  /// output VC.
  void begin_with_vc(Here here, unsigned vc, StallCause cause, Cycle now) {
    blocked_[routers_.row(here.state().node, vc)] = {now, now};
    begin(here, vc, cause, now);
  }
  /// The flit at the front of an input VC waits until cycle `from`, and is not stalled before.
  void begin_later(Here here, unsigned vc, Cycle from) {
    blocked_[routers_.row(here.state().node, vc)] = {from, from};
  }
  /// The same flit, in cycle `now`: it still waits without being stalled.
  [[nodiscard]] bool begins_later(Here here, unsigned vc, Cycle now) const {
    return blocked_[routers_.row(here.state().node, vc)].counted_to > now;
  }
  /// Counts the stall under way up to (not including) cycle `end`. It goes on from there unless the flit
  /// moves.
  void end(Here here, unsigned vc, Cycle end);
  /// In cycle `now` alone, the flit lost the switch to that of the input VC `winner`.
  void lose_switch(Here here, unsigned vc, unsigned winner, Cycle now);
  /// Adds so many times `stalls`, to the totals only.
  void add(const std::array<std::uint64_t, kStallCauses>& stalls, std::uint64_t times) {
    for (unsigned cause = 0; cause < kStallCauses; ++cause) totals_[cause] += times * stalls[cause];
  }
  /// Counts all stalls under way up to (not including) cycle `now`, and reports them; they begin anew.
  void settle(Cycle now);
  /// A router has been looked at in cycle `now`: reports the stalls that are over.
  void report(NodeId node, Cycle now) {
    if (spans_ == nullptr) return;
    if (!part_) return spans_->report(node, now);
    spans_->take(node, now, [this](const FlitStall& stall) { over_.push_back(stall); });
  }

  /// Flit-cycles stalled, by cause.
  [[nodiscard]] const std::array<std::uint64_t, kStallCauses>& totals() const { return totals_; }
  /// The cycle since which the front flit of an input VC has been stalled as it is: with the output VC that
  /// it holds, or without any; or until which it waits without being stalled. Requires that it waits, and not
  /// because it lost the switch.
  [[nodiscard]] Cycle since(NodeId node, unsigned vc) const { return blocked_[routers_.row(node, vc)].since; }
  /// The stall of an input VC's front flit in cycle `now`, which is over for this router; nullptr if there is
  /// none. Known only while stalls are observed.
  [[nodiscard]] const FlitStall* in_cycle(NodeId node, unsigned vc, Cycle now) const {
    return spans_ != nullptr ? spans_->in_cycle(node, vc, now) : nullptr;
  }

 private:
  friend class FastForward;  // compares the whole state, and moves it on

  void count(Here here, unsigned vc, StallCause cause, Cycle cycles);
  void begin(Here here, unsigned vc, StallCause cause, Cycle now) {
    here.input(vc).cause = cause;
    if (spans_ != nullptr) note_begin(here, vc, cause, now);
  }
  /// Who is to blame, and for want of which slot.
  struct Culprit {
    std::optional<std::uint64_t> message{};
    const Slot* slot = nullptr;
  };
  [[nodiscard]] std::uint64_t id_of(MessageSlot message) const { return messages_[message].id; }
  [[nodiscard]] Culprit culprit_of(Here here, unsigned vc, StallCause cause, Cycle now) const;
  [[nodiscard]] Culprit occupant(Here here, unsigned output, std::uint64_t ahead, Cycle now) const;
  // Out of the way of those whom nobody watches.
  [[gnu::noinline]] void note_begin(Here here, unsigned vc, StallCause cause, Cycle now);
  [[gnu::noinline]] void note_lost_switch(Here here, unsigned vc, unsigned winner, Cycle now);
  void note(Here here, unsigned vc, StallCause cause, Culprit culprit, Cycle now);

  const RouterMemory& routers_;
  MessageTable& messages_;
  std::array<std::uint64_t, kStallCauses> totals_{};
  /// Of a flit that waits. Cycles.
  struct Blocked {
    Cycle since = 0;       ///< since() of its stall
    Cycle counted_to = 0;  ///< from which on it is not counted yet
  };
  SharedZeroed<Blocked> blocked_;      ///< by input VC, node by node
  std::shared_ptr<StallSpans> spans_;  ///< if anybody observes stalls
  bool part_ = false;
  std::vector<FlitStall>
      over_;  ///< of a part: for take_over(), in the order in which they are to be reported
};

}  // namespace flitscope
