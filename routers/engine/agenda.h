// Which routers have work in which cycle: the engine's active sets.
#pragma once

#include <algorithm>
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
/// The near future is a wheel of bitmaps in two levels, one per cycle; the far future (long startups, very
/// long delays) a heap.
class Agenda {
 public:
  /// `horizon` is the longest delay that must be cheap, in cycles.
  Agenda(NodeId nodes, Cycle horizon)
      : wheel_(wheel_for(horizon)),
        words_((std::size_t{nodes} + 63) / 64),
        summary_words_((words_ + 63) / 64),
        bits_(wheel_ * words_),
        summary_(wheel_ * summary_words_),
        marked_(wheel_) {}

  /// Where the mark of a node is found, for those who wake it often.
  struct Place {
    std::uint32_t word = 0;
    std::uint64_t bit = 0;
  };
  [[nodiscard]] static Place place(NodeId node) { return {node / 64, std::uint64_t{1} << (node % 64)}; }

  /// One cycle of the wheel, for those who wake many nodes in it.
  class Page {
   public:
    Page() = default;
    Page(std::uint64_t* bits, std::uint64_t* summary) : bits_(bits), summary_(summary) {}

    void wake(NodeId node) const { wake(place(node)); }
    void wake(Place place) const {
      std::uint64_t& word = bits_[place.word];
      const std::uint64_t before = std::exchange(word, word | place.bit);
      if (before == 0) summary_[place.word / 64] |= std::uint64_t{1} << (place.word % 64);
    }

   private:
    friend class Agenda;
    std::uint64_t* bits_ = nullptr;     ///< of nodes
    std::uint64_t* summary_ = nullptr;  ///< of words in bits_ that are not zero
  };

  /// A wheel spans no more cycles, so that what belongs to each of them takes little memory.
  static constexpr Cycle kMaxWheel = 256;
  /// Cycles that the wheel of an agenda of that horizon spans.
  [[nodiscard]] static Cycle wheel_for(Cycle horizon) {
    return std::bit_ceil(std::min(horizon, kMaxWheel - 1) + 1);
  }
  /// Cycles the wheel spans: a delay below it needs no heap.
  [[nodiscard]] Cycle wheel() const { return wheel_; }
  [[nodiscard]] Cycle slot(Cycle cycle) const { return cycle & (wheel_ - 1); }

  /// `cycle` is less than wheel() after the present one.
  [[nodiscard]] Page page(Cycle cycle) {
    return {&bits_[slot(cycle) * words_], &summary_[slot(cycle) * summary_words_]};
  }

  /// Node `node` is to be looked at in `cycle`, which is less than wheel() after the present one.
  void wake(NodeId node, Cycle cycle) { page(cycle).wake(node); }
  /// The same for any `cycle` from `now` on.
  void wake_at(NodeId node, Cycle cycle, Cycle now) {
    if (cycle - now >= wheel_) return wake_far(node, cycle);
    wake(node, cycle);
  }
  /// Something other than a router happens in `cycle` (less than wheel() ahead).
  void mark(Cycle cycle) { marked_[slot(cycle)] = 1; }
  /// The same for any `cycle` from `now` on.
  void mark_at(Cycle cycle, Cycle now) {
    if (cycle - now >= wheel_) return wake_far(kNoNode, cycle);
    mark(cycle);
  }

  /// Moves far wakes and marks that have come into reach onto the wheel.
  void advance(Cycle now) {
    while (!far_.empty() && far_.top().first - now < wheel_) {
      const auto [cycle, node] = far_.top();
      if (node == kNoNode) {
        mark(cycle);
      } else {
        wake(node, cycle);
      }
      far_.pop();
    }
  }

  /// Calls visit(node) for every node woken for `now`, in ascending order, and forgets them.
  template <typename Visit>
  void visit(Cycle now, Visit visit) {
    marked_[slot(now)] = 0;
    const Page today = page(now);
    for (std::size_t group = 0; group < summary_words_; ++group) {
      for (std::uint64_t words = std::exchange(today.summary_[group], 0); words != 0; words &= words - 1) {
        const std::size_t word = group * 64 + static_cast<std::size_t>(std::countr_zero(words));
        for (std::uint64_t nodes = std::exchange(today.bits_[word], 0); nodes != 0; nodes &= nodes - 1) {
          visit(static_cast<NodeId>(word * 64 + static_cast<std::size_t>(std::countr_zero(nodes))));
        }
      }
    }
  }

  // For those who compare what is planned at two moments.

  /// Words of 64 nodes that add_awake() needs.
  [[nodiscard]] std::size_t words() const { return words_; }
  /// Adds the nodes woken for `cycle` (less than wheel() ahead) to the bits of `nodes`. Returns whether all
  /// were there.
  bool add_awake(Cycle cycle, std::vector<std::uint64_t>& nodes) const {
    bool known = true;
    const std::size_t first_group = slot(cycle) * summary_words_;
    const std::size_t first_word = slot(cycle) * words_;
    for (std::size_t group = 0; group < summary_words_; ++group) {
      for (std::uint64_t words = summary_[first_group + group]; words != 0; words &= words - 1) {
        const std::size_t word = group * 64 + static_cast<std::size_t>(std::countr_zero(words));
        const std::uint64_t awake = bits_[first_word + word];
        known &= (awake & ~nodes[word]) == 0;
        nodes[word] |= awake;
      }
    }
    return known;
  }
  /// In the cycles of that place on the wheel.
  [[nodiscard]] bool is_awake(NodeId node, Cycle place_on_wheel) const {
    const Place mark = place(node);
    return (bits_[place_on_wheel * words_ + mark.word] & mark.bit) != 0;
  }
  /// Something other than a router happens within the wheel.
  [[nodiscard]] bool is_marked() const {
    return std::ranges::any_of(marked_, [](std::uint8_t mark) { return mark != 0; });
  }
  /// What is planned beyond the wheel: how much, and for when first (kNever if there is nothing).
  [[nodiscard]] std::size_t far_wakes() const { return far_.size(); }
  [[nodiscard]] Cycle first_far() const { return far_.empty() ? kNever : far_.top().first; }

  /// First cycle after `now` with work; kNever if there is none.
  [[nodiscard]] Cycle next(Cycle now) const {
    for (Cycle cycle = now + 1; cycle < now + wheel_; ++cycle) {
      if (marked_[slot(cycle)] != 0 || anybody_awake(cycle)) return cycle;
    }
    return first_far();
  }

 private:
  using FarWake = std::pair<Cycle, NodeId>;  ///< a mark is of no node

  [[gnu::noinline]] void wake_far(NodeId node, Cycle cycle) { far_.emplace(cycle, node); }

  [[nodiscard]] bool anybody_awake(Cycle cycle) const {
    const auto first = summary_.begin() + static_cast<std::ptrdiff_t>(slot(cycle) * summary_words_);
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(summary_words_),
                       [](std::uint64_t words) { return words != 0; });
  }

  Cycle wheel_;
  std::size_t words_;
  std::size_t summary_words_;
  std::vector<std::uint64_t> bits_;     ///< one per node, cycle after cycle of the wheel
  std::vector<std::uint64_t> summary_;  ///< one per word of bits_, likewise
  std::vector<std::uint8_t> marked_;    ///< per cycle of the wheel
  std::priority_queue<FarWake, std::vector<FarWake>, std::greater<>> far_;
};

}  // namespace flitscope
