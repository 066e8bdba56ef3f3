// Arbiters of one kind: which of several requests wins (docs/timing.md, "Router parts").
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/machine.h"
#include "routers/parts/vc_set.h"

namespace flitscope {

/// That of Arbiter::age is round-robin: its users know ages. The state of an arbiter is in bytes of its user,
/// all 0 at the start. A matrix is the order in which its inputs were picked last: state[i] is how many
/// others were picked after input i, less its number at the start, so that zeros are the order 0, 1, ...
class Arbiters {
 public:
  explicit Arbiters(Arbiter kind) : kind_(kind) {}

  /// Bytes of an arbiter over so many inputs.
  [[nodiscard]] std::size_t bytes(unsigned inputs) const { return kind_ == Arbiter::matrix ? inputs : 1; }
  /// The winner. Requires a request, and none of an input beyond `inputs`.
  template <typename Inputs>
  [[nodiscard]] unsigned pick(const std::uint8_t* state, unsigned inputs, Inputs requests) const {
    if (kind_ == Arbiter::round_robin || kind_ == Arbiter::age) return first_from(requests, *state);
    if (kind_ == Arbiter::round_robin_binary) return first_from(requests, (*state + 1U) % inputs);
    if (kind_ == Arbiter::fixed) return lowest_bit(requests);
    unsigned winner = 0;
    unsigned best = inputs;
    for_each_bit(requests, [&](unsigned input) {
      const unsigned place = (state[input] + input) % inputs;
      if (place >= best) return;
      best = place;
      winner = input;
    });
    return winner;
  }
  /// The winner's turn is over.
  void update(std::uint8_t* state, unsigned inputs, unsigned winner) const {
    if (kind_ == Arbiter::fixed) return;
    if (kind_ != Arbiter::matrix) {
      *state = static_cast<std::uint8_t>((winner + 1) % inputs);
      return;
    }
    const auto place_of = [&](unsigned input) { return (state[input] + input) % inputs; };
    const unsigned before = place_of(winner);
    for (unsigned input = 0; input < inputs; ++input) {
      const unsigned place = place_of(input);
      if (place < before) continue;
      const unsigned now = place == before ? inputs - 1 : place - 1;
      state[input] = static_cast<std::uint8_t>((now + inputs - input) % inputs);
    }
  }

 private:
  Arbiter kind_;
};

}  // namespace flitscope
