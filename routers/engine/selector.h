// Selection among the candidates of a head (docs/timing.md, "Candidates").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

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
  [[nodiscard]] std::optional<std::size_t> select(std::size_t row, std::span<const Offer> offers) const;

  /// The head at the front of input VC `row` was granted a VC of link port `port`.
  void note_grant(std::size_t row, unsigned port) {
    if (rule_ == Selection::round_robin) next_port_[row] = static_cast<std::uint8_t>(port + 1);
  }

 private:
  [[nodiscard]] bool is_better(std::size_t row, const Offer& one, const Offer& other) const;

  Selection rule_;
  SharedZeroed<std::uint8_t> next_port_;  ///< round-robin: the selection pointers, by input VC
};

}  // namespace flitscope
