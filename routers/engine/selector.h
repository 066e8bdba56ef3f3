// Selection among the candidates of a head (docs/timing.md, "Candidates").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "model/machine.h"
#include "routers/engine/prefetch.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// A candidate and its state at the beginning of stage 4.
struct Offer {
  Candidate candidate;
  bool escape = false;        ///< its class is an escape class
  bool open = false;          ///< one of its VCs is free, with the required slots
  std::uint32_t credits = 0;  ///< usable slots behind all such VCs (for most-credits only)
};

/// The selector of all routers. A copy shares the selection pointers.
class Selector {
 public:
  /// `input_vcs` is how many there are in all routers together.
  Selector(Selection rule, std::size_t input_vcs)
      : rule_(rule), next_port_(zeroed<std::uint8_t>(rule == Selection::round_robin ? input_vcs : 0)) {}

  [[nodiscard]] bool counts_credits() const { return rule_ == Selection::most_credits; }

  /// Of the offers to the head at the front of input VC `row`, in order of preference, the position of the
  /// selected one; nothing if none is open.
  [[nodiscard]] std::optional<std::size_t> select(std::size_t row, std::span<const Offer> offers) const {
    std::optional<std::size_t> best;
    for (std::size_t place = 0; place < offers.size(); ++place) {
      if (!offers[place].open) continue;
      if (!best || is_better(row, offers[place], offers[*best])) best = place;
    }
    return best;
  }

  /// The head at the front of input VC `row` was granted a VC of link port `port`.
  void note_grant(std::size_t row, unsigned port) {
    if (rule_ == Selection::round_robin) next_port_[row] = static_cast<std::uint8_t>(port + 1);
  }

 private:
  /// Compares two open offers. A tie goes to the first.
  [[nodiscard]] bool is_better(std::size_t row, const Offer& one, const Offer& other) const {
    if (one.escape != other.escape) return other.escape;
    switch (rule_) {
      case Selection::first_free:
        return false;
      case Selection::most_credits:
        return one.credits > other.credits;
      case Selection::round_robin: {
        const auto turn = [pointer = next_port_[row]](unsigned port) {
          return std::pair(port < pointer, port);
        };
        return turn(one.candidate.port) < turn(other.candidate.port);
      }
    }
    return false;
  }

  Selection rule_;
  std::shared_ptr<std::uint8_t[]> next_port_;  ///< round-robin: the selection pointers, by input VC
};

}  // namespace flitscope
