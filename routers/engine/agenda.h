// The calendar of routers with work in each cycle: the engine's active sets.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/types.h"
#include "routers/engine/prefetch.h"

namespace flitscope {

/// The longest delay that routers and links of this machine wait for, in cycles. Startups can be longer; they
/// are rare, and the agenda keeps them apart.
[[nodiscard]] inline Cycle horizon_of(const MachineConfig& machine) {
  const LinkTime link = machine.longest_link();
  return std::max<Cycle>({Cycle{machine.router_delay} + link.delay, Cycle{link.delay} + machine.credit_delay,
                          link.cycles_per_flit.rounded_up(), machine.injection_interval,
                          machine.ejection_interval, machine.vc_reallocation_delay, machine.vc_delay,
                          Cycle{machine.parts.routing_delay} + 1,
                          Cycle{machine.parts.injection_credit_delay} + 1});
}

/// A calendar of nodes to step. Waking is idempotent; idle nodes and cycles without work cost nothing.
///
/// The near future is a wheel of bitmaps in two levels, one per cycle; the far future (long startups, very
/// long delays) a heap.
class Agenda {
 public:
  /// `horizon` is the longest delay that needs the wheel (horizon_of()), in cycles.
  Agenda(NodeId nodes, Cycle horizon)
      : wheel_(wheel_for(horizon)),
        words_((std::size_t{nodes} + 63) / 64),
        bits_(zeroed<std::uint64_t>(wheel_ * words_)),
        summary_(zeroed<std::uint8_t>(wheel_ * words_)) {}

  /// One cycle of the wheel, for waking many nodes in it.
  class Page {
   public:
    Page() = default;
    Page(std::uint64_t* bits, std::uint8_t* summary) : bits_(bits), summary_(summary) {}

    [[gnu::always_inline]] void wake(NodeId node) const {
      bits_[node / 64] |= std::uint64_t{1} << node % 64;
      summary_[node / 64] = 1;
    }

   private:
    friend class Agenda;
    std::uint64_t* bits_ = nullptr;    ///< of nodes
    std::uint8_t* summary_ = nullptr;  ///< which words in bits_ are not zero
  };

  /// The most cycles of a wheel, which bounds its memory.
  static constexpr Cycle kMaxWheel = 256;
  /// Cycles that the wheel of an agenda of that horizon spans.
  [[nodiscard]] static Cycle wheel_for(Cycle horizon) {
    return std::bit_ceil(std::min(horizon, kMaxWheel - 1) + 1);
  }
  /// Cycles of the wheel; a delay below needs no heap.
  [[nodiscard]] Cycle wheel() const { return wheel_; }
  [[nodiscard]] Cycle slot(Cycle cycle) const { return cycle & (wheel_ - 1); }

  /// `cycle` is less than wheel() after the present one.
  [[nodiscard]] Page page(Cycle cycle) {
    return {&bits_[slot(cycle) * words_], &summary_[slot(cycle) * words_]};
  }

  /// Wakes a node in `cycle`, which is less than wheel() after the present one.
  void wake(NodeId node, Cycle cycle) { page(cycle).wake(node); }
  /// As above for any `cycle` from `now` on.
  void wake_at(NodeId node, Cycle cycle, Cycle now) {
    if (cycle - now >= wheel_) return wake_far(node, cycle);
    wake(node, cycle);
  }

  /// Moves far wakes onto the wheel when they are within its span.
  void advance(Cycle now) {
    while (!far_.empty() && far_.top().first - now < wheel_) {
      wake(far_.top().second, far_.top().first);
      far_.pop();
    }
  }

  /// Moves the wakes of another agenda of the same wheel and nodes here.
  void merge_wakes(Agenda& part) {
    for (; !part.far_.empty(); part.far_.pop()) far_.push(part.far_.top());
    for (std::size_t first = 0; first < wheel_ * words_; first += words_) {
      for (std::size_t word = 0; (word = next_word(&part.summary_[first], word)) < words_; ++word) {
        part.summary_[first + word] = 0;
        bits_[first + word] |= std::exchange(part.bits_[first + word], 0);
        summary_[first + word] = 1;
      }
    }
  }

  /// Calls visit(node) for every node woken for `now`, in ascending order, and removes them.
  template <typename Visit>
  void visit(Cycle now, Visit visit) {
    const Page today = page(now);
    for (std::size_t word = 0; (word = next_word(today.summary_, word)) < words_; ++word) {
      today.summary_[word] = 0;
      for (std::uint64_t nodes = std::exchange(today.bits_[word], 0); nodes != 0; nodes &= nodes - 1) {
        visit(static_cast<NodeId>(word * 64 + static_cast<std::size_t>(std::countr_zero(nodes))));
      }
    }
  }

  /// Whether the node is awake in the cycles of a position on the wheel.
  [[nodiscard]] bool is_awake(NodeId node, Cycle place_on_wheel) const {
    return (bits_[place_on_wheel * words_ + node / 64] >> node % 64 & 1) != 0;
  }
  /// First cycle of the wakes beyond the wheel; kNever if there are none.
  [[nodiscard]] Cycle first_far() const { return far_.empty() ? kNever : far_.top().first; }

  /// First cycle after `now` with work; kNever if there is none.
  [[nodiscard]] Cycle next(Cycle now) const {
    for (Cycle cycle = now + 1; cycle < now + wheel_; ++cycle) {
      if (next_word(&summary_[slot(cycle) * words_], 0) < words_) return cycle;
    }
    return first_far();
  }

 private:
  using FarWake = std::pair<Cycle, NodeId>;

  [[gnu::noinline]] void wake_far(NodeId node, Cycle cycle) { far_.emplace(cycle, node); }

  /// The first word from `word` on that is not zero; words_ if there is none.
  [[nodiscard]] std::size_t next_word(const std::uint8_t* summary, std::size_t word) const {
    std::uint64_t eight = 0;
    for (; word + sizeof eight <= words_; word += sizeof eight) {
      std::memcpy(&eight, summary + word, sizeof eight);
      if (eight != 0) break;
    }
    while (word < words_ && summary[word] == 0) ++word;
    return word;
  }

  Cycle wheel_;
  std::size_t words_;
  Zeroed<std::uint64_t> bits_;    ///< one per node, cycle after cycle of the wheel
  Zeroed<std::uint8_t> summary_;  ///< one per word of bits_, likewise
  std::priority_queue<FarWake, std::vector<FarWake>, std::greater<>> far_;
};

}  // namespace flitscope
