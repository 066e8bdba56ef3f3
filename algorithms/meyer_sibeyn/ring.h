// Rings: closed trails of links that packets run along in both directions.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "algorithms/meyer_sibeyn/paper_torus.h"

namespace flitscope::meyer_sibeyn {

/// A ring that passes no PU twice. Forward (F) is the order in which its PUs are listed.
class Ring {
 public:
  static constexpr std::uint32_t kOff = std::numeric_limits<std::uint32_t>::max();

  /// Starts in `first` and makes `moves` one after the other; the last leads back to `first`.
  /// Throws std::logic_error if they do not lead back, or pass a PU twice.
  Ring(const PaperTorus& torus, Pu first, std::span<const Direction> moves);

  /// L, the number of its PUs.
  [[nodiscard]] std::uint32_t length() const { return static_cast<std::uint32_t>(pus_.size()); }
  [[nodiscard]] const std::vector<Pu>& pus() const { return pus_; }
  [[nodiscard]] bool passes(Pu pu) const { return position_[pu] != kOff; }
  /// Place of a PU it passes, 0 for the first.
  [[nodiscard]] std::uint32_t position(Pu pu) const { return position_[pu]; }

  /// Where forward packets come in at a PU it passes (the direction of the PU before), and where they leave.
  [[nodiscard]] Direction entry(Pu pu) const {
    return reverse(moves_[(position_[pu] + length() - 1) % length()]);
  }
  [[nodiscard]] Direction exit(Pu pu) const { return moves_[position_[pu]]; }

  /// Forward distance, and the shorter one, between two PUs it passes.
  [[nodiscard]] std::uint32_t forward(Pu from, Pu to) const {
    return (position_[to] + length() - position_[from]) % length();
  }
  [[nodiscard]] std::uint32_t distance(Pu from, Pu to) const {
    const std::uint32_t ahead = forward(from, to);
    return ahead < length() - ahead ? ahead : length() - ahead;
  }

 private:
  std::vector<Pu> pus_;
  std::vector<Direction> moves_;
  std::vector<std::uint32_t> position_;
};

/// The ring along a list of PUs, each a neighbour of the next and the last of the first.
[[nodiscard]] Ring ring_along(const PaperTorus& torus, std::span<const Pu> pus);

}  // namespace flitscope::meyer_sibeyn
