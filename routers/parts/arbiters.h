// Arbiters of one kind: which of several requests wins (docs/timing.md, "Router parts").
#pragma once

#include <cstdint>

#include "model/machine.h"

namespace flitscope {

/// That of Arbiter::age is round-robin: its users know ages. The state of an arbiter is in bytes of its user,
/// all 0 at the start.
class Arbiters {
 public:
  explicit Arbiters(Arbiter kind) : kind_(kind) {}

  /// Bytes of an arbiter over so many inputs.
  [[nodiscard]] unsigned bytes(unsigned inputs) const { return kind_ == Arbiter::matrix ? inputs : 1; }
  /// The winner. Requires a request, and none of an input beyond `inputs`.
  [[nodiscard]] unsigned pick(const std::uint8_t* state, unsigned inputs, std::uint64_t requests) const;
  /// The winner's turn is over.
  void update(std::uint8_t* state, unsigned inputs, unsigned winner) const;

 private:
  Arbiter kind_;
};

}  // namespace flitscope
