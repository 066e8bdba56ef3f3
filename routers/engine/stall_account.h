// The stalls of all routers: counted by cause, by port and by message, and told to whoever wants to know.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "routers/engine/flit_observer.h"
#include "routers/engine/message_table.h"
#include "routers/engine/router_memory.h"

namespace flitscope {

/// A stall of one cause begins when a flit is refused, and is counted when it ends or when somebody asks: as
/// long as nothing changes it costs nothing.
class StallAccount {
 public:
  using Here = RouterMemory::Here;

  StallAccount(const RouterMemory& routers, MessageTable& messages)
      : routers_(routers), messages_(messages), since_(std::size_t{routers.nodes()} * routers.input_vcs()) {}

  /// Every stall is reported to `observer`, with its culprit.
  void observe(StallObserver* observer);

  /// The flit at the front of an input VC is stalled from cycle `now` on.
  void begin(Here here, unsigned vc, StallCause cause, Cycle now) {
    // A flit whose last stall has been counted up to this cycle is still the same one: it has not moved.
    if (here.input(vc).blocked_since != now) since_[routers_.row(here.state().node, vc)] = now;
    here.input(vc).cause = cause;
    here.input(vc).blocked_since = now;
    if (observer_ != nullptr) note_culprit(here, vc, cause);
  }
  /// Counts the stall under way up to (not including) cycle `end`. It goes on from there unless the flit
  /// moves.
  void end(Here here, unsigned vc, Cycle end);
  /// In cycle `now` alone, the flit lost the switch to that of the input VC `winner`.
  void lose_switch(Here here, unsigned vc, unsigned winner, Cycle now);
  /// Counts all stalls under way up to (not including) cycle `now`.
  void settle(Cycle now);

  /// Flit-cycles stalled, by cause.
  [[nodiscard]] const std::array<std::uint64_t, kStallCauses>& totals() const { return totals_; }
  /// First cycle in which the front flit of an input VC was stalled, and ever since. Requires that it is.
  [[nodiscard]] Cycle since(NodeId node, unsigned vc) const { return since_[routers_.row(node, vc)]; }
  /// Who is to blame for the stall under way in an input VC (see FlitStall). Known only while stalls are
  /// observed.
  [[nodiscard]] std::optional<std::uint64_t> culprit(NodeId node, unsigned vc) const {
    return culprits_.empty() ? std::nullopt : culprits_[routers_.row(node, vc)];
  }

 private:
  void count(Here here, unsigned vc, StallCause cause, Cycle cycles);
  [[nodiscard]] MessageSlot culprit_of(Here here, unsigned vc, StallCause cause) const;
  void note_culprit(Here here, unsigned vc, StallCause cause);
  void report(Here here, unsigned vc, StallCause cause, Cycle from, Cycle cycles,
              std::optional<std::uint64_t> culprit) const;

  const RouterMemory& routers_;
  MessageTable& messages_;
  StallObserver* observer_ = nullptr;
  std::array<std::uint64_t, kStallCauses> totals_{};
  std::vector<Cycle> since_;  ///< by input VC, node by node
  std::vector<std::optional<std::uint64_t>>
      culprits_;  ///< likewise, of stalls under way; empty if unobserved
};

}  // namespace flitscope
