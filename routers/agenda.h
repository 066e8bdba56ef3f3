// Which routers have work in which cycle: the engine's active sets.
#pragma once

#include <bit>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "model/types.h"

namespace flitscope {

/// A calendar of nodes to look at. Waking is idempotent; nodes that nobody wakes cost nothing, and neither do
/// cycles without work.
///
/// The near future is a wheel of bitmaps in two levels, one per cycle; the far future (long startups) a heap.
class Agenda {
 public:
  /// `horizon` is the longest delay that must be cheap, in cycles.
  Agenda(NodeId nodes, Cycle horizon)
      : wheel_(std::bit_ceil(horizon + 1)),
        words_((std::size_t{nodes} + 63) / 64),
        summary_words_((words_ + 63) / 64),
        bits_(wheel_ * words_),
        summary_(wheel_ * summary_words_),
        any_(wheel_) {}

  /// Cycles the wheel spans: a delay below it needs no heap.
  [[nodiscard]] Cycle wheel() const { return wheel_; }
  [[nodiscard]] Cycle slot(Cycle cycle) const { return cycle & (wheel_ - 1); }

  /// Node `node` is to be looked at in `cycle`, which is less than wheel() after the present one.
  void wake(NodeId node, Cycle cycle) {
    const Cycle at = slot(cycle);
    const std::size_t word = node / 64;
    bits_[at * words_ + word] |= std::uint64_t{1} << (node % 64);
    summary_[at * summary_words_ + word / 64] |= std::uint64_t{1} << (word % 64);
    any_[at] = 1;
  }
  /// The same for any `cycle` from `now` on.
  void wake_at(NodeId node, Cycle cycle, Cycle now) {
    if (cycle - now < wheel_) {
      wake(node, cycle);
    } else {
      far_.emplace(cycle, node);
    }
  }
  /// Something other than a router happens in `cycle` (less than wheel() ahead).
  void mark(Cycle cycle) { any_[slot(cycle)] = 1; }

  /// Moves far wakes that have come into reach onto the wheel.
  void advance(Cycle now) {
    while (!far_.empty() && far_.top().first - now < wheel_) {
      wake(far_.top().second, far_.top().first);
      far_.pop();
    }
  }

  /// Calls visit(node) for every node woken for `now`, in ascending order, and forgets them.
  template <typename Visit>
  void visit(Cycle now, Visit visit) {
    const Cycle at = slot(now);
    any_[at] = 0;
    std::uint64_t* const summary = &summary_[at * summary_words_];
    std::uint64_t* const bits = &bits_[at * words_];
    for (std::size_t group = 0; group < summary_words_; ++group) {
      for (std::uint64_t words = std::exchange(summary[group], 0); words != 0; words &= words - 1) {
        const std::size_t word = group * 64 + static_cast<std::size_t>(std::countr_zero(words));
        for (std::uint64_t nodes = std::exchange(bits[word], 0); nodes != 0; nodes &= nodes - 1) {
          visit(static_cast<NodeId>(word * 64 + static_cast<std::size_t>(std::countr_zero(nodes))));
        }
      }
    }
  }

  /// First cycle after `now` with work; kNever if there is none.
  [[nodiscard]] Cycle next(Cycle now) const {
    for (Cycle ahead = 1; ahead < wheel_; ++ahead) {
      if (any_[slot(now + ahead)] != 0) return now + ahead;
    }
    return far_.empty() ? kNever : far_.top().first;
  }

 private:
  using FarWake = std::pair<Cycle, NodeId>;

  Cycle wheel_;
  std::size_t words_;
  std::size_t summary_words_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> summary_;
  std::vector<std::uint8_t> any_;
  std::priority_queue<FarWake, std::vector<FarWake>, std::greater<>> far_;
};

}  // namespace flitscope
